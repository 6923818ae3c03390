internal import CDeflate
package import Foundation

/// The CRC-32 checksum of zip and gzip, computed over one or several pieces.
///
/// libdeflate uses the processor's instructions for it. This matters because packing a document
/// computes checksums of every byte two to three times.
package struct CRC32: Sendable {
    /// The checksum of all bytes so far.
    package private(set) var value: UInt32 = 0

    package init() {}

    package mutating func update(_ bytes: some ContiguousBytes) {
        value = bytes.withUnsafeBytes { buffer in
            // For a null pointer libdeflate returns the initial checksum instead of the current
            // value.
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
