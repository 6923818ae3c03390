import Query
import Schema
import SQLiteKit

// Key paths: columns, joins over to-one relationships, subqueries over to-many relationships.
extension PredicateTranslator {
    /// The current element of a key path during its translation, and the collection that it passes
    /// through after a to-many relationship.
    private struct Walk {
        var element: SQLElement
        /// The collection without its current element; nil before the first to-many relationship.
        var collection: SQLCollection?

        init(_ element: SQLElement) {
            self.element = element
        }

        init(_ collection: SQLCollection) {
            element = collection.element
            self.collection = collection
        }

        /// The collection with its current element.
        var result: SQLCollection? {
            guard var result = collection else { return nil }
            result.element = element
            return result
        }
    }

    func path(base: QueryExpression?, components: [String]) throws -> SQLOperand {
        var walk = Walk(.object(object))
        if let base {
            switch base {
            case .evaluatedObject: break
            case .variable(let name): walk.element = try variable(name)
            default:
                switch try operand(base) {
                case .collection(let collection): walk = Walk(collection)
                case .scalar(let scalar):
                    guard let object = scalar.object else { throw unsupported("a key of \(base)") }
                    walk.element = .object(object)
                case .constants, .list: throw unsupported("a key of a list")
                }
            }
        }
        guard let place = components.firstIndex(where: { $0.hasPrefix("@") }) else {
            for key in components { try step(&walk, key) }
            if let collection = walk.result { return .collection(collection) }
            return .scalar(try scalar(walk.element))
        }
        for key in components[..<place] { try step(&walk, key) }
        guard let function = QueryFunction(collectionOperator: components[place]), walk.collection != nil else {
            throw unsupported(components.joined(separator: "."))
        }
        for key in components[(place + 1)...] { try step(&walk, key) }
        guard let collection = walk.result else { throw unsupported(components.joined(separator: ".")) }
        return .scalar(try aggregate(function, collection))
    }

    /// The element at the end of a path of to-one relationships.
    func element(at components: [String]) throws -> SQLElement {
        var walk = Walk(.object(object))
        for key in components { try step(&walk, key) }
        return walk.element
    }

    func variable(_ name: String) throws -> SQLElement {
        guard let element = variables[name] else {
            throw QueryError(.unboundVariable, "The variable $\(name) has no value", key: name)
        }
        return element
    }

    private func step(_ walk: inout Walk, _ key: String) throws {
        switch walk.element {
        case .object(let object): try step(&walk, key, from: object)
        case .composite(let leaves, let alias, let table):
            let rest = leaves.filter { $0.path.first == key }
            guard let first = rest.first else { throw unknownKey(key, of: "the composite") }
            if first.path.count == 1 {
                walk.element = .scalar(try column(first.column, of: alias, in: table))
            } else {
                walk.element = .composite(
                    rest.map { CompositeLeaf(path: Array($0.path.dropFirst()), column: $0.column) }, alias: alias,
                    table: table)
            }
        case .scalar: throw unsupported("the key \(key) of a value")
        }
    }

    private func step(_ walk: inout Walk, _ key: String, from object: SQLObject) throws {
        let entity = layout.model.entities[object.entityIndex]
        guard let property = entity.property(named: key) else { throw unknownKey(key, of: entity.name) }
        switch try layout.storage(of: entity.index).properties[property.index] {
        case .none:
            throw unsupported("\(entity.name).\(key), which the store does not hold")
        case .attribute(let column):
            let alias = try row(of: object)
            let table = try layout.storage(of: object.entityIndex).table
            var scalar = try self.column(column, of: alias, in: table)
            scalar.row = (table, .sql("\(name: alias).Z_PK"))
            walk.element = .scalar(scalar)
        case .composite(let leaves):
            walk.element = .composite(
                leaves, alias: try row(of: object), table: try layout.storage(of: object.entityIndex).table)
        case .toOne(let columns):
            let key = try cell(
                columns.key, .toOne, of: try row(of: object), in: try layout.storage(of: object.entityIndex).table)
            walk.element = .object(
                SQLObject(entityIndex: columns.destinationIndex, key: key, alias: nil, scope: object.scope))
        case .toMany(let link):
            let scope = walk.collection?.scope ?? SQLScope()
            let alias = makeAlias()
            let isMember = SQLFragment.sql("\(name: alias).\(name: link.key) = \(object.key)")
            add(link.table, alias, to: scope, on: try onlyObjects(of: link.destinationIndex, alias, isMember))
            let member = SQLObject(
                entityIndex: link.destinationIndex, key: .sql("\(name: alias).Z_PK"), alias: alias, scope: scope)
            enter(
                member, property, position: link.order.map { .sql("\(name: alias).\(name: $0)") }, from: object, &walk)
        case .manyToMany(let join):
            let scope = walk.collection?.scope ?? SQLScope()
            let alias = makeAlias()
            let member = try member(of: join, alias, owner: object.key, in: scope)
            enter(
                member, property, position: join.memberOrder.map { .sql("\(name: alias).\(name: $0)") }, from: object,
                &walk)
        }
    }

