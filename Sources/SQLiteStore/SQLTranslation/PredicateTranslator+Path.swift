import Query
import Schema
import SQLiteKit

// Key paths: columns, joins over to-one relationships, sub-selects over to-many ones.
extension PredicateTranslator {
    /// Where a path has come to, and the collection it runs through if it has passed a to-many relationship.
    private struct Walk {
        var element: SQLElement
        var scope: SQLScope?
    }

    func path(base: QueryExpression?, components: [String]) throws -> SQLOperand {
        var walk = Walk(element: .object(object))
        if let base {
            switch base {
            case .evaluatedObject: break
            case .variable(let name): walk.element = try variable(name)
            default:
                switch try operand(base) {
                case .collection(let collection): walk = Walk(element: collection.element, scope: collection.scope)
                case .scalar(let scalar):
                    guard let object = scalar.object else { throw unsupported("a key of \(base)") }
                    walk.element = .object(object)
                case .constants, .list: throw unsupported("a key of a list")
                }
            }
        }
        guard let place = components.firstIndex(where: { $0.hasPrefix("@") }) else {
            for key in components { try step(&walk, key) }
            if let scope = walk.scope { return .collection(SQLCollection(scope: scope, element: walk.element)) }
            return .scalar(try scalar(walk.element))
        }
        for key in components[..<place] { try step(&walk, key) }
        guard let function = QueryFunction(collectionOperator: components[place]), let scope = walk.scope else {
            throw unsupported(components.joined(separator: "."))
        }
        for key in components[(place + 1)...] { try step(&walk, key) }
        guard walk.scope === scope else { throw unsupported("a to-many relationship behind \(components[place])") }
        return .scalar(try aggregate(function, SQLCollection(scope: scope, element: walk.element)))
    }

    func variable(_ name: String) throws -> SQLElement {
        guard let element = variables[name] else { throw QueryError(.unboundVariable, "The variable $\(name) has no value", key: name) }
        return element
    }

    private func step(_ walk: inout Walk, _ key: String) throws {
        switch walk.element {
        case .object(let object): try step(&walk, key, from: object)
        case .composite(let leaves, let alias):
            let rest = leaves.filter { $0.path.first == key }
            guard let first = rest.first else { throw unknownKey(key, of: "the composite") }
            if first.path.count == 1 {
                walk.element = .scalar(column(first.column, of: alias))
            } else {
                walk.element = .composite(rest.map { CompositeLeaf(path: Array($0.path.dropFirst()), column: $0.column) }, alias: alias)
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
            walk.element = .scalar(self.column(column, of: try row(of: object)))
        case .composite(let leaves):
            walk.element = .composite(leaves, alias: try row(of: object))
        case .toOne(let columns):
            let key = SQLFragment.sql("\(name: try row(of: object)).\(name: columns.key)")
            walk.element = .object(SQLObject(entityIndex: columns.destinationIndex, key: key, alias: nil, scope: object.scope))
        case .toMany(let link):
            let scope = walk.scope ?? SQLScope()
            let alias = makeAlias()
            add(link.table, alias, to: scope, on: .sql("\(name: alias).\(name: link.key) = \(object.key)"))
            walk.scope = scope
            walk.element = .object(SQLObject(entityIndex: link.destinationIndex, key: .sql("\(name: alias).Z_PK"), alias: alias, scope: scope))
        case .manyToMany(let join):
            let scope = walk.scope ?? SQLScope()
            walk.scope = scope
            walk.element = .object(try member(of: join, owner: object.key, in: scope))
        }
    }

    private func member(of join: JoinTable, owner: SQLFragment, in scope: SQLScope) throws -> SQLObject {
        let alias = makeAlias()
        guard join.isReflexive else {
            add(join.table, alias, to: scope, on: .sql("\(name: alias).\(name: join.ownerColumn) = \(owner)"))
            let key = SQLFragment.sql("\(name: alias).\(name: join.memberColumn)")
            return SQLObject(entityIndex: join.destinationIndex, key: key, alias: nil, scope: scope)
        }
        // A pair has one row, whichever of the two stands where.
        let forward = SQLFragment.sql("SELECT \(name: join.memberColumn) FROM \(name: join.table) WHERE \(name: join.ownerColumn) = \(owner)")
        let backward = SQLFragment.sql("SELECT \(name: join.ownerColumn) FROM \(name: join.table) WHERE \(name: join.memberColumn) = \(owner)")
        let table = try layout.storage(of: join.destinationIndex).table
        add(table, alias, to: scope, on: .sql("\(name: alias).Z_PK IN (\(forward) UNION \(backward))"))
        return SQLObject(entityIndex: join.destinationIndex, key: .sql("\(name: alias).Z_PK"), alias: alias, scope: scope)
    }

    private func add(_ table: String, _ alias: String, to scope: SQLScope, on condition: SQLFragment) {
        if scope.tables.isEmpty {
            scope.tables.append(.sql("\(name: table) \(name: alias)"))
            scope.conditions.append(condition)
        } else {
            scope.tables.append(.sql("JOIN \(name: table) \(name: alias) ON \(condition)"))
        }
    }

    /// The table that holds the row of an object, joined where it is not there yet.
    func row(of object: SQLObject) throws -> String {
        if let alias = object.alias ?? object.scope.aliases[object.key] { return alias }
        let table = try layout.storage(of: object.entityIndex).table
        let alias = makeAlias()
        object.scope.tables.append(.sql("LEFT JOIN \(name: table) \(name: alias) ON \(name: alias).Z_PK = \(object.key)"))
        object.scope.aliases[object.key] = alias
        return alias
    }

    private func column(_ column: AttributeColumn, of alias: String) -> SQLScalar {
        SQLScalar(sql: .sql("\(name: alias).\(name: column.name)"), kind: SQLKind(column), isColumn: true)
    }

    /// The value of an element: of an object its key, of a composite something that is NULL where all its leaves are.
    func scalar(_ element: SQLElement) throws -> SQLScalar {
        switch element {
        case .scalar(let scalar): return scalar
        case .object(let object):
            let root = layout.model.entities[object.entityIndex].rootIndex
            return SQLScalar(sql: object.key, kind: .object(root: root), isColumn: true, object: object)
        case .composite(let leaves, let alias):
            let columns = leaves.map { SQLFragment.sql("\(name: alias).\(name: $0.column.name)") }
            return SQLScalar(sql: columns.count == 1 ? columns[0] : .sql("COALESCE(\(columns.joined(", ")))"), kind: .opaque)
        }
    }

    private func unknownKey(_ key: String, of owner: String) -> QueryError {
        QueryError(.unknownKey, "\(owner) has no property \"\(key)\"", entity: owner, key: key)
    }
}
