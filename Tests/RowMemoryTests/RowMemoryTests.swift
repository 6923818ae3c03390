import Foundation
import RowMemory
import Schema
import Testing

/// Slots of every kind: written, read, replaced, cleared, copied, moved, destroyed.
@Suite("Rows")
struct RowMemoryTests {
    static let longText = "a string that is too long to stand in place"

    let model: ManagedObjectModel
    let layouts: [RowLayout]

    init() throws {
        var description = ManagedObjectModel.Definition()
        description.composites = [CompositeDescription("Point", attributes: [.init("x", .double)])]
        description.entities = [
            EntityDefinition(
                "Base",
                attributes: [
                    .init("int", .integer64), .init("bool", .boolean), .init("double", .double), .init("float", .float),
                    .init("date", .date), .init("string", .string),
                    .init("uri", .uri), .init("uuid", .uuid), .init("decimal", .decimal), .init("data", .binary),
                    .init("large", .binary, allowsExternalBinaryDataStorage: true),
                    .init("composite", .composite, compositeName: "Point"),
                ],
                relationships: [
                    .init("one", to: "Base", inverse: "many"), .init("many", to: "Base", inverse: "one", maxCount: 0),
                ]),
            EntityDefinition(
                "Sub", superentityName: "Base", attributes: [.init("extra", .string), .init("flag", .boolean)]),
            EntityDefinition(
                "SubSub", superentityName: "Sub",
                attributes: (0..<20).map { AttributeDescription("a\($0)", $0 % 2 == 0 ? .boolean : .string) }),
        ]
        model = try ManagedObjectModel(description)
        layouts = RowLayout.layouts(for: model)
    }