    /// Continues with the members of a to-many relationship. Only the members of a single object
    /// can have an order.
    private func enter(
        _ member: SQLObject, _ property: PropertyDescription, position: SQLFragment?, from owner: SQLObject,
        _ walk: inout Walk
    ) {
        var order: [SQLFragment]?
        if walk.collection == nil, property.relationship?.isOrdered == true {
            order = (position.map { [.sql("\($0) IS NULL"), $0] } ?? []) + [member.key]
        }
        walk.collection = SQLCollection(
            scope: member.scope, element: .object(member), order: order, outer: walk.collection?.outer ?? owner.scope)
        walk.element = .object(member)
    }

    private func member(of join: JoinTable, _ alias: String, owner: SQLFragment, in scope: SQLScope) throws -> SQLObject
    {
        guard join.isReflexive else {
            add(join.table, alias, to: scope, on: .sql("\(name: alias).\(name: join.ownerColumn) = \(owner)"))
            let key = SQLFragment.sql("\(name: alias).\(name: join.memberColumn)")
            let members = try layout.storage(of: join.destinationIndex)
            if try has(.links(join: join.table, member: join.memberColumn, table: members.table))
                || hasStrangers(join.destinationIndex)
            {
                let row = makeAlias()
                add(
                    members.table, row, to: scope,
                    on: try onlyObjects(of: join.destinationIndex, row, .sql("\(name: row).Z_PK = \(key)")))
                return SQLObject(
                    entityIndex: join.destinationIndex, key: .sql("\(name: row).Z_PK"), alias: row, scope: scope)
            }
            return SQLObject(entityIndex: join.destinationIndex, key: key, alias: nil, scope: scope)
        }
        // A pair has one row, in either order of its columns.
        let forward = SQLFragment.sql(
            "SELECT \(name: join.memberColumn) FROM \(name: join.table) WHERE \(name: join.ownerColumn) = \(owner)")
        let backward = SQLFragment.sql(
            "SELECT \(name: join.ownerColumn) FROM \(name: join.table) WHERE \(name: join.memberColumn) = \(owner)")
        let table = try layout.storage(of: join.destinationIndex).table
        add(
            table, alias, to: scope,
            on: try onlyObjects(
                of: join.destinationIndex, alias, .sql("\(name: alias).Z_PK IN (\(forward) UNION \(backward))")))
        return SQLObject(
            entityIndex: join.destinationIndex, key: .sql("\(name: alias).Z_PK"), alias: alias, scope: scope)
    }

    private func add(_ table: String, _ alias: String, to scope: SQLScope, on condition: SQLFragment) {
        if scope.tables.isEmpty {
            scope.tables.append(.sql("\(name: table) \(name: alias)"))
            scope.conditions.append(condition)
        } else {
            scope.tables.append(.sql("JOIN \(name: table) \(name: alias) ON \(condition)"))
        }
    }

    /// The alias of the table with the object's row. The table is joined if necessary.
    func row(of object: SQLObject) throws -> String {
        if let alias = object.alias ?? object.scope.aliases[object.key] { return alias }
        let table = try layout.storage(of: object.entityIndex).table
        let alias = makeAlias()
        let isRow = try onlyObjects(of: object.entityIndex, alias, .sql("\(name: alias).Z_PK = \(object.key)"))
        object.scope.tables.append(.sql("LEFT JOIN \(name: table) \(name: alias) ON \(isRow)"))
        object.scope.aliases[object.key] = alias
        return alias
    }

    private func column(_ column: AttributeColumn, of alias: String, in table: String) throws -> SQLScalar {
        let plain = SQLFragment.sql("\(name: alias).\(name: column.name)")
        let sql = try cell(column.name, CellReader.Kind(column), of: alias, in: table)
        return SQLScalar(sql: sql, kind: SQLKind(column), isColumn: sql == plain, attribute: column)
    }

    /// The value of a column as it is read. Where a column has cells of other types, a function
    /// that applies the rules of reading takes its place, and indexes are not used.
    private func cell(_ column: String, _ kind: CellReader.Kind, of alias: String, in table: String) throws
        -> SQLFragment
    {
        let plain = SQLFragment.sql("\(name: alias).\(name: column)")
        guard try has(.cells(table: table, column: column, kind)) else { return plain }
        return Irregularity.regular(plain, kind)
    }

