import FileSystem
import Foundation
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Saves of many rows of one table, which go other ways than those of a few.
struct BulkWritingTests {
    private static let count = 300

    /// A store with as many badges, whose texts are their numbers.
    private func run(_ body: (StoreFixture) throws -> Void) throws {
        try StoreFixture.run { fixture in
            #expect(try insert(Self.count, into: fixture) == Array(1...Int64(Self.count)))
            try body(fixture)
        }
    }

    private func insert(
        _ count: Int, of entity: String = "Badge", _ attribute: String = "text", into fixture: StoreFixture
    ) throws -> [Int64] {
        var rows = RowBatch()
        for number in 1...count {
            fixture.set(
                [attribute: .string("\(number)")],
                in: rows.appendRow(
                    fixture.store.layouts[fixture.entity(entity).index], key: Int64(-number), version: 0), entity)
        }
        var changes = ChangeSet()
        changes.insertions = [.init(entityIndex: fixture.entity(entity).index, rows: rows)]
        return try fixture.store.apply(changes).keys[0]
    }

    /// New texts for some badges.
    private func updates(_ keys: [Int64], version: (Int64) -> Int64 = { _ in 1 }, in fixture: StoreFixture) -> ChangeSet
    {
        var updates = ChangeSet.Updates(entityIndex: fixture.entity("Badge").index)
        var changed = PropertySet()
        changed.insert(fixture.property("Badge", "text"))
        for key in keys {
            fixture.set(
                ["text": .string("new \(key)")],
                in: updates.rows.appendRow(
                    fixture.store.layouts[fixture.entity("Badge").index], key: key, version: version(key)), "Badge")
            updates.changed.append(changed)
        }
        var changes = ChangeSet()
        changes.updates = [updates]
        return changes
    }

    private func deletions(_ keys: [Int64], version: (Int64) -> Int64 = { _ in 1 }, in fixture: StoreFixture)
        -> ChangeSet
    {
        var changes = ChangeSet()
        changes.deletions = keys.map {
            .init(entityIndex: fixture.entity("Badge").index, key: $0, version: version($0))
        }
        return changes
    }

    private func badges(_ fixture: StoreFixture) throws -> [[SQLiteValue]] {
        try fixture.sql("SELECT Z_PK, Z_OPT, ZTEXT FROM ZBADGE ORDER BY Z_PK")
    }

    private func badge(_ key: Int64, isNew: Bool) -> [SQLiteValue] {
        [.integer(key), .integer(isNew ? 2 : 1), .text(isNew ? "new \(key)" : "\(key)")]
    }

    private func conflicts(of changes: ChangeSet, in fixture: StoreFixture) throws -> [Int64] {
        let before = try badges(fixture)
        let error = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
        #expect(error?.code == .conflict)
        #expect(try badges(fixture) == before)
        return error?.conflicts.map(\.object.key) ?? []
    }

    @Test(arguments: [1, 2, 3]) func changedRowsAndNoOthersAreChanged(distance: Int64) throws {
        try run { fixture in
            let keys = Array(stride(from: Int64(1), through: Int64(Self.count), by: Int(distance)))
            _ = try fixture.store.apply(updates(keys.reversed(), in: fixture))
            let expected = (1...Int64(Self.count)).map { badge($0, isNew: keys.contains($0)) }
            #expect(try badges(fixture) == expected)
        }
    }

    @Test func aRowOfAnotherVersionIsAConflict() throws {
        try run { fixture in
            let version: (Int64) -> Int64 = { $0 == 77 ? 4 : 1 }
            for changes in [
                updates(Array(1...200), version: version, in: fixture),
                deletions(Array(1...200), version: version, in: fixture),
                deletions(Array(1...Int64(Self.count)), version: version, in: fixture),
            ] {
                let found = try conflicts(of: changes, in: fixture)
                #expect(found == [77])
            }
        }
    }
}

extension BulkWritingTests {
    @Test func aRowThatIsGoneIsAConflictAndDoesNotComeBack() throws {
        try run { fixture in
            _ = try fixture.store.apply(deletions([5, 77, Int64(Self.count)], in: fixture))
            let updated = try conflicts(of: updates(Array(1...Int64(Self.count)), in: fixture), in: fixture)
            #expect(updated == [5, 77, Int64(Self.count)])
            let deleted = try conflicts(of: deletions(Array(1...200), in: fixture), in: fixture)
            #expect(deleted == [5, 77])
            // As many as there are rows, but others.
            let others = try conflicts(of: deletions(Array(6...Int64(Self.count) + 2), in: fixture), in: fixture)
            #expect(others == [77, Int64(Self.count), Int64(Self.count) + 1, Int64(Self.count) + 2])
        }
    }

