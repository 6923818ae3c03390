import RowMemory
import Schema
import SQLiteStore
import Storage
import TestSupport
import Testing

/// Large tables that are read whole come past SQLite's interpreter: with the same rows.
struct WholeTableTests {
    @Test(.enabled(if: runsSweeps)) func allRowsOfALargeTableAreThoseThatAStatementGives() throws {
        try StoreFixture.run { fixture in
            for number in 1...3_000 {
                try fixture.insert(
                    "Tag",
                    number % 7 == 0 ? [:] : ["word": .string(String(repeating: "w", count: number % 50) + "\(number)")])
            }
            try expectSame(fixture)
            try fixture.reopen()
            try expectSame(fixture)
            try fixture.reopen(readOnly: true)
            try expectSame(fixture)
        }
    }

    private func expectSame(_ fixture: StoreFixture) throws {
        let entity = fixture.entity("Tag").index
        let scanned = try fixture.store.rows(RowRequest(entityIndex: entity))
        // In parts a statement gives them.
        let stated = try fixture.store.rows(.part(of: entity, includesSubentities: true, after: nil, limit: 10_000))
        #expect(scanned.count == 3_000)
        #expect(
            (0..<scanned.count).map { description(scanned[$0]) } == (0..<stated.count).map { description(stated[$0]) })
    }

    private func description(_ row: Row) -> String {
        let values = row.layout.slots.filter { $0.kind != .toMany && $0.kind != .toOne }.map { "\(row.value($0))" }
        return "\(row.key) \(row.version) \(values)"
    }
}
