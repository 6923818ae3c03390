import RowMemory
import Schema
import Testing

struct ShortNameTests {
    @Test func shortNamesAreToldApartByTheirText() throws {
        #expect(ShortString.isSupported)
        let names = ["", "a", "b", "ab", "ba", "name", "number", "fifteen letters"]
        for (place, name) in names.enumerated() {
            // Built at run time, where a literal may stand elsewhere.
            let built = try #require(ShortName(String(decoding: Array(name.utf8), as: UTF8.self)))
            for (other, text) in names.enumerated() { #expect((ShortName(text) == built) == (place == other)) }
        }
    }

    @Test func longNamesAreNone() {
        #expect(ShortName("sixteen letters!") == nil)
        #expect(ShortName(String(repeating: "n", count: 100)) == nil)
    }
}

struct ShortStringTests {
    /// Each text stands in memory of its own length, so that reading beyond it is noticed by the address sanitizer.
    private func made(_ text: [UInt8]) -> String? {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
        defer { bytes.deallocate() }
        _ = bytes.initialize(fromContentsOf: text)
        return ShortString.make(UnsafeBufferPointer(bytes))
    }

    @Test(arguments: 0...15) func shortTextsAreTheStringsThatSwiftMakes(count: Int) throws {
        for variant in 0..<4 {
            let text = (0..<count).map { UInt8(variant == 3 ? 0x7f : ($0 * 37 + variant * 11) % 128) }
            let expected = String(decoding: text, as: UTF8.self)
            let short = try #require(self.made(text))
            #expect(short == expected && Array(short.utf8) == text && short.hashValue == expected.hashValue)
            let isSame = unsafeBitCast(short, to: (UInt64, UInt64).self) == unsafeBitCast(expected, to: (UInt64, UInt64).self)
            #expect(isSame)
            #expect((short + "–more than fifteen bytes").hasPrefix(expected))
        }
    }

    @Test func othersAreLeftToSwift() {
        #expect(made(Array("sixteen letters.".utf8)) == nil && made(Array(repeating: 65, count: 100)) == nil)
        for count in 1...15 {
            for place in 0..<count {
                var text = [UInt8](repeating: 65, count: count)
                text[place] = 0xc3
                #expect(made(text) == nil)
            }
        }
    }

    /// Long ones are given back, short ones have nothing to give back: looked at by the address sanitizer's search for leaks.
    @Test func stringsOfEveryLengthGoWithTheirRows() throws {
        let model = try ManagedObjectModel(entities: [EntityDescription("Text", attributes: [.init("text", .string), .init("other", .string)])])
        let layout = RowLayout.layouts(for: model)[0]
        let slab = RowSlab(layout: layout, capacity: 64)
        for count in 0..<64 {
            let row = slab.appendRow(key: Int64(count + 1), version: 1)
            row.setString(String(repeating: count % 2 == 0 ? "a" : "é", count: count), layout.slots[0])
            if count % 3 == 0 { row.setString("\(count)", layout.slots[1]) }
        }
        #expect((0..<64).allSatisfy { slab.row(at: $0).string(layout.slots[0])?.count == $0 })
    }
}
