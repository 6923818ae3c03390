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
            return UInt32(truncatingIfNeeded: crc32_z(uLong(value), start, buffer.count))
        }
    }

    package static func checksum(_ bytes: some ContiguousBytes) -> UInt32 {
        var sum = CRC32()
        sum.update(bytes)
        return sum.value
    }
}
