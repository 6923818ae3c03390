import AtomicStores
import Foundation
import Query
import RowMemory
import SQLiteKit
import Schema
import Storage
import TestSupport
import Testing

/// Cells and rows that another program wrote past the layout: what SQL finds and sorts is what a
/// copy in memory gives, and what is read by pages is what statements give.
struct IrregularCellTests {
    private static let uuid = "123E4567-E89B-12D3-A456-426614174000"

    private static let statements = """
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZCREATED, ZSECONDS, ZGAIN, ZISLIVE)
            SELECT column1, Z_ENT, 1, column2, column3, column4, column5, column6 FROM Z_PRIMARYKEY, (VALUES
            (1, 'a', 5, 1.5, 0.5, 1), (2, 'b', '2024-01-02', 'x', 'loud', 'true'),
            (3, x'41', x'00', x'00', x'00', x'01'), (4, 'A', 700000000.25, 3, 0.1, 2),
            (5, NULL, NULL, NULL, NULL, NULL), (6, '', -63114076800, -1, 1e300, 0.5), (7, 'g', 0, 0, -2, -1),
            (5000, 'z', '', '', '', 0)) WHERE Z_NAME = 'Disc';
        INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZPRICE, ZTHUMBNAIL)
            SELECT column1, Z_ENT, 1, column2, column3 FROM Z_PRIMARYKEY, (VALUES
            (11, 3, x'01'), (12, '12 francs', 'text'), (13, 1e200, 7), (14, 2.5, NULL), (15, x'31', x''),
            (16, '0x10', 'x')) WHERE Z_NAME = 'Book';
        INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZSMALL, ZUUID, ZSPOUSE)
            SELECT column1, Z_ENT, 1, column2, column3, column4, column5 FROM Z_PRIMARYKEY, (VALUES
            (1, 'Ada', 3, x'00112233445566778899AABBCCDDEEFF', 2), (2, 'Bo', 70000, '\(uuid)', 1),
            (3, 'Cy', 'many', 'ABCDEFGHIJKLMNOP', 'x'), (4, 'Di', 2.5, x'0011', 0), (5, 'Ed', NULL, NULL, -3),
            (6, 'Fy', x'05', 7, 77)) WHERE Z_NAME = 'Person';
        """

    private static let predicates: [String: [String]] = [
        "Disc": [
            "created > \"2001-01-01\"", "created < \"2030-01-01\"", "NOT created > \"2001-01-01\"", "created == nil",
            "created != nil", "created < \"0002-01-01\"", "created BETWEEN {\"2001-01-01\", \"2002-01-01\"}",
            "year(created) > 1", "title == \"A\"", "title == nil", "title BEGINSWITH \"A\"",
            "title CONTAINS[c] \"a\"", "title >= \"\"", "title IN {\"A\", nil}", "seconds > 1", "seconds + 1 > 2",
            "seconds == nil", "seconds <= 0", "gain > 0.3", "gain == nil", "gain == 0.1", "gain != nil",
            "isLive == YES", "isLive == NO", "isLive == nil", "isLive != YES",
        ],
        "Book": ["price == nil", "price > 1", "price < 3", "price IN {3, 12}", "thumbnail == nil", "thumbnail != nil"],
        "Person": [
            "small > 10", "small < 10", "small == nil", "small == 0", "uuid == nil", "uuid == \"\(uuid)\"",
            "uuid != \"\(uuid)\"", "spouse == nil", "spouse != nil", "spouse.name == nil", "spouse.name == \"Ada\"",
            "spouse.small > 10", "follows.@count > 1", "follows.@count == 1", "ANY follows.name == nil",
            "SUBQUERY(follows, $x, $x.small == nil).@count == 0", "follows.@max.small > 2",
        ],
    ]

    private func forging(_ statements: String, _ body: (ContractFixture) throws -> Void) throws {
        try ContractFixture.run(.sqlite) { fixture in
            try Self.run(statements, fixture)
            try body(fixture)
        }
    }

    private static func run(_ statements: String, _ fixture: ContractFixture) throws {
        let connection = try Connection(fixture.url.path, .readWrite)
        try connection.execute(statements)
        try connection.close()
    }

