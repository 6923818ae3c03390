import Query
import Schema
import Storage

/// A trigger of a store.
struct TriggerDefinition: Hashable {
    let name: String
    let statement: String
}

/// The triggers that keep one derived attribute (CoreDataFiles, Derived attributes), and the
/// statement that computes it for all objects.
///
/// A count of members that hold their owner's key goes up and down with them, spelled as Core Data
/// spells it; so does a sum of whole numbers. Anything else is computed anew for the owners that a
/// change concerns: a sum of fractions would drift.
struct DerivedTriggers {
    /// The column's own table: where the owner is.
    private let owner: EntityStorage
    private let column: String
    let derivation: Derivation
    /// The to-one relationships on the way, each with the column of its key and the table that it
    /// leads to.
    private let steps: [(key: String, table: String)]
    private let form: Form
    /// The entities whose objects have the attribute; nil where all of the table's have it.
    private let numbers: [Int64]?
    private let attributeName: String
    private let entityName: String

    private enum Form {
        case now
        case copy(column: String, function: QueryFunction?)
        case members(ToManyKey, Aggregate)
        case linked(JoinTable, table: String, Aggregate)
    }

    private struct Aggregate {
        let function: QueryFunction
        /// The members' column, nil for a count.
        let column: String?
        let isWhole: Bool
    }

    /// Nil where the store does not hold all that the value is made of.
    init?(_ derivation: Derivation, _ layout: StoreLayout) {
        let entity = layout.model.entities[derivation.entityIndex]
        guard let owner = layout[entity.index],
            case .attribute(let column) = owner.properties[derivation.property.index]
        else { return nil }
        var steps: [(key: String, table: String)] = []
        for step in derivation.steps {
            guard case .toOne(let columns)? = layout[step.declaringEntityIndex]?.properties[step.index],
                let destination = layout[columns.destinationIndex]
            else { return nil }
            steps.append((columns.key, destination.table))
        }
        guard let form = Self.form(derivation, layout) else { return nil }
        self.owner = owner
        self.column = column.name
        self.derivation = derivation
        self.steps = steps
        self.form = form
        attributeName = derivation.property.name
        entityName = entity.name
        numbers =
            entity.family.count == layout.model.entities[entity.rootIndex].family.count
            ? nil : layout.numbers(of: entity.index, includingSubentities: true)
    }

    private static func form(_ derivation: Derivation, _ layout: StoreLayout) -> Form? {
        switch derivation.form {
        case .now: return .now
        case .copy(let source, let function):
            guard case .attribute(let column)? = layout[source.declaringEntityIndex]?.properties[source.index] else {
                return nil
            }
            return .copy(column: column.name, function: function)
        case .aggregate(let function, let relation, let source):
            var column: String?
            if let source {
                guard case .attribute(let found)? = layout[source.declaringEntityIndex]?.properties[source.index] else {
                    return nil
                }
                column = found.name
            }
            let isWhole =
                source?.attribute?.type.isInteger == true && derivation.property.attribute?.type.isInteger == true
            let aggregate = Aggregate(function: function, column: column, isWhole: isWhole)
            switch layout[relation.declaringEntityIndex]?.properties[relation.index] {
            case .toMany(let key): return .members(key, aggregate)
            case .manyToMany(let join):
                guard let members = layout[join.destinationIndex] else { return nil }
                return .linked(join, table: members.table, aggregate)
            default: return nil
            }
        }
    }

    // MARK: Values

    /// Computes the attribute of all objects.
    var refreshing: String {
        "UPDATE \(table) SET \(quoted(column)) = \(value)" + (numbers.map { " WHERE Z_ENT IN (\(list($0)))" } ?? "")
    }

    /// The name of the table with the column that `refreshing` sets, as the file spells it.
    var tableName: String { owner.table }
    /// For a person to read.
    var title: String { "\(entityName).\(attributeName)" }

    private var table: String { quoted(owner.table) }

