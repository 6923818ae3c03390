import Query
import Schema
import Storage

/// Drops all triggers before rows move. Afterwards it creates the triggers of the new version's
/// derived attributes, and restores other triggers that still fit.
struct MigratedTriggers {
    let removing: [MigrationStep]
    private(set) var restoring: [MigrationStep] = []

    /// - Throws: `StorageError.unsupported` if a trigger that Folio does not understand no longer
    ///   fits.
    init(_ triggers: [StoreCatalog.Trigger], _ builder: MigrationBuilder, changes: [TableChange]) throws {
        let derived = try StoreSchema(builder.new).derivedTriggers()
        removing = triggers.map {
            MigrationStep(.schema, "drop the trigger \($0.name)", "DROP TRIGGER \(SQLName.quoted($0.name))")
        }
        for trigger in triggers where !Self.isReplaced(trigger, builder) {
            let words = Self.words(of: trigger.statement)
            let attributes = builder.old.storedEntities.filter { words.contains($0.table) }.flatMap { storage in
                builder.plan.source.entities[storage.entityIndex].attributes.filter {
                    $0.isDerived && words.contains($0.name)
                }.map { (storage, $0) }
            }
            // A Core Data trigger is not needed without its attribute.
            let isWanted =
                trigger.name.hasPrefix("Z_DA_") == false
                || attributes.contains { storage, attribute in
                    guard let image = builder.plan.destinationIndices[storage.entityIndex] else { return false }
                    return builder.plan.destination.entities[image].attributesByName[attribute.name]?
                        .derivationExpression == attribute.derivationExpression
                }
            guard isWanted else { continue }
            guard Self.fits(words, builder, changes) else {
                let entities = Set(attributes.map { builder.plan.source.entities[$0.0.entityIndex].name })
                throw StorageError(
                    .unsupported,
                    "The trigger \(trigger.name) would have to be written anew, since tables or columns that it names change",
                    entities: entities.sorted())
            }
            restoring.append(MigrationStep(.schema, "restore the trigger \(trigger.name)", trigger.statement))
        }
        for triggers in derived {
            restoring += triggers.definitions.map {
                MigrationStep(.schema, "make the trigger \($0.name)", $0.statement)
            }
        }
        // The triggers exist by then, so a value derived from another derived value follows its
        // update.
        for triggers in derived where !Self.isKept(triggers.derivation, builder) {
            restoring.append(
                MigrationStep(.rows, "compute \(triggers.title)", triggers.refreshing, table: triggers.tableName))
        }
    }

    /// Whether the trigger belongs to a supported derived attribute. It is then created anew, or
    /// dropped with its attribute.
    private static func isReplaced(_ trigger: StoreCatalog.Trigger, _ builder: MigrationBuilder) -> Bool {
        guard trigger.name.hasPrefix("Z_DA_"), let derivations = try? Derivation.all(in: builder.plan.source) else {
            return false
        }
        return derivations.contains {
            trigger.name.contains("_\(builder.plan.source.entities[$0.entityIndex].name)_\($0.property.name)_")
        }
    }

    /// Whether an attribute was derived in the same way before, so that its values are up to date.
    private static func isKept(_ derivation: Derivation, _ builder: MigrationBuilder) -> Bool {
        guard
            let former = builder.formerStorage(
                entityIndex: derivation.entityIndex, propertyIndex: derivation.property.index)?.property.attribute
        else { return false }
        return former.derivationExpression == derivation.property.attribute?.derivationExpression
            && former.type == derivation.property.attribute?.type
    }

    /// Whether every table and column that a trigger names keeps its name and its meaning.
    private static func fits(_ words: Set<String>, _ builder: MigrationBuilder, _ changes: [TableChange]) -> Bool {
        let tables = builder.old.storedEntities.map(\.table).filter(words.contains)
        for table in Set(tables) {
            guard
                let change = changes.first(where: {
                    $0.source?.name == table && $0.definition.name == table && !$0.sharesSource
                }), change.renumbering.isEmpty
            else {
                return false
            }
            for column in change.source?.columns ?? []
            where words.contains(column) && !["Z_PK", "Z_ENT", "Z_OPT"].contains(column) {
                let owners = change.rows.filter { $0.formerColumns.contains(SQLName.key(column)) }
                guard owners.allSatisfy({ $0.cells[SQLName.key(column)] == .column(column) }) else { return false }
            }
        }
        let joins = builder.old.storedEntities.flatMap(\.properties).compactMap { property -> String? in
            if case .manyToMany(let join) = property { join.table } else { nil }
        }
        return !joins.contains(where: words.contains)
    }

    private static func words(of statement: String) -> Set<String> {
        Set(statement.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    }
}
