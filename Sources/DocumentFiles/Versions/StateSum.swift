internal import Coding
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit

/// A sum over the pages of a database that can be updated page by page. A save only needs to read
/// the changed pages, and a restored version can be verified as a whole.
package struct StateSum: Sendable, Hashable {
    private(set) var value: UInt64 = 0
    private static let bytesAtOnce = 1 << 18

    init() {}

    init(value: UInt64) { self.value = value }

    /// The sum over all pages of a state. Reads all of them.
    init(of state: DatabaseState) throws {
        let size = state.pageSize, atOnce = max(1, Self.bytesAtOnce / size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: atOnce * size, alignment: 4096)
        defer { buffer.deallocate() }
        for first in stride(from: 0, to: state.pageCount, by: atOnce) {
            let run = first..<min(first + atOnce, state.pageCount)
            try state.read(pages: run, into: buffer)
            for page in run {
                let start = (page - first) * size
                add(page, UnsafeRawBufferPointer(rebasing: buffer[start..<start + state.byteCount(ofPage: page)]))
            }
        }
    }

    package mutating func add(_ page: Int, _ bytes: UnsafeRawBufferPointer) { value &+= Self.hash(page, bytes) }

    package mutating func remove(_ page: Int, _ bytes: UnsafeRawBufferPointer) { value &-= Self.hash(page, bytes) }

    /// The hash of a page, from its number, length and CRC-32. It is mixed, so that two changes
    /// don't cancel each other out.
    private static func hash(_ page: Int, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let place = (UInt64(truncatingIfNeeded: page) &+ 1) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        return mixed(mixed(place) ^ UInt64(CRC32.checksum(bytes)))
    }

    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

extension StateSum: Encodable {
    /// Decodes a sum; nil for an invalid value.
    init?(_ value: JSONValue) {
        guard let text = value.string, let value = UInt64(text, radix: 16) else { return nil }
        self.value = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(value, radix: 16))
    }
}