    /// The value for a row of the owner's table, in a statement that updates it.
    private var value: String {
        guard let first = steps.first else { return terminal(table) }
        var from = "\(quoted(first.table)) t1"
        for (index, step) in steps.enumerated().dropFirst() {
            from += " JOIN \(quoted(step.table)) t\(index + 1) ON t\(index + 1).Z_PK = t\(index).\(quoted(step.key))"
        }
        let found = "(SELECT \(terminal("t\(steps.count)")) FROM \(from) WHERE t1.Z_PK = \(table).\(quoted(first.key)))"
        return isCounted ? "IFNULL(\(found), 0)" : found
    }

    /// Whether no members make 0, not nothing.
    private var isCounted: Bool {
        switch form {
        case .members(_, let aggregate), .linked(_, _, let aggregate):
            aggregate.function == .count || aggregate.function == .sum
        case .now, .copy: false
        }
    }

    /// The value of a row at the end of the steps.
    private func terminal(_ row: String) -> String {
        switch form {
        case .now: return "NSCoreDataNow()"
        case .copy(let column, let function):
            let cell = "\(row).\(quoted(column))"
            return function.map { "\(TriggerFunctions.name(of: $0))(\(cell))" } ?? cell
        case .members(let key, let aggregate):
            return
                "(SELECT \(expression(aggregate, rows: "m", counting: "m.\(quoted(key.key))")) FROM \(quoted(key.table)) m WHERE m.\(quoted(key.key)) = \(row).Z_PK)"
        case .linked(let join, let members, let aggregate):
            let (owner, member) = ("j.\(quoted(join.ownerColumn))", "j.\(quoted(join.memberColumn))")
            let condition =
                join.isReflexive ? "\(owner) = \(row).Z_PK OR \(member) = \(row).Z_PK" : "\(owner) = \(row).Z_PK"
            let other = join.isReflexive ? "CASE WHEN \(owner) = \(row).Z_PK THEN \(member) ELSE \(owner) END" : member
            let source = aggregate.column == nil ? "" : " JOIN \(quoted(members)) m ON m.Z_PK = \(other)"
            return
                "(SELECT \(expression(aggregate, rows: "m", counting: "*")) FROM \(quoted(join.table)) j\(source) WHERE \(condition))"
        }
    }

    private func expression(_ aggregate: Aggregate, rows: String, counting: String) -> String {
        let cell = aggregate.column.map { "\(rows).\(quoted($0))" } ?? counting
        return switch aggregate.function {
        case .sum: "IFNULL(SUM(\(cell)), 0)"
        case .min: "MIN(\(cell))"
        case .max: "MAX(\(cell))"
        case .average: "AVG(\(cell))"
        default: "IFNULL(COUNT(\(cell)), 0)"
        }
    }

    // MARK: Triggers

    /// Whether a trigger keeps this attribute, by the name that Core Data would give it.
    func isTrigger(named name: String) -> Bool {
        name.hasPrefix("Z_DA_") && name.contains("_\(entityName)_\(attributeName)_")
    }

    var definitions: [TriggerDefinition] {
        var all: [TriggerDefinition] = []
        switch form {
        case .now:
            // A copy of a store brings the times along.
            all.append(
                trigger(
                    "INSERT", on: owner.table, "INSERT", when: "NEW.\(quoted(column)) IS NULL",
                    owners: "Z_PK = NEW.Z_PK", isInsertion: true))
            all.append(trigger("UPDATE", on: owner.table, "UPDATE OF Z_OPT", owners: "Z_PK = NEW.Z_PK"))
            return all
        case .copy(let source, _):
            all += ownTriggers(sources: steps.isEmpty ? [source] : [])
            all += stepTriggers(sourceColumn: source)
        case .members(let key, let aggregate):
            all += memberTriggers(key, aggregate)
            all += ownTriggers(sources: [])
            all += stepTriggers(sourceColumn: nil)
        case .linked(let join, let members, let aggregate):
            all += ownTriggers(sources: [])
            all += stepTriggers(sourceColumn: nil)
            all += linkTriggers(join, members, aggregate)
        }
        return all
    }

