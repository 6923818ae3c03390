import Foundation
import ModelFiles
import Schema
import SQLiteKit
import Storage

/// Writes the store's bookkeeping: entity numbers, metadata, model cache, history.
extension StoreMigration {
    func writeBookkeeping() throws {
        let new = try StoreLayout.creating(plan.destination, configuration: configuration)
        let numbers = try writeEntityNumbers(new)
        try renumberHistory(numbers)
        try writeMetadata()
        try writeModelCache()
    }

    /// - Returns: the new number by the old one; 0 for removed entities.
    private func writeEntityNumbers(_ new: StoreLayout) throws -> [Int64: Int64] {
        var old: [Int64: (name: String, maximum: Int64)] = [:]
        for row in try connection.rows(
            "SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < \(EntityNumbering.firstHistoryNumber)")
        {
            guard let number = row[0].integer else { continue }
            old[number] = (row[1].text ?? "", row[2].integer ?? 0)
        }
        let catalog = StoreCatalog(
            tables: [],
            entities: try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY").compactMap { row in
                guard let number = row[0].integer, let name = row[1].text else { return nil }
                return StoreCatalog.NumberedEntity(number: number, name: name, parent: row[2].integer ?? 0)
            })
        let formerNumbers = EntityNumbering.stored(for: plan.source, in: catalog)
        var renumbering = Dictionary(uniqueKeysWithValues: formerNumbers.compactMap { $0 }.map { ($0, Int64(0)) })
        try connection.run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(EntityNumbering.firstHistoryNumber)")
        for storage in new.storedEntities {
            let entity = plan.destination.entities[storage.entityIndex]
            let step = plan.steps[storage.entityIndex]
            if let step, let former = formerNumbers[step.sourceIndex],
                plan.destinationIndices[step.sourceIndex] == storage.entityIndex
            {
                renumbering[former] = storage.number
            }
            var maximum: Int64 = 0
            if storage.number == storage.rootNumber {
                // Primary keys are never reused, even if their objects were deleted.
                let roots = Set(
                    entity.family.compactMap { plan.steps[$0] }.compactMap {
                        formerNumbers[plan.source.entities[$0.sourceIndex].rootIndex]
                    })
                let used = try connection.value("SELECT max(Z_PK) FROM \(SQLName.quoted(storage.table))")?.integer ?? 0
                maximum = roots.reduce(used) { max($0, old[$1]?.maximum ?? 0) }
            }
            let parent = entity.superentity.flatMap { new[$0.index]?.number } ?? 0
            try connection.run(
                "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)",
                [.integer(storage.number), .text(entity.name), .integer(parent), .integer(maximum)])
        }
        return renumbering
    }

    /// The history names entities by number. Changes of objects whose entity was removed are
    /// deleted.
    private func renumberHistory(_ numbers: [Int64: Int64]) throws {
        let changed = numbers.filter { $0.key != $0.value }
        guard !changed.isEmpty, let table = try StoredTable.read("ACHANGE", from: connection),
            table.column("ZENTITY") != nil
        else { return }
        let gone = changed.filter { $0.value == 0 }.keys.sorted().map(String.init).joined(separator: ", ")
        if !gone.isEmpty { try connection.run("DELETE FROM ACHANGE WHERE ZENTITY IN (\(gone))") }
        let moved = changed.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        guard !moved.isEmpty else { return }
        let branches = moved.map { "WHEN \($0.key) THEN \($0.value)" }.joined(separator: " ")
        try connection.run("UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(branches) ELSE ZENTITY END")
    }

    private func writeMetadata() throws {
        let metadata = try StoreMetadata.read(from: connection).describing(
            plan.destination, configuration: configuration)
        try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob([UInt8](metadata.encoded))])
    }

    /// Stores of old Core Data versions also get a model cache, because readers expect the table.
    private func writeModelCache() throws {
        if try StoredTable.read("Z_MODELCACHE", from: connection) == nil {
            try connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
        }
        try connection.run("DELETE FROM Z_MODELCACHE")
        try connection.run(
            "INSERT INTO Z_MODELCACHE VALUES (?)", [.blob([UInt8](try ModelCache.encode(plan.destination)))])
    }
}
