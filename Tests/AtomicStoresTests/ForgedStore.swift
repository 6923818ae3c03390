import Coding
import Foundation

/// Binary stores whose checksums are right, whatever else is not.
enum ForgedStore {
    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int {
        bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func put(_ value: UInt32, _ offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    }

    /// Where the sections of objects begin, behind the metadata and the model, whose own readers
    /// have tests of their own.
    static func bodyStart(_ bytes: [UInt8]) -> Int { number(bytes, 48 + 2 * 32 + 8, 8) }

    static func replacing(_ index: Int, in bytes: [UInt8], by value: UInt8) -> [UInt8] {
        var forged = bytes
        forged[index] = value
        let count = number(bytes, 12, 4)
        for entry in 0..<count {
            let place = 48 + 32 * entry
            let offset = number(bytes, place + 8, 8), length = number(bytes, place + 16, 8)
            if offset <= index, index < offset + length {
                put(CRC32.checksum(forged[offset..<offset + length]), place + 24, in: &forged)
            }
        }
        var sum = CRC32()
        sum.update(forged[..<44])
        sum.update(forged[48..<(48 + 32 * count)])
        put(sum.value, 44, in: &forged)
        return forged
    }
}
