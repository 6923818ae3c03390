import Coding
import Foundation
import Testing

struct RawDeflateTests {
    @Test func whatIsCompressedComesBack() throws {
        for size in [0, 1, 100, 65_535, 65_536, 300_000] {
            let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
            let packed = try RawDeflate.compress(data)
            #expect(try RawDeflate.decompress(packed, limit: size) == data)
        }
    }

    @Test func decompressingStopsAtTheLimit() throws {
        let packed = try RawDeflate.compress(Data(repeating: 7, count: 50_000_000))
        #expect(throws: CodingError.self) { try RawDeflate.decompress(packed, limit: 49_999_999, ratio: 100_000) }
        let failure = #expect(throws: CodingError.self) { try RawDeflate.decompress(packed, limit: .max) }
        #expect(failure?.code == .tooLarge)
        #expect(try RawDeflate.decompress(packed, limit: .max, ratio: 100_000).count == 50_000_000)
    }

    @Test func damageIsNamed() throws {
        let packed = try RawDeflate.compress(Data("hello hello hello".utf8))
        #expect(throws: CodingError.self) { try RawDeflate.decompress(packed.dropLast(), limit: 100) }
        #expect(
            #expect(throws: CodingError.self) { try RawDeflate.decompress(packed + [0], limit: 100) }?.code
                == .malformed)
        #expect(#expect(throws: CodingError.self) { try RawDeflate.decompress(Data(), limit: 100) }?.code == .truncated)
        #expect(
            #expect(throws: CodingError.self) { try RawDeflate.decompress(Data([0xFF, 0xFF]), limit: 100) }?.code
                == .malformed)
    }
}