    private func copyInMemory(_ fixture: ContractFixture) throws -> any StoreBackend {
        let factory = AtomicPersistentStore.inMemoryFactory
        let copy = try factory.open(
            PersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"), type: factory.type), fixture.model)
        try RowCopier(from: fixture.store, to: copy).copy()
        return copy
    }

    private func keys(_ store: any StoreBackend, _ request: RowRequest) throws -> [Int64] {
        let rows = try store.rows(request)
        return (0..<rows.count).map { rows[$0].key }
    }

    @Test func whatSQLFindsAndSortsIsWhatIsRead() throws {
        try forging(Self.statements) { fixture in
            let join = try Self.joinTable(fixture)
            try Self.run("INSERT INTO \(join) VALUES (1, 2, 1), (1, 99, 2), (3, 4, 1), (98, 4, 2)", fixture)
            let copy = try copyInMemory(fixture)
            for (entity, predicates) in Self.predicates {
                for predicate in predicates {
                    let request = try fixture.request(entity, predicate)
                    #expect(try keys(fixture.store, request) == keys(copy, request), "\(entity): \(predicate)")
                    #expect(try fixture.store.count(request) == copy.count(request), "\(entity): \(predicate)")
                }
                for name in ["title", "created", "seconds", "gain", "isLive", "price", "small", "uuid", "thumbnail"] {
                    guard fixture.entity(entity).property(named: name) != nil else { continue }
                    for isAscending in [true, false] {
                        let request = try fixture.request(
                            entity, sort: [SortKey(name, ascending: isAscending)], limit: 5)
                        #expect(try keys(fixture.store, request) == keys(copy, request), "\(entity) by \(name)")
                    }
                }
            }
        }
    }

    /// The columns are those of the owner, of the member and of the position, in the order of
    /// `follows`.
    private static func joinTable(_ fixture: ContractFixture) throws -> String {
        let connection = try Connection(fixture.url.path, .readOnly)
        defer { try? connection.close() }
        let rows = try connection.rows(
            "SELECT m.name, group_concat(c.name, ' ') FROM sqlite_schema m, pragma_table_info(m.name) c WHERE c.name LIKE '%FOLLOW%' GROUP BY 1"
        )
        let row = try #require(rows.first { $0[0].text?.hasPrefix("Z_") == true })
        let columns = try #require(row[1].text).split(separator: " ")
        let owner = try #require(columns.first { $0.hasSuffix("FOLLOWERS") || $0.hasSuffix("FOLLOWERS1") })
        let member = try #require(columns.first { $0 != owner && !$0.hasPrefix("Z_FOK") })
        let position = try #require(columns.first { $0.hasPrefix("Z_FOK") })
        return "\(try #require(row[0].text)) (\(owner), \(member), \(position))"
    }

    @Test func aCellOfAnotherTypeReadsAsNilAndAsNoOtherValue() throws {
        try forging(Self.statements) { fixture in
            func expect(_ entity: String, _ key: Int64, _ values: [String: PropertyValue]) throws {
                for (name, value) in values {
                    #expect(try fixture.value(entity, key, name) == value, "\(entity)/p\(key).\(name)")
                }
            }
            for key in [Int64(2), 3] {
                try expect("Disc", key, ["created": .null, "seconds": .null, "gain": .null, "isLive": .null])
            }
            try expect("Disc", 3, ["title": .null])
            try expect(
                "Disc", 4,
                ["isLive": .bool(true), "created": .date(Date(timeIntervalSinceReferenceDate: 700000000.25))])
            try expect("Disc", 6, ["isLive": .bool(true), "gain": .null])
            for key in [Int64(12), 15, 16] { try expect("Book", key, ["price": .null]) }
            try expect("Book", 12, ["thumbnail": .null])
            try expect("Person", 2, ["small": .int(70000), "uuid": .uuid(try #require(UUID(uuidString: Self.uuid)))])
            for key in [Int64(3), 4, 6] { try expect("Person", key, ["small": .null, "uuid": .null]) }
            for key in [Int64(3), 4, 5] { #expect(try fixture.reference("Person", key, "spouse") == nil) }
            #expect(try fixture.reference("Person", 6, "spouse")?.key == 77)
        }
    }

    @Test func readingByPagesGivesWhatStatementsGive() throws {
        try forging(Self.statements) { fixture in
            let rows = try fixture.store.rows(fixture.request("Item"))
            #expect(rows.count == 14)
            for index in 0..<rows.count {
                let row = rows[index], name = fixture.model.entities[row.entityIndex].name
                let other = try fixture.row(name, row.key)
                for slot in row.layout.slots where slot.kind != .toMany {
                    if slot.kind == .toOne {
                        #expect(row.reference(slot) == other.reference(slot))
                    } else if slot.kind != .large {
                        #expect(row.value(slot) == other.value(slot), "\(name)/p\(row.key)")
                    }
                }
            }
        }
    }

    /// What is known of a store holds until another program commits.
    @Test func aCellThatAnotherProgramWritesLaterIsNoticed() throws {
        try ContractFixture.run(.sqlite) { fixture in
            try fixture.insert("Person", ["name": .string("Ada"), "small": .int(3)])
            let request = try fixture.request("Person", "small > 1")
            #expect(try fixture.keys(request) == [1])
            try Self.run("UPDATE ZPERSON SET ZSMALL = 'many'", fixture)
            #expect(try fixture.keys(request) == [])
        }
    }

    @Test func rowsOfNoEntityAreNoObjectsAnywhereAndAreNotLostInACopy() throws {
        try forging(Self.statements) { fixture in
            let shelf = try fixture.insert("Shelf", ["name": .string("s")])
            #expect(try fixture.store.count(fixture.request("Item")) == 14)
            _ = try copyInMemory(fixture)
            try Self.run(
                """
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSHELF) VALUES
                    (21, 999, 1, 'stranger', \(shelf)), (22, NULL, 1, 'none', \(shelf));
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSHELF)
                    SELECT 23, Z_ENT, 1, 'abstract', \(shelf) FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'
                """, fixture)
            let all = try fixture.request("Item"),
                limited = try fixture.request("Item", sort: [SortKey("title")], limit: 99)
            #expect(try fixture.store.rows(all).count == 15)
            #expect(try fixture.store.count(all) == 15)
            #expect(try fixture.store.count(limited) == 15)
            #expect(
                try fixture.keys(fixture.request("Item", "title IN {\"stranger\", \"none\", \"abstract\"}")) == [23])
            #expect(try fixture.members("Shelf", shelf, "items") == [23])
            #expect(try fixture.keys(fixture.request("Shelf", "items.@count == 1")) == [shelf])
            #expect(try fixture.store.storedRowCount(rootIndex: fixture.entity("Item").index) == 17)
            let error = #expect(throws: StorageError.self) { try copyInMemory(fixture) }
            #expect(
                error?.message.contains("Of 17 rows of Item 2 are of no entity") == true, "\(String(describing: error))"
            )
            try Self.run("DELETE FROM ZITEM WHERE Z_PK IN (21, 22)", fixture)
            let copy = try copyInMemory(fixture)
            #expect(try copy.count(all) == 15)
        }
    }
}
