import Schema
import SQLiteKit
import Storage

/// Checks that every row fits the new version, where the plan can't tell.
extension StoreMigration {
    /// - Throws: `StorageError` `unmigratable`, naming an object that does not fit the new version.
    func checkRows() throws {
        let old = try StoreLayout.reading(plan.source, from: try StoreCatalog.read(from: connection))
        for entity in plan.destination.entities {
            guard let step = plan.steps[entity.index], let storage = old[step.sourceIndex] else { continue }
            if entity.isAbstract, !plan.source.entities[step.sourceIndex].isAbstract {
                try checkIsEmpty(entity, storage)
            }
            for property in entity.properties {
                guard case .property(let place) = step.origins[property.index] else { continue }
                let former = plan.source.entities[step.sourceIndex].properties[place]
                try checkRange(of: property, entity, formerly: former, storage)
                if case .manyToMany(let join) = storage.properties[place], !property.isToMany {
                    try checkIsSingle(entity, property, join.ownerColumn, in: join, of: storage)
                } else if case .manyToMany(let join) = storage.properties[place],
                    let inverse = plan.destination.inverse(of: property), !inverse.isToMany
                {
                    try checkIsSingle(
                        plan.destination.entities[property.destinationIndex], inverse, join.memberColumn, in: join,
                        of: nil)
                }
            }
        }
    }

    private func rows(of storage: EntityStorage) -> String {
        storage.sharesTable ? "Z_ENT = \(storage.number)" : "true"
    }

    /// Checks that an entity that becomes abstract has no objects of its own.
    private func checkIsEmpty(_ entity: EntityDescription, _ storage: EntityStorage) throws {
        let count =
            try connection.value("SELECT count(*) FROM \(SQLName.quoted(storage.table)) WHERE \(rows(of: storage))")?
            .integer ?? 0
        guard count > 0 else { return }
        throw StorageError(
            .unmigratable,
            "\(entity.name) is abstract in the new version, but the store holds \(count) objects of it: migrate them to a sub-entity by a mapping model",
            entities: [entity.name])
    }

    // MARK: Values

    /// Checks that each number can be represented in the attribute's new type.
    private func checkRange(
        of property: PropertyDescription, _ entity: EntityDescription, formerly former: PropertyDescription,
        _ storage: EntityStorage
    ) throws {
        guard let attribute = property.attribute, let old = former.attribute else { return }
        switch storage.properties[former.index] {
        case .attribute(let column):
            try checkRange(of: attribute.type, formerly: old.type, column.name, entity, property.name, storage)
        case .composite(let leaves):
            for leaf in leaves {
                guard let type = part(of: attribute, at: leaf.path)?.type else { continue }
                try checkRange(
                    of: type, formerly: leaf.column.type, leaf.column.name, entity,
                    ([property.name] + leaf.path).joined(separator: "."), storage)
            }
        case .none, .toOne, .toMany, .manyToMany: return
        }
    }

    private func part(of attribute: AttributeDescription, at path: [String]) -> AttributeDescription? {
        path.reduce(attribute) { part, name in
            part.flatMap { plan.destination.composite(of: $0) }?.attributes.first { $0.name == name }
        }
    }

    private func checkRange(
        of type: AttributeType, formerly old: AttributeType, _ column: String, _ entity: EntityDescription,
        _ name: String,
        _ storage: EntityStorage
    ) throws {
        guard let condition = unfitCondition(type, formerly: old, column) else { return }
        let cell = SQLName.quoted(column)
        let found = try connection.rows(
            "SELECT Z_PK, \(cell), count(*) OVER () FROM \(SQLName.quoted(storage.table)) WHERE \(rows(of: storage)) AND \(condition) LIMIT 1"
        )
        guard let first = found.first, let key = first[0].integer else { return }
        throw StorageError(
            .unmigratable,
            "\(entity.name).\(name) becomes \(type.name), but \(Self.objects(first[2].integer ?? 1)) a value that does not fit, such as \(entity.name)/p\(key) with \(Self.text(first[1]))",
            entities: [entity.name])
    }

    /// The condition for cells that the new type can't represent; nil if it can represent all.
    private func unfitCondition(_ type: AttributeType, formerly old: AttributeType, _ column: String) -> String? {
        let cell = SQLName.quoted(column)
        if NumberConversion.isNeeded(from: old, to: type) {
            return "\(cell) IS NOT NULL AND \(NumberConversion.expression(column, type)) IS NULL"
        }
        guard let range = type.storedRange, let former = old.storedRange,
            !(range.lowerBound <= former.lowerBound && range.upperBound >= former.upperBound)
        else { return nil }
        return "\(cell) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }

    private static func text(_ value: SQLiteValue) -> String {
        value.integer.map(String.init) ?? value.real.map { "\($0)" } ?? "another type"
    }

    // MARK: Links

    /// Checks that a join table has at most one pair for each owner of a new to-one relationship.
    private func checkIsSingle(
        _ entity: EntityDescription, _ property: PropertyDescription, _ column: String, in join: JoinTable,
        of storage: EntityStorage?
    ) throws {
        let owner = SQLName.quoted(column)
        let own =
            storage.flatMap {
                $0.sharesTable
                    ? " AND \(owner) IN (SELECT Z_PK FROM \(SQLName.quoted($0.table)) WHERE \(rows(of: $0)))" : nil
            } ?? ""
        let found = try connection.rows(
            "SELECT \(owner), count(*), count(*) OVER () FROM \(SQLName.quoted(join.table)) WHERE \(owner) IS NOT NULL\(own) GROUP BY \(owner) HAVING count(*) > 1 LIMIT 1"
        )
        guard let first = found.first, let key = first[0].integer, let count = first[1].integer else { return }
        throw StorageError(
            .unmigratable,
            "\(entity.name).\(property.name) becomes to-one, but \(Self.objects(first[2].integer ?? 1)) several objects, such as \(entity.name)/p\(key) with \(count): nothing says which remains",
            entities: [entity.name])
    }

    private static func objects(_ count: Int64) -> String { count == 1 ? "1 object has" : "\(count) objects have" }
}