    private func ownTriggers(sources: [String]) -> [TriggerDefinition] {
        var triggers = [
            trigger("SOURCE_INSERT", on: owner.table, "INSERT", owners: "Z_PK = NEW.Z_PK", isInsertion: true)
        ]
        let columns = sources + (steps.first.map { [$0.key] } ?? [])
        if !columns.isEmpty {
            triggers.append(
                trigger("SOURCE_UPDATE", on: owner.table, "UPDATE OF \(list(columns))", owners: "Z_PK = NEW.Z_PK"))
        }
        return triggers
    }

    /// What happens to the rows on the way, the last of which has the value.
    private func stepTriggers(sourceColumn: String?) -> [TriggerDefinition] {
        steps.indices.flatMap { index -> [TriggerDefinition] in
            let depth = index + 1, table = steps[index].table
            var triggers = [
                trigger("STEP\(depth)_INSERT", on: table, "INSERT", owners: owners(at: depth, "NEW.Z_PK")),
                trigger("STEP\(depth)_DELETE", on: table, "DELETE", owners: owners(at: depth, "OLD.Z_PK")),
            ]
            if let next = depth < steps.count ? steps[depth].key : sourceColumn {
                triggers.append(
                    trigger(
                        "STEP\(depth)_UPDATE", on: table, "UPDATE OF \(quoted(next))",
                        owners: owners(at: depth, "NEW.Z_PK")))
            }
            return triggers
        }
    }

    private func memberTriggers(_ key: ToManyKey, _ aggregate: Aggregate) -> [TriggerDefinition] {
        let (new, old) = ("NEW.\(quoted(key.key))", "OLD.\(quoted(key.key))")
        let (comes, goes) = ("\(new) NOT NULL", "\(old) NOT NULL")
        let (newOwners, oldOwners) = (owners(at: steps.count, new), owners(at: steps.count, old))
        let columns = list([key.key] + (aggregate.column.map { [$0] } ?? []))
        var increased: (inserted: String, updated: String)?, decreased: String?
        if steps.isEmpty, let column = aggregate.column.map(quoted), aggregate.function == .sum, aggregate.isWhole {
            let sum = "IFNULL(\(quoted(self.column)), 0)"
            increased = ("\(sum) + IFNULL(NEW.\(column), 0)", "\(sum) + IFNULL(NEW.\(column), 0)")
            decreased = "\(sum) - IFNULL(OLD.\(column), 0)"
        } else if steps.isEmpty, aggregate.function == .count {
            let count = quoted(self.column)
            increased = ("IFNULL(\(count), 0) + 1", "\(count) + 1")
            decreased = "\(count) - 1"
        }
        return [
            trigger(
                "PARAMETER_INSERT", on: key.table, "INSERT", when: comes, owners: newOwners, value: increased?.inserted),
            trigger(
                "PARAMETER_UPDATE_INCREMENT", on: key.table, "UPDATE OF \(columns)", when: comes, owners: newOwners,
                value: increased?.updated),
            trigger(
                "PARAMETER_UPDATE_DECREMENT", on: key.table, "UPDATE OF \(columns)", when: goes, owners: oldOwners,
                value: decreased),
            trigger("PARAMETER_DELETE", on: key.table, "DELETE", when: goes, owners: oldOwners, value: decreased),
        ]
    }

    private func linkTriggers(_ join: JoinTable, _ members: String, _ aggregate: Aggregate) -> [TriggerDefinition] {
        func ends(_ row: String) -> String {
            let columns = join.isReflexive ? [join.ownerColumn, join.memberColumn] : [join.ownerColumn]
            return columns.map { owners(at: steps.count, "\(row).\(quoted($0))") }.joined(separator: " OR ")
        }
        var triggers = [
            trigger("LINK_INSERT", on: join.table, "INSERT", owners: ends("NEW")),
            trigger("LINK_DELETE", on: join.table, "DELETE", owners: ends("OLD")),
        ]
        guard let column = aggregate.column else { return triggers }
        var linked =
            "SELECT \(quoted(join.ownerColumn)) FROM \(quoted(join.table)) WHERE \(quoted(join.memberColumn)) = NEW.Z_PK"
        if join.isReflexive {
            linked +=
                " UNION SELECT \(quoted(join.memberColumn)) FROM \(quoted(join.table)) WHERE \(quoted(join.ownerColumn)) = NEW.Z_PK"
        }
        let linkedOwners = owners(at: steps.count, among: linked)
        triggers.append(trigger("PARAMETER_INSERT", on: members, "INSERT", owners: linkedOwners))
        triggers.append(trigger("PARAMETER_UPDATE", on: members, "UPDATE OF \(quoted(column))", owners: linkedOwners))
        return triggers
    }

