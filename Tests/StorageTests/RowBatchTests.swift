import RowMemory
import Schema
import Storage
import Testing

struct RowBatchTests {
    private let layouts: [RowLayout]

    init() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Animal", attributes: [.init("name", .string), .init("weight", .double)]),
            EntityDefinition("Bird", superentityName: "Animal", attributes: [.init("canFly", .boolean)]),
        ])
        layouts = RowLayout.layouts(for: model)
    }

    @Test(arguments: [1, 8, 9, 40, 41, 168, 169, 680, 681, 3000])
    func rowsOfOneLayoutAreFoundInTheirOrder(count: Int) {
        var batch = RowBatch()
        for key in 0..<count {
            batch.appendRow(layouts[0], key: Int64(key), version: 1).setString("n\(key)", layouts[0].slots[0])
        }
        #expect(batch.count == count)
        #expect(
            (0..<count).allSatisfy { batch[$0].key == Int64($0) && batch[$0].string(layouts[0].slots[0]) == "n\($0)" })
    }

    @Test(arguments: [1, 8, 100, 700])
    func rowsStayInOrderWhenASecondLayoutComes(before: Int) {
        var batch = RowBatch()
        for key in 0..<before { _ = batch.appendRow(layouts[0], key: Int64(key), version: 1) }
        for key in before..<(before + 900) {
            _ = batch.appendRow(layouts[key % 3 == 0 ? 0 : 1], key: Int64(key), version: 1)
        }
        #expect(batch.count == before + 900)
        #expect((0..<batch.count).allSatisfy { batch[$0].key == Int64($0) })
        #expect(batch.keys == Array(0..<Int64(before + 900)))
        #expect((before..<batch.count).allSatisfy { batch[$0].entityIndex == ($0 % 3 == 0 ? 0 : 1) })
    }

    @Test func lentRowsStandAmongOthersInTheirOrder() {
        let slabs = (0..<3).map { number in
            let slab = RowSlab(layout: layouts[0], capacity: 4)
            for key in 0..<4 {
                slab.appendRow(key: Int64(number * 4 + key), version: 1).setString(
                    "n\(number * 4 + key)", layouts[0].slots[0])
            }
            return slab
        }
        var batch = RowBatch(), expected: [Int64] = []
        for key in 0..<3 {
            _ = batch.appendRow(layouts[0], key: Int64(100 + key), version: 1)
            expected.append(Int64(100 + key))
        }
        var firsts = 0
        for key in [5, 0, 1, 11, 6, 7, 2] {
            let slab = slabs[key / 4]
            if batch.append(lent: slab, slab.cells(at: key % 4)) { firsts += 1 }
            _ = batch.appendRow(layouts[0], key: Int64(200 + key), version: 1)
            expected += [Int64(key), Int64(200 + key)]
        }
        #expect(firsts == 3 && batch.count == expected.count && batch.keys == expected)
        #expect((0..<batch.count).map { batch[$0].key } == expected)
        #expect(batch[3].isSame(as: slabs[1].row(at: 1)) && batch[3].string(layouts[0].slots[0]) == "n5")
        // None of what came between went into a slab that is lent.
        #expect(slabs.allSatisfy { $0.count == 4 })
    }

    @Test func aCopiedRowHasValuesOfItsOwn() {
        var batch = RowBatch()
        let name = layouts[0].slots[0]
        let row = batch.appendRow(layouts[0], key: 7, version: 3)
        row.setString("a name that is too long to stand in place", name)
        let copy = batch.append(copyOf: row)
        row.clear(name)
        #expect(copy.string(name) == "a name that is too long to stand in place")
        #expect((copy.key, copy.version) == (7, 3))
    }

    @Test func smallValuesFillTheGapBehindThePresenceBits() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Item", attributes: [.init("flag", .boolean), .init("name", .string), .init("number", .integer64)])
        ])
        let layout = try #require(RowLayout.layouts(for: model).first)
        #expect(layout.stride == RowLayout.headerSize + 8 + 16 + 8)
    }
}
