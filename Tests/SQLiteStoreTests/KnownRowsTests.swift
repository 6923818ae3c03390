import RowMemory
import SQLiteStore
import Schema
import Storage
import Testing

/// Requests that say of which objects no values are needed.
struct KnownRowsTests {
    @Test func knownObjectsComeAsNumberAndVersionInTheirPlace() throws {
        try StoreFixture.run { fixture in
            for number in 1...6 { try fixture.insert("Tag", ["word": .string("word \(number)")]) }
            var known = KnownKeys()
            known.insert(2)
            known.insert(5)
            // Of an object that isn't there.
            known.insert(1_000)
            let request = RowRequest(entityIndex: fixture.entity("Tag").index)
            let selection = try fixture.store.selection(request, known: known)
            #expect(selection.entries.map(\.key) == [0, 2, 0, 0, 5, 0])
            #expect(selection.entries.filter { $0.key > 0 }.allSatisfy { $0.version == 1 })
            #expect((0..<selection.rows.count).map { selection.rows[$0].key } == [1, 3, 4, 6])
        }
    }

    @Test func nothingKnownNeedsNoEntries() throws {
        var known = KnownKeys()
        #expect(known.isEmpty && !known.contains(0) && !known.contains(-1))
        known.insert(-5)
        known.insert(1 << 40)
        #expect(!known.contains(-5) && !known.contains(1 << 40))
        known.insert(63)
        known.insert(64)
        #expect(known.contains(63) && known.contains(64) && !known.contains(65))
        let copy = known
        known.remove(64)
        #expect(!known.contains(64) && copy.contains(64))
    }
}
