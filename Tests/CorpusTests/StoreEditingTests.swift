import Foundation
import ModelFiles
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Copies of the corpus' stores, edited: only what was edited may differ.
@Suite(.enabled(if: corpus != nil))
struct StoreEditingTests {
    @Test(arguments: StoreReadingTests.stores) func editingChangesTheTouchedRowsAlone(original: URL) throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent(original.lastPathComponent)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + suffix) {
                try FileManager.default.copyContents(
                    of: URL(fileURLWithPath: original.path + suffix), to: URL(fileURLWithPath: url.path + suffix))
            }
            let mode = try formatVersions(original)
            let before = try dump(url)
            let model = try StoreReadingTests().missingModel(of: original)
            let store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: model)
            let edit = try #require(try Edit(store))
            let receipt = try store.apply(edit.changes)
            try store.close()

            // Reopened and read back before it is compared as text.
            let reopened = try SQLitePersistentStore.open(PersistentStoreDescription(url: url), model: model)
            let request = RowRequest(
                entityIndex: edit.entityIndex, includesSubentities: false,
                selection: .keys(receipt.keys[0] + [edit.deleted, edit.updated]))
            let rows = try reopened.rows(request)
            #expect(Set((0..<rows.count).map { rows[$0].key }) == Set(receipt.keys[0] + [edit.updated]))
            try reopened.close()

            let after = try dump(url)
            // Links of the deleted object go with it.
            let links = before.subtracting(after).filter { line in edit.joinTables.contains { line.hasPrefix($0 + "|") }
            }
            #expect(links.allSatisfy { $0.contains("integer(\(edit.deleted))") })
            try checkHistory(before, after)
            let removed = Self.withoutHistory(before.subtracting(after).subtracting(links)),
                added = Self.withoutHistory(after.subtracting(before))
            // The deleted row, the old form of the updated one, and the row that counts numbers.
            let derived = try hasTriggers(url) ? edit.allowedTriggerChanges : 0
            #expect(removed.count <= 3 + derived, "\(removed)")
            #expect(added.count <= 3 + derived, "\(added)")
            #expect(
                removed.union(added).allSatisfy {
                    $0.hasPrefix(edit.table + "|") || $0.hasPrefix("Z_PRIMARYKEY|") || derived > 0
                })
            #expect(try formatVersions(url) == mode)
            #expect(try Connection.reading(url.path) { try $0.value("PRAGMA integrity_check")?.text } == "ok")
        }
    }

    @Test func anOrderedRelationshipOfAForeignStoreTakesOneInBetween() throws {
        let original = try #require(StoreReadingTests.stores.first { $0.lastPathComponent == "Bookmarks_V5.sqlite" })
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("b.sqlite")
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + suffix) {
                try FileManager.default.copyContents(
                    of: URL(fileURLWithPath: original.path + suffix), to: URL(fileURLWithPath: url.path + suffix))
            }
            let before = try dump(url)
            let store = try SQLitePersistentStore.open(PersistentStoreDescription(url: url))
            let entity = try #require(store.identity.model.entity(named: "BookmarkEntity"))
            let children = try #require(entity.property(named: "children")).index,
                favorites = try #require(entity.property(named: "favorites")).index
            let parent = try #require(entity.property(named: "parent")).index
            let rows = try store.rows(RowRequest(entityIndex: entity.index))
            let keys = (0..<rows.count).map { rows[$0].key }
            let lists = try store.related(
                entityIndex: entity.index, propertyIndex: children, owners: keys, includingRows: false
            ).members
            let stars = try store.related(
                entityIndex: entity.index, propertyIndex: favorites, owners: keys, includingRows: true)
            #expect(stars.rows.count == Set(stars.members.flatMap { $0.map(\.key) }).count)
            let place = try #require(lists.firstIndex { $0.count >= 2 }),
                star = try #require(stars.members.firstIndex { $0.count >= 2 })

            var batch = RowBatch()
            let row = batch.appendRow(store.layouts[entity.index], key: -1, version: 0)
            row.setReference(ObjectReference(key: keys[place], entityIndex: entity.index), row.layout.slots[parent])
            let new = ObjectReference(key: -1, entityIndex: entity.index)
            func inserting(_ list: [ObjectReference]) -> [ObjectReference] { [list[0], new] + list.dropFirst() }
            var changes = ChangeSet()
            changes.insertions = [.init(entityIndex: entity.index, rows: batch)]
            changes.links = [
                .init(
                    entityIndex: entity.index, propertyIndex: favorites, owner: keys[star], member: new, isAdded: true)
            ]
            changes.orders = [
                .init(
                    entityIndex: entity.index, propertyIndex: children, owner: keys[place],
                    members: inserting(lists[place])),
                .init(
                    entityIndex: entity.index, propertyIndex: favorites, owner: keys[star],
                    members: inserting(stars.members[star])),
            ]
            let key = try store.apply(changes).keys[0][0]
            for (property, owner, list) in [
                (children, keys[place], lists[place]), (favorites, keys[star], stars.members[star]),
            ] {
                let now = try store.related(
                    entityIndex: entity.index, propertyIndex: property, owners: [owner], includingRows: false
                ).members[0]
                #expect(now.map(\.key) == inserting(list).map { $0.key == -1 ? key : $0.key })
            }
            try store.close()
            // A row, a link and the count of numbers: nobody else had to move.
            let after = try dump(url)
            #expect(before.subtracting(after).count == 1)
            #expect(after.subtracting(before).count == 3)
        }
    }

    /// One object inserted, one changed, one deleted, all of the entity with most rows.
    private struct Edit {
        var changes = ChangeSet()
        let entityIndex: Int
        let table: String
        let updated: Int64
        let deleted: Int64
        let joinTables: Set<String>
        let allowedTriggerChanges = 4

        init?(_ store: SQLitePersistentStore) throws {
            var best: (entity: EntityDescription, rows: RowBatch)?
            for entity in store.identity.model.entities where !entity.isAbstract {
                let rows = try store.rows(RowRequest(entityIndex: entity.index, includesSubentities: false))
                if rows.count >= 2, rows.count > best?.rows.count ?? 0 { best = (entity, rows) }
            }
            guard let (entity, rows) = best, let storage = store.layout[entity.index] else { return nil }
            entityIndex = entity.index
            table = storage.table
            joinTables = Set(
                storage.properties.compactMap { property in
                    if case .manyToMany(let join) = property { join.table } else { nil }
                })
            updated = rows[0].key
            deleted = rows[rows.count - 1].key

            var inserted = RowBatch()
            let new = inserted.append(copyOf: rows[rows.count - 1])
            new.key = -1
            changes.insertions = [.init(entityIndex: entity.index, rows: inserted)]
            changes.deletions = [.init(entityIndex: entity.index, key: deleted, version: rows[rows.count - 1].version)]
            var batch = RowBatch()
            let row = batch.append(copyOf: rows[0])
            var changed = PropertySet()
            let unique = Set(entity.uniquenessConstraints.flatMap { $0 })
            if let property = entity.properties.first(where: {
                $0.attribute?.type == .string && !unique.contains($0.name)
            }) {
                row.setString("edited “by” Folio", row.layout.slots[property.index])
                changed.insert(property.index)
            }
            changes.updates = [.init(entityIndex: entity.index, rows: batch, changed: [changed])]
        }
    }

    // MARK: Lookup

    /// Every row of every table, and the schema, as lines of text.
    private func dump(_ url: URL) throws -> Set<String> {
        try Connection.reading(url.path) { connection in
            var lines: Set<String> = []
            for row in try connection.rows("SELECT type, name, sql FROM sqlite_schema") {
                lines.insert("schema|\(row)")
                guard row[0].text == "table", let name = row[1].text else { continue }
                for values in try connection.rows("SELECT rowid, * FROM \(SQLName.quoted(name))") {
                    lines.insert("\(name)|\(values)")
                }
            }
            return lines
        }
    }

    /// The bytes of the header that say with which journal the file is written.
    private func formatVersions(_ url: URL) throws -> Data {
        try Data(contentsOf: url)[18..<20]
    }

    /// A store with a history has one transaction more, with the three changes.
    private func checkHistory(_ before: Set<String>, _ after: Set<String>) throws {
        var keepsHistory = false
        for line in before where line.hasPrefix("schema|") && line.contains("CREATE TABLE ACHANGE") {
            keepsHistory = true
        }
        var changes = 0, transactions = 0
        for line in after.subtracting(before) {
            if line.hasPrefix("ACHANGE|") { changes += 1 }
            if line.hasPrefix("ATRANSACTION|") { transactions += 1 }
        }
        #expect(changes == (keepsHistory ? 3 : 0))
        #expect(transactions == (keepsHistory ? 1 : 0))
    }

    private static func withoutHistory(_ lines: Set<String>) -> Set<String> {
        lines.filter { !isHistory($0) }
    }

    /// Whether a line is of the history's tables or counts their numbers.
    private static func isHistory(_ line: String) -> Bool {
        for prefix in ["ACHANGE|", "ATRANSACTION|", "ATRANSACTIONSTRING|"] where line.hasPrefix(prefix) { return true }
        guard line.hasPrefix("Z_PRIMARYKEY|") else { return false }
        return line.contains("(16001)") || line.contains("(16002)") || line.contains("(16003)")
    }

    private func hasTriggers(_ url: URL) throws -> Bool {
        try Connection.reading(url.path) {
            try $0.value("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'")?.integer ?? 0
        } > 0
    }
}