    @Test(arguments: [1, 2, 5]) func deletedRowsAndNoOthersAreGone(distance: Int64) throws {
        try run { fixture in
            let keys = Array(stride(from: Int64(1), through: Int64(Self.count), by: Int(distance)))
            _ = try fixture.store.apply(deletions(keys.reversed(), in: fixture))
            let expected = (1...Int64(Self.count)).filter { !keys.contains($0) }.map { badge($0, isNew: false) }
            #expect(try badges(fixture) == expected)
        }
    }

    @Test func deletedObjectsOfManyLeaveTheirJoinTables() throws {
        try run { fixture in
            let person = try fixture.insert("Person")
            var changes = ChangeSet()
            changes.links = (1...Int64(Self.count)).map {
                fixture.link("Person", "badges", person, fixture.reference("Badge", $0))
            }
            _ = try fixture.store.apply(changes)
            _ = try fixture.store.apply(deletions(Array(1..<Int64(Self.count)), in: fixture))
            let left = try fixture.members("Person", person, "badges").map(\.key)
            #expect(left == [Int64(Self.count)])
        }
    }

    @Test func theGreatestAndTheLeastNumberOfAStrangeFileAreNumbersLikeOthers() throws {
        try run { fixture in
            try fixture.store.close()
            let other = try Connection(fixture.url.path, OpenOptions(.readWrite, defense: .foreign))
            for key in [Int64.min, .max] {
                try other.run(
                    "INSERT INTO ZBADGE (Z_PK, Z_ENT, Z_OPT, ZTEXT) SELECT ?, Z_ENT, 1, 'strange' FROM ZBADGE WHERE Z_PK = 1",
                    [.integer(key)])
            }
            try other.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            let error = #expect(throws: StorageError.self) { _ = try insert(100, into: fixture) }
            #expect(error?.message == "The store has no numbers left for new objects")
            _ = try fixture.store.apply(deletions([.min] + Array(1...200) + [.max], in: fixture))
            let left = try badges(fixture).compactMap { $0[0].integer }
            #expect(left == Array(201...Int64(Self.count)))
        }
    }

    @Test func numbersOfDeletedRowsAreNotGivenAgain() throws {
        try run { fixture in
            _ = try fixture.store.apply(deletions(Array(200...Int64(Self.count)), in: fixture))
            let keys = try insert(100, into: fixture)
            #expect(keys == Array(Int64(Self.count) + 1...Int64(Self.count) + 100))
            let stored = try fixture.sql("SELECT Z_PK FROM ZBADGE WHERE Z_PK >= 200").compactMap { $0[0].integer }
            #expect(stored == keys)
        }
    }

    @Test func rowsStandUnderTheNumbersThatTheSaveHasTold() throws {
        try run { fixture in
            for _ in 0..<2 {
                let keys = try insert(Self.count, into: fixture)
                let stored = try fixture.sql("SELECT Z_PK FROM ZBADGE WHERE Z_PK >= \(keys[0])").compactMap {
                    $0[0].integer
                }
                #expect(stored == keys)
                #expect(try fixture.sql("SELECT ZTEXT FROM ZBADGE WHERE Z_PK = \(keys[41])") == [[.text("42")]])
            }
        }
    }
}

extension BulkWritingTests {
    @Test func ofManyNewRowsTheOneIsNamedThatIsNotUnique() throws {
        try StoreFixture.run { fixture in
            let held = try fixture.insert("Shelf", ["name": .string("77")])
            let error = #expect(throws: StorageError.self) { try insert(200, of: "Shelf", "name", into: fixture) }
            #expect(error?.code == .constraint)
            #expect(error?.conflicts.first?.object.key == -77)
            #expect(try fixture.sql("SELECT Z_PK FROM ZSHELF") == [[.integer(held)]])
        }
    }

    /// What somebody else has made on the table sees changes of rows as what they are.
    @Test(arguments: [
        "CREATE TRIGGER other BEFORE INSERT ON ZBADGE BEGIN SELECT RAISE(ABORT, 'inserted'); END",
        "CREATE UNIQUE INDEX other ON ZBADGE (Z_OPT, ZTEXT)",
    ])
    func foreignTriggersAndIndexesSeeNoInsertion(_ definition: String) throws {
        try run { fixture in
            try fixture.store.close()
            let other = try Connection(fixture.url.path, OpenOptions(.readWrite, defense: .foreign))
            try other.execute(definition)
            try other.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            _ = try fixture.store.apply(updates(Array(1...200), in: fixture))
            let expected = (1...Int64(Self.count)).map { badge($0, isNew: $0 <= 200) }
            #expect(try badges(fixture) == expected)
        }
    }
}
