import Schema
import SQLiteKit
import Storage

/// Checks the rows of a store, before it is migrated, against what the new version allows.
///
/// Only what the new version demands and the old one did not is checked: rows that break a rule of
/// both versions stay as they are. Nothing is written. Time: one pass over the rows of an entity
/// for all its attributes, and one query for each relationship that becomes narrower; none if the
/// new version demands nothing more.
struct RowCheck {
    /// One rule that objects break.
    struct Violation {
        let entity: String
        let message: String
    }

    let plan: MigrationPlan
    let builder: MigrationBuilder
    let connection: Connection
    /// The properties with whose rules those of the new version are compared.
    let former: FormerProperties
    /// Whether the rules of the model are checked, too. Otherwise only what the tables of the new
    /// version can't represent.
    let checksRules: Bool

    /// The greatest number of violations that an error names.
    private static let shown = 20

    /// - Throws: `StorageError` `invalidObjects`, naming each rule with an object that breaks it.
    func run() throws {
        var found: [Violation] = []
        for entity in plan.destination.entities {
            guard let step = plan.steps[entity.index], let storage = builder.old[step.sourceIndex] else { continue }
            if entity.isAbstract, !plan.source.entities[step.sourceIndex].isAbstract {
                found += try emptinessViolations(entity, storage)
                continue
            }
            found += try valueViolations(entity, storage)
        }
        for entity in plan.destination.entities {
            for property in entity.properties
            where property.declaringEntityIndex == entity.index && !property.isTransient
                && property.relationship != nil
            {
                found += try linkViolations(property, of: entity)
            }
        }
        guard let first = found.first else { return }
        var names: [String] = []
        for violation in found where !names.contains(violation.entity) { names.append(violation.entity) }
        let rest = found.count - Self.shown
        let lines = found.prefix(Self.shown).map(\.message) + (rest > 0 ? ["and \(rest) more"] : [])
        throw StorageError(
            .invalidObjects,
            found.count == 1
                ? first.message
                : "objects break \(found.count) rules of the new version: " + lines.joined(separator: "; "),
            entities: names)
    }

    func rows(of storage: EntityStorage) -> String {
        storage.sharesTable ? "Z_ENT = \(storage.number)" : "true"
    }

    /// The name of an object in the old store, such as `Member/p1`.
    func name(_ key: Int64, in table: String) -> String {
        let number = (try? connection.value("SELECT Z_ENT FROM \(SQLName.quoted(table)) WHERE Z_PK = \(key)"))??.integer
        let index = number.flatMap { builder.old.entityIndex(number: $0) }
        return "\(index.map { plan.source.entities[$0].name } ?? table)/p\(key)"
    }

    /// ` (Member/p1)`, or the number of the objects and one of them.
    func example(_ count: Int64, _ key: Int64, in table: String) -> String {
        count == 1 ? " (\(name(key, in: table)))" : " (\(count) objects, such as \(name(key, in: table)))"
    }

    static func objects(_ count: Int64) -> String { count == 1 ? "1 object has" : "\(count) objects have" }

    /// An entity that becomes abstract must have no objects of its own.
    private func emptinessViolations(_ entity: EntityDescription, _ storage: EntityStorage) throws -> [Violation] {
        let row = try connection.rows(
            "SELECT count(*), min(Z_PK) FROM \(SQLName.quoted(storage.table)) WHERE \(rows(of: storage))")
        guard let count = row.first?[0].integer, count > 0, let key = row.first?[1].integer else { return [] }
        return [
            Violation(
                entity: entity.name,
                message:
                    "\(entity.name) is abstract in the new version, but the store holds \(count) objects of it, such as \(name(key, in: storage.table)): migrate them to a sub-entity by a mapping model"
            )
        ]
    }
}
