internal import CDeflate
package import Foundation

/// The checksum of zip and gzip, taken over one piece or several.
///
/// libdeflate computes it with the processor's instructions for it: packing a document takes it of
/// every byte two to three times.
package struct CRC32: Sendable {
    /// The checksum of everything seen so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: some ContiguousBytes) {
        value = bytes.withUnsafeBytes { buffer in
            // Of no bytes at all libdeflate answers the checksum of nothing.
            guard let start = buffer.baseAddress else { return value }
            return libdeflate_crc32(value, start, buffer.count)
        }
    }

    package static func checksum(_ bytes: some ContiguousBytes) -> UInt32 {
        var sum = CRC32()
        sum.update(bytes)
        return sum.value
    }
}