    private func layout(_ name: String) throws -> RowLayout { layouts[try #require(model.entity(named: name)).index] }

    private func slot(_ name: String, in entity: String = "Base") throws -> RowSlot {
        let entity = try #require(model.entity(named: entity))
        return layouts[entity.index].slots[try #require(entity.property(named: name)).index]
    }

    private static let values: [(String, PropertyValue, PropertyValue)] = [
        ("int", .int(-5), .int(.max)), ("bool", .bool(true), .bool(false)), ("double", .double(0.1), .double(-1)),
        ("float", .float(0.5), .float(2)),
        ("date", .date(Date(timeIntervalSinceReferenceDate: 12.5)), .date(Date(timeIntervalSinceReferenceDate: 0))),
        ("string", .string(longText), .string("short")),
        ("uri", .uri(URL(string: "https://example.org/a?b=c")!), .uri(URL(string: "file:///x")!)),
        (
            "uuid", .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        ),
        ("decimal", .decimal(Decimal(string: "10.11")!), .decimal(-3)),
        ("data", .data(Data(repeating: 7, count: 1000)), .data(Data())),
        ("large", .large(LargeValue(Data([1, 2]))), .large(LargeValue(Data()))),
        ("composite", .composite(["x": .double(1)]), .composite([:])),
    ]

    @Test func aNewRowHasAKeyAVersionAndNoValues() throws {
        let slab = RowSlab(layout: try layout("SubSub"), capacity: 2)
        let row = slab.appendRow(key: -7, version: 3)
        #expect(row.key == -7 && row.version == 3)
        for slot in row.layout.slots { #expect(!row.hasValue(slot)) }
        row.key = 9
        row.version = 4
        #expect(slab.row(at: 0).key == 9 && slab.row(at: 0).version == 4)
    }

    @Test func everyKindIsWrittenReplacedAndCleared() throws {
        let slab = RowSlab(layout: try layout("Base"), capacity: 1)
        let row = slab.appendRow(key: 1, version: 1)
        for (name, first, second) in Self.values {
            let slot = try slot(name)
            #expect(row.value(slot) == .null)
            #expect(row.setValue(first, slot) && row.value(slot) == first, "\(name)")
            #expect(row.setValue(second, slot) && row.value(slot) == second, "\(name)")
            #expect(row.setValue(.null, slot) && row.value(slot) == .null && !row.hasValue(slot), "\(name)")
        }
        for (name, first, _) in Self.values { #expect(try row.setValue(first, slot(name))) }
        for (name, first, _) in Self.values {
            #expect(try row.value(slot(name)) == first, "\(name) after all others were written")
        }
    }
}

extension RowMemoryTests {
    @Test func aValueOfAnotherKindIsRefusedAndChangesNothing() throws {
        let row = RowSlab(layout: try layout("Base"), capacity: 1).appendRow(key: 1, version: 1)
        let slot = try slot("string")
        #expect(row.setValue(.string("a"), slot) && !row.setValue(.int(1), slot) && row.value(slot) == .string("a"))
    }

    @Test func movingLeavesNothingBehind() throws {
        let row = RowSlab(layout: try layout("Base"), capacity: 1).appendRow(key: 1, version: 1)
        for (name, first, _) in Self.values {
            let slot = try slot(name)
            _ = row.setValue(first, slot)
            #expect(row.cells.moveValue(slot) == first && !row.hasValue(slot), "\(name)")
        }
    }

    @Test func copiesAreIndependentAndLeaveToManysOut() throws {
        let first = RowSlab(layout: try layout("Base"), capacity: 1),
            second = RowSlab(layout: try layout("Base"), capacity: 1)
        let row = first.appendRow(key: 5, version: 2)
        for (name, value, _) in Self.values { _ = row.setValue(value, try slot(name)) }
        row.setReference(ObjectReference(key: 3, entityIndex: 0), try slot("one"))
        let members = NSObject()
        row.setMembers(members, try slot("many"))
        let copy = second.append(copyOf: row)
        #expect(try copy.key == 5 && copy.version == 2 && !copy.hasValue(slot("many")))
        for (name, value, other) in Self.values {
            let slot = try slot(name)
            _ = row.setValue(other, slot)
            #expect(copy.value(slot) == value, "\(name)")
        }
        #expect(try copy.reference(slot("one")) == ObjectReference(key: 3, entityIndex: 0))
        #expect(try row.members(slot("many")) === members)
        for (name, _, other) in Self.values {
            copy.copyValue(of: try slot(name), from: row)
            #expect(try copy.value(slot(name)) == other)
        }
    }

    @Test func aSubentityBeginsWithItsSuperentity() throws {
        let base = try layout("Base"), sub = try layout("Sub"), subSub = try layout("SubSub")
        #expect(Array(sub.slots.prefix(base.slots.count)) == base.slots)
        #expect(Array(subSub.slots.prefix(sub.slots.count)) == sub.slots)
        let row = RowSlab(layout: subSub, capacity: 1).appendRow(key: 1, version: 1)
        for (name, value, _) in Self.values { _ = row.setValue(value, try slot(name)) }
        for slot in subSub.slots[base.slots.count...] {
            _ = row.setValue(slot.kind == .bool ? .bool(true) : .string(Self.longText), slot)
        }
        for (name, value, _) in Self.values { #expect(try row.value(slot(name)) == value, "\(name)") }
    }

    @Test func slotsAreAlignedAndDoNotOverlap() throws {
        for layout in layouts {
            var taken: [Range<Int>] = [0..<RowLayout.headerSize]
            for slot in layout.slots {
                let range = Int(slot.offset)..<(Int(slot.offset) + slot.kind.bytes.size)
                #expect(Int(slot.offset) % slot.kind.bytes.alignment == 0 && range.upperBound <= layout.stride)
                #expect(!taken.contains { $0.overlaps(range) })
                taken.append(range)
                #expect(!taken.contains { $0.contains(Int(slot.presenceOffset)) })
            }
            #expect(layout.slots.enumerated().allSatisfy { Int($1.index) == $0 })
            #expect(
                Set(layout.slots.map { [Int($0.presenceOffset), Int($0.presenceMask)] }).count == layout.slots.count)
        }
    }

    @Test func aSlabDestroysEachValueOnce() throws {
        final class Token {}
        weak var member: Token?
        weak var large: LargeValue?
        do {
            let slab = RowSlab(layout: try layout("Base"), capacity: 3)
            let other = RowSlab(layout: try layout("Base"), capacity: 3)
            let token = Token(), value = LargeValue(Data([1]))
            member = token
            large = value
            for key in 1...3 {
                let row = slab.appendRow(key: Int64(key), version: 1)
                row.setMembers(token, try slot("many"))
                row.setLarge(value, try slot("large"))
                row.setLarge(value, try slot("large"))
                _ = other.append(copyOf: row)
            }
            other.row(at: 1).clear(try slot("large"))
            _ = other.row(at: 2).cells.moveValue(try slot("large"))
            #expect(slab.isFull && other.count == 3)
        }
        #expect(member == nil && large == nil)
    }
}

extension RowMemoryTests {
    @Test func slabsOfLargeAnswersLiveAsLongAsEachIsHeld() throws {
        let layout = try layout("Base"), string = try slot("string"), int = try slot("int")
        var source = SlabSource()
        var slabs: [RowSlab] = []
        for number in 0..<64 {
            let slab = source.makeSlab(layout, capacity: 512)
            for place in 0..<512 {
                let row = slab.appendRow(key: Int64(number * 512 + place + 1), version: 1)
                row.setInt(Int64(number), int)
                row.setString("\(Self.longText) \(place)", string)
            }
            slabs.append(slab)
        }
        let kept = slabs.enumerated().filter { $0.offset % 7 == 3 }.map(\.element)
        slabs = []
        source = SlabSource()
        for (index, slab) in kept.enumerated() {
            for place in 0..<512 {
                let row = slab.row(at: place)
                try #require(
                    row.int(int) == Int64(index * 7 + 3) && row.string(string) == "\(Self.longText) \(place)"
                        && row.key == Int64((index * 7 + 3) * 512 + place + 1))
            }
        }
    }

    @Test func presenceIsAskedForAllSlotsAtOnce() throws {
        let layout = try layout("SubSub")
        let slab = RowSlab(layout: layout, capacity: 1)
        let row = slab.appendRow(key: 1, version: 1)
        let slots = [try slot("int"), try slot("string"), try slot("a19", in: "SubSub"), try slot("a1", in: "SubSub")]
        let presence = RowPresence(slots)
        #expect(row.cells.hasValues(RowPresence([])))
        for slot in slots {
            #expect(!row.cells.hasValues(presence))
            if slot.kind == .int { row.setInt(0, slot) } else { row.setString("", slot) }
        }
        #expect(row.cells.hasValues(presence))
        row.clear(slots[3])
        #expect(!row.cells.hasValues(presence))
    }

    @Test func typedCellsAndRowsAreTheSameMemory() throws {
        let slab = RowSlab(layout: try layout("Sub"), capacity: 1)
        let row = slab.appendRow(key: 1, version: 1)
        let cell = RowCell(try slot("string"))
        row.cells.store(Self.longText, cell)
        #expect(try row.string(slot("string")) == Self.longText)
        row.cells.store("b", cell)
        #expect(row.cells.load(cell, as: String.self) == "b")
        row.clear(try slot("string"))
        #expect(row.cells.load(cell, as: String.self) == nil)
        #expect(Row(slab: slab, cells: row.cells).isSame(as: row))
    }
}

extension SlotKind {
    fileprivate var bytes: (size: Int, alignment: Int) {
        switch self {
        case .int, .double, .date: (8, 8)
        case .bool: (1, 1)
        case .float: (4, 4)
        case .string, .uri: (16, 8)
        case .uuid: (16, 1)
        case .decimal: (MemoryLayout<Decimal>.size, MemoryLayout<Decimal>.alignment)
        case .data: (MemoryLayout<Data>.size, 8)
        case .large, .boxed, .toMany: (8, 8)
        case .toOne: (16, 8)
        }
    }
}
