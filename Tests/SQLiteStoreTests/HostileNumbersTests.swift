import Foundation
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Numbers that no program of ours writes, in files that somebody else made.
struct HostileNumbersTests {
    /// Runs `body` with a store of one person and one book, in which `statements` were run behind
    /// its back.
    private func forging(_ statements: String, _ body: (StoreFixture) throws -> Void) throws {
        try StoreFixture.run { fixture in
            let shelf = try fixture.insert("Shelf", ["name": .string("s")])
            try fixture.insert("Person", ["name": .string("Ada")])
            try fixture.insert("Book", ["title": .string("Notes")], ["shelf": fixture.reference("Shelf", shelf)])
            try fixture.store.close()
            let connection = try Connection(fixture.url.path, .readWrite)
            try connection.execute(statements)
            try connection.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            try body(fixture)
        }
    }

    @Test(arguments: [
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", "UPDATE ZPERSON SET Z_PK = 9223372036854775807",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806",
    ])
    func aStoreWhoseNumbersAreUsedUpTakesNoNewObjects(statement: String) throws {
        try forging(statement) { fixture in
            let error = #expect(throws: StorageError.self) { try fixture.insert("Person") }
            #expect(error?.code == .full)
            #expect(
                #expect(throws: StorageError.self) {
                    try fixture.store.reserveKeys(entityIndex: fixture.entity("Person").index, count: 2)
                }?.code == .full)
        }
    }

    @Test func rowsWithoutAPositiveNumberAreNoObjects() throws {
        try forging(
            """
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT n, Z_ENT, 1, 'x' FROM ZPERSON, (SELECT -9223372036854775807 - 1 AS n UNION SELECT -5 UNION SELECT 0);
            UPDATE ZITEM SET ZSHELF = -9223372036854775807 - 1
            """
        ) { fixture in
            let people = try fixture.rows("Person")
            #expect((0..<people.count).map { people[$0].key } == [1])
            let index = fixture.entity("Person").index
            #expect(try fixture.store.count(RowRequest(entityIndex: index)) == 1)
            #expect(try fixture.store.count(RowRequest(entityIndex: index, offset: 1)) == 0)
            #expect(try fixture.store.rows(RowRequest(entityIndex: index, limit: 1)).count == 1)
            #expect(try fixture.reference("Book", 1, "shelf") == nil)
            let findings = try fixture.store.referenceFindings().map(\.message)
            for number in [Int64.min, -5, 0] {
                #expect(findings.contains("Person: a row has the number \(number), which no object can have"))
            }
        }
    }

    @Test func aReferenceNamesNoEntityThatItCannotLeadTo() throws {
        try forging(
            "UPDATE ZSHELF SET ZFEATURED = 1, Z2_FEATURED = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person')"
        ) { fixture in
            let column = try fixture.sql("SELECT name FROM pragma_table_info('ZSHELF') WHERE name LIKE 'Z%_FEATURED'")
            #expect(column == [[.text("Z2_FEATURED")]])
            #expect(try fixture.reference("Shelf", 1, "featured") == fixture.reference("Item", 1))
        }
    }

    @Test func twoEntitiesWithOneNumberAreDamage() throws {
        try StoreFixture.run { fixture in
            let connection = try Connection(fixture.url.path, .readWrite)
            try connection.execute(
                "CREATE TABLE t AS SELECT 1 AS Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE t RENAME TO Z_PRIMARYKEY"
            )
            try connection.close()
            let error = #expect(throws: StorageError.self) { try SQLitePersistentStore.open(fixture.store.description) }
            #expect(error?.code == .damaged)
        }
    }

    @Test func anIdentityThatCannotStandInAURIIsDamage() throws {
        try StoreFixture.run { fixture in
            let connection = try Connection(fixture.url.path, .readWrite)
            for uuid in ["[ %x", "", "a/b", String(repeating: "A", count: 65)] {
                try connection.run("UPDATE Z_METADATA SET Z_UUID = ?", [.text(uuid)])
                let error = #expect(throws: StorageError.self) {
                    try SQLitePersistentStore.open(fixture.store.description)
                }
                #expect(error?.code == .damaged, "\(uuid)")
            }
            try connection.close()
        }
    }

    @Test(arguments: [Double.infinity, .nan, -1, 1e300])
    func anyTimeoutIsTaken(timeout: Double) throws {
        try StoreFixture.run { fixture in
            var description = fixture.store.description
            description.timeout = timeout
            description.isReadOnly = true
            try SQLitePersistentStore.open(description).close()
        }
    }
}
