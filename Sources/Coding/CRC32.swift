internal import CSystem
internal import CZlib
package import Foundation

/// The checksum of zip and gzip, taken over one piece or several.
package struct CRC32: Sendable {
    /// The checksum of everything seen so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: some ContiguousBytes) {
        value = bytes.withUnsafeBytes { buffer in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return value }
            // The processor's own instructions take whole pieces; the rest is less than one of them.
            let whole = Self.isAccelerated && buffer.count >= Self.fewestAccelerated ? buffer.count & ~15 : 0
            let sum = whole > 0 ? folio_crc32(value, start, whole) : value
            return whole == buffer.count ? sum : UInt32(truncatingIfNeeded: crc32_z(uLong(sum), start + whole, buffer.count - whole))
        }
    }

    private static let isAccelerated = folio_crc32_available() != 0
    private static let fewestAccelerated = 64

    package static func checksum(_ bytes: some ContiguousBytes) -> UInt32 {
        var sum = CRC32()
        sum.update(bytes)
        return sum.value
    }
}
