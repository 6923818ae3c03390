import RowMemory
import Testing

struct PagedIndexTests {
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

    /// Places that are found by the page of the last number are those that the numbers lead to: at
    /// the borders of pages, between pages that are not there, and far out.
    @Test func placesAreFoundPageByPage() {
        let index = PagedIndex()
        let keys: [Int64] = [
            0, 1, 1023, 1024, 1025, 2047, 2048, 70_000, 3, 1 << 28, (1 << 28) + 1, 1 << 40, 1 << 28, .max, 4,
        ]
        let objects = keys.map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1) }
        defer { for object in objects { object.deallocate() } }
        var last = PagedIndex.LastPage()
        #expect(keys.allSatisfy { index.place($0, &last) == nil })
        for (key, object) in zip(keys, objects) { index.allocatedPosition(key, &last).pointee = object }
        let expected = Dictionary(zip(keys, objects)) { $1 }
        #expect(expected.allSatisfy { index[$0.key] == $0.value })
        #expect(expected.allSatisfy { index.place($0.key, &last)?.pointee == $0.value })
        #expect(
            index.place(5_000_000, &last) == nil && index.place(5, &last)?.pointee == nil
                && index.place(-1, &last) == nil && index.place(5_000_001, &last) == nil)
        for key in keys { index.place(key, &last)?.pointee = nil }
        #expect(keys.allSatisfy { index[$0] == nil })
    }

    @Test func placesThatFollowOneAnotherComePieceByPiece() {
        let index = PagedIndex()
        var value = 0
        let marks = UnsafeMutableRawPointer.allocate(byteCount: 4_000, alignment: 1)
        defer { marks.deallocate() }
        index.forEachPiece(of: 1_000..<3_100, makesPages: true) { places, start in
            #expect(start == value && !places.contains { $0 != nil })
            for place in places.indices {
                places[place] = marks + value
                value += 1
            }
            return true
        }
        #expect(value == 2_100 && index[999] == nil && index[3_100] == nil)
        #expect((0..<2_100).allSatisfy { index[1_000 + Int64($0)] == marks + $0 })
        var pieces: [Int] = []
        index.forEachPiece(of: 3_000..<9_000, makesPages: false) { places, _ in
            pieces.append(places.count)
            return pieces.count < 2
        }
        #expect(pieces == [72, 1_024])
        index.forEachPiece(of: 5..<5, makesPages: true) { _, _ in
            Issue.record("There is nothing")
            return true
        }
    }
}