    // MARK: Rows that are no objects

    /// Whether the table of an entity has rows of no entity of its hierarchy.
    func hasStrangers(_ entityIndex: Int) throws -> Bool {
        let storage = try layout.storage(of: entityIndex)
        guard storage.sharesTable else { return false }
        return try has(.strangers(table: storage.table, numbers: numbers(ofHierarchyOf: entityIndex)))
    }

    private func numbers(ofHierarchyOf entityIndex: Int) -> [Int64] {
        layout.numbers(of: layout.model.entities[entityIndex].rootIndex, includingSubentities: true)
    }

    /// A condition on the rows of an entity's table, for those that are objects.
    private func onlyObjects(of entityIndex: Int, _ alias: String, _ condition: SQLFragment) throws -> SQLFragment {
        guard try hasStrangers(entityIndex) else { return condition }
        let numbers = SQLValueList.fragment(keys: numbers(ofHierarchyOf: entityIndex))
        return .sql("\(condition) AND \(name: alias).Z_ENT IN \(numbers)")
    }

    // MARK: Elements

    /// `e[FIRST]`, `e[LAST]`, `e[n]`: nil if there is no such element.
    func element(_ index: QueryExpression.Index, of operand: SQLOperand) throws -> SQLScalar {
        let place = try place(index)
        switch operand {
        case .collection(let collection): return try element(place, of: collection)
        case .constants(let values):
            guard let offset = place.isReversed ? values.count - 1 : place.offset, values.indices.contains(offset)
            else { return try constant(.null) }
            return try constant(values[offset])
        case .list(let elements):
            guard let offset = place.isReversed ? elements.count - 1 : place.offset, elements.indices.contains(offset)
            else { return try constant(.null) }
            return elements[offset]
        case .scalar: throw typeError("Only a collection has elements")
        }
    }

    /// The position of an element, counted from the front or, for the last one, from the back. The
    /// offset is nil if there can't be such an element.
    private func place(_ index: QueryExpression.Index) throws -> (offset: Int?, isReversed: Bool) {
        switch index {
        case .first: return (0, false)
        case .last: return (0, true)
        case .size: throw unsupported("[SIZE] of what is no path")
        case .at(let expression):
            let position = try single(expression)
            guard let constant = position.constant else {
                throw unsupported("an element at a place that is computed, \(expression)")
            }
            guard let number = ScalarRules.double(constant), number >= 0 else { return (nil, false) }
            return (Int(exactly: number.rounded(.towardZero)), false)
        }
    }

    private func element(_ place: (offset: Int?, isReversed: Bool), of collection: SQLCollection) throws -> SQLScalar {
        guard let order = collection.order else {
            throw typeError("A collection without an order has no element at a place")
        }
        var result = try scalar(collection.element)
        let direction = place.isReversed ? SQLFragment.sql(" DESC") : .sql("")
        let terms = order.map { SQLFragment.sql("\($0)\(direction)") }.joined(", ")
        let rows = select(result.sql, from: collection.scope)
        let window = SQLFragment.sql(
            "LIMIT \(value: .integer(place.offset == nil ? 0 : 1)) OFFSET \(value: .integer(Int64(place.offset ?? 0)))")
        result.sql = .sql("(\(rows) ORDER BY \(terms) \(window))")
        result.isColumn = false
        if let object = result.object {
            result.object = SQLObject(
                entityIndex: object.entityIndex, key: result.sql, alias: nil, scope: collection.outer)
        }
        return result
    }

    /// The SQL value of an element: the key of an object; for a composite an expression that is
    /// NULL if all leaves are NULL.
    func scalar(_ element: SQLElement) throws -> SQLScalar {
        switch element {
        case .scalar(let scalar): return scalar
        case .object(let object):
            let root = layout.model.entities[object.entityIndex].rootIndex
            return SQLScalar(sql: object.key, kind: .object(root: root), isColumn: true, object: object)
        case .composite(let leaves, let alias, let table):
            let columns = try leaves.map {
                try cell($0.column.name, CellReader.Kind($0.column), of: alias, in: table)
            }
            return SQLScalar(
                sql: columns.count == 1 ? columns[0] : .sql("COALESCE(\(columns.joined(", ")))"), kind: .opaque)
        }
    }

    private func unknownKey(_ key: String, of owner: String) -> QueryError {
        QueryError(.unknownKey, "\(owner) has no property \"\(key)\"", entity: owner, key: key)
    }
}
