import Coding
import Foundation
import Testing

/// Lists that keep other readers busy for ever, or break them.
struct HostilePropertyListTests {
    /// A binary list made of the given objects, each as its encoded bytes; references are two bytes
    /// wide.
    private func list(_ objects: [[UInt8]], top: Int = 0) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 16 & 255), UInt8(offset >> 8 & 255), UInt8(offset & 255)] }
        bytes += [0, 0, 0, 0, 0, 0, 3, 2]
        for field in [objects.count, top, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: field >> (56 - 8 * $0)) }
        }
        return Data(bytes)
    }

    private func reference(_ index: Int) -> [UInt8] { [UInt8(index >> 8), UInt8(index & 255)] }

    private func code(_ data: Data) -> CodingError.Code? {
        #expect(throws: CodingError.self) { try PropertyList.decode(data) }?.code
    }

    @Test func aTreeThatDoublesAtEveryLevelIsRefusedQuickly() {
        let objects = (0..<50).map { [0xA2] + reference($0 + 1) + reference($0 + 1) } + [[0x09]]
        #expect(code(list(objects)) == .tooMany)
    }

    @Test func sharedObjectsAreFine() throws {
        let objects = (0..<10).map { [0xA2] + reference($0 + 1) + reference($0 + 1) } + [[0x09]]
        _ = try PropertyList.decode(list(objects))
    }

    @Test func cyclesAreRefused() {
        #expect(code(list([[0xA1] + reference(0)])) == .cyclic)
        #expect(code(list([[0xA1] + reference(1), [0xA1] + reference(0)])) == .cyclic)
        #expect(code(list([[0xD1] + reference(0) + reference(1), [0x09]])) == .malformed)
    }

    @Test func twentyThousandLevelsAreRefused() {
        #expect(code(list((0..<20_000).map { [0xA1] + reference($0 + 1) } + [[0x09]])) == .tooDeep)
        let xml =
            "<plist>" + String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
            + "</plist>"
        #expect(code(Data(xml.utf8)) == .tooDeep)
    }

    @Test func moreObjectsThanPlacesForThemAreRefused() {
        // A table of a million offsets of one byte: they could name 256 places at the most.
        let count = 1_000_000
        var bytes = Array("bplist00".utf8) + [0x09] + [UInt8](repeating: 8, count: count) + [0, 0, 0, 0, 0, 0, 1, 3]
        for field in [count, 0, 9] { bytes += (0..<8).map { UInt8(truncatingIfNeeded: field >> (56 - 8 * $0)) } }
        #expect(code(Data(bytes)) == .malformed)
    }

    @Test func overlappingObjectsAreRefused() {
        // Many arrays over the same bytes: work would grow with the square of the file.
        var bytes = [UInt8](
            list([[0xAF, 0x11, 0x01, 0x00] + (0..<256).flatMap { reference($0 + 1) }] + (0..<256).map { _ in [0x09] }))
        let table = bytes.count - 32 - 257 * 3
        for index in 1..<257 { bytes.replaceSubrange(table + 3 * index..<table + 3 * index + 3, with: [0, 0, 8]) }
        #expect([.malformed, .cyclic].contains(code(Data(bytes))))
    }

    @Test func lyingLengthsAndOffsetsAreRefused() {
        #expect(code(list([[0x4F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]])) == .truncated)
        #expect(code(list([[0xAF, 0x13, 255, 255, 255, 255, 255, 255, 255, 255]])) == .truncated)
        #expect(code(list([[0x5F, 0x22, 0, 0, 0, 0]])) == .malformed)
        #expect(code(list([[0xA1] + reference(9)])) == .malformed)
        #expect(code(list([[0x00]])) == .malformed)
        #expect(code(list([[0x51, 0xC3]])) == .malformed)
        var bytes = [UInt8](list([[0x09]]))
        bytes[bytes.count - 24 + 0] = 0x7F
        #expect(code(Data(bytes)) == .malformed)
    }

    @Test func everyFlippedBitGivesAValueOrAnError() {
        let whole = [UInt8](
            PropertyList.encodeBinary([
                "k": .array([1, "two", .real(3), .data(Data([4])), .uid(5)]), "l": .dictionary([:]),
            ]))
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << bit
                _ = try? PropertyList.decode(Data(bytes))
            }
            _ = try? PropertyList.decode(Data(whole[..<index]))
        }
    }

    @Test func entitiesAndDocumentTypesWithDeclarationsAreRefused() {
        let bomb =
            "<?xml version=\"1.0\"?><!DOCTYPE plist [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]><plist><string>&b;</string></plist>"
        #expect(code(Data(bomb.utf8)) == .unsupported)
        #expect(code(Data("<plist><string>&b;</string></plist>".utf8)) == .malformed)
        #expect(code(Data("<plist><dict><key>a</key></dict></plist>".utf8)) == .malformed)
        #expect(code(Data("<plist><integer>x</integer></plist>".utf8)) == .malformed)
    }
}
