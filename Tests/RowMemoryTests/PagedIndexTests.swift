import RowMemory
import Testing

@Suite struct PagedIndexTests {
    @Test func referencesAreFoundByDenseSparseAndFarNumbers() {
        let index = PagedIndex()
        let keys: [Int64] = [0, 1, 1023, 1024, 5_000_000, (1 << 28) - 1, 1 << 28, 1 << 40, .max]
        let objects = keys.map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1) }
        defer { for object in objects { object.deallocate() } }
        for (key, object) in zip(keys, objects) { index[key] = object }
        #expect(zip(keys, objects).allSatisfy { index[$0] == $1 })
        #expect(index[2] == nil && index[999_999_999] == nil && index[.max - 1] == nil)
        var found: Set<UnsafeMutableRawPointer> = []
        index.forEach { found.insert($0) }
        #expect(found == Set(objects))
        index[1024] = nil
        #expect(index[1024] == nil)
        index.removeAll()
        #expect(keys.allSatisfy { index[$0] == nil })
        index[3] = objects[0]
        #expect(index[3] == objects[0])
    }
}