    // MARK: Text

    /// The owners whose path leads over a row so many steps away.
    private func owners(at depth: Int, _ key: String) -> String {
        depth == 0 ? "Z_PK = \(key)" : enclosed(depth, "\(quoted(steps[depth - 1].key)) = \(key)")
    }

    private func owners(at depth: Int, among keys: String) -> String {
        depth == 0 ? "Z_PK IN (\(keys))" : enclosed(depth, "\(quoted(steps[depth - 1].key)) IN (\(keys))")
    }

    private func enclosed(_ depth: Int, _ innermost: String) -> String {
        var condition = innermost
        for level in stride(from: depth - 1, to: 0, by: -1) {
            condition =
                "\(quoted(steps[level - 1].key)) IN (SELECT Z_PK FROM \(quoted(steps[level - 1].table)) WHERE \(condition))"
        }
        return condition
    }

    /// - Parameters:
    ///   - owners: which rows of the owner's table the change concerns.
    ///   - value: what they get; nil for the value computed anew.
    private func trigger(
        _ suffix: String, on place: String, _ event: String, when condition: String? = nil, owners: String,
        value: String? = nil, isInsertion: Bool = false
    ) -> TriggerDefinition {
        let name = "Z_DA_\(place)_\(entityName)_\(attributeName)_\(suffix)"
        var conditions = condition.map { [$0] } ?? []
        var affected = owners
        if let numbers {
            if owners == "Z_PK = NEW.Z_PK" {
                conditions.append("NEW.Z_ENT IN (\(list(numbers)))")
            } else {
                affected = "(\(owners)) AND Z_ENT IN (\(list(numbers)))"
            }
        }
        let when = conditions.isEmpty ? "" : "WHEN (\(conditions.joined(separator: " AND "))) "
        let function = isInsertion ? TriggerFunctions.inserted : TriggerFunctions.updated
        let notice =
            "SELECT \(function)(\(SQLName.literal(owner.table)), Z_ENT, Z_PK, \(SQLName.literal(attributeName)), \(quoted(column))) FROM \(table) WHERE \(affected);"
        return TriggerDefinition(
            name: name,
            statement: "CREATE TRIGGER \(quoted(name)) AFTER \(event) ON \(quoted(place)) FOR EACH ROW \(when)BEGIN "
                + "UPDATE \(table) SET \(quoted(column)) = \(value ?? self.value) WHERE \(affected); \(notice) END")
    }

    private func quoted(_ name: String) -> String { SQLName.quoted(name) }
    private func list(_ names: [String]) -> String { names.map(quoted).joined(separator: ", ") }
    private func list(_ numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ", ") }
}

extension StoreSchema {
    /// The triggers of derived attributes, where each is kept with what it is made of.
    /// - Throws: `StorageError` where the model derives an attribute in a way that no store can
    ///   keep.
    func derivedTriggers() throws(StorageError) -> [DerivedTriggers] {
        try Self.derivations(of: layout.model).compactMap { DerivedTriggers($0, layout) }
    }

    func triggers() throws(StorageError) -> [TriggerDefinition] { try derivedTriggers().flatMap(\.definitions) }

    private static func derivations(of model: ManagedObjectModel) throws(StorageError) -> [Derivation] {
        do { return try Derivation.all(in: model) } catch { throw StorageError(underivable: error) }
    }
}
