import Coding

/// Files with their checksums made right again.
enum Checksums {
    private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int? {
        guard place >= 0, place + size <= bytes.count else { return nil }
        let value = bytes[place..<place + size].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }

    private static func put(_ value: UInt32, _ place: Int, in bytes: inout [UInt8], isBigEndian: Bool = false) {
        guard place + 4 <= bytes.count else { return }
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * (isBigEndian ? 3 - index : index)))
        }
    }

    /// The table's behind the data, the header's in its last four bytes.
    static func delta(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let header = 60
        guard bytes.count >= header else { return bytes }
        if let data = number(bytes, 40, 8), data >= 0, data <= bytes.count - header {
            put(CRC32.checksum(Array(bytes[(header + data)...])), 52, in: &bytes)
        }
        put(CRC32.checksum(Array(bytes[..<56])), 56, in: &bytes)
        return bytes
    }

    static func binaryStore(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard bytes.count >= 48, let count = number(bytes, 12, 4), count <= 64, 48 + 32 * count <= bytes.count else {
            return bytes
        }
        for entry in 0..<count {
            let place = 48 + 32 * entry
            guard let offset = number(bytes, place + 8, 8), let length = number(bytes, place + 16, 8),
                offset <= bytes.count, length <= bytes.count - offset
            else { continue }
            put(CRC32.checksum(Array(bytes[offset..<offset + length])), place + 24, in: &bytes)
        }
        var sum = CRC32()
        sum.update(Array(bytes[..<44]))
        sum.update(Array(bytes[48..<(48 + 32 * count)]))
        put(sum.value, 44, in: &bytes)
        return bytes
    }

    /// The running sum of a WAL over its header and frames of 4096 bytes.
    static func wal(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        guard bytes.count >= 32 else { return bytes }
        let isBigEndian = bytes[3] & 1 == 1
        var first: UInt32 = 0, second: UInt32 = 0
        func word(_ place: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[place + (isBigEndian ? $1 : 3 - $1)]) }
        }
        func add(_ range: Range<Int>) {
            for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                first &+= word(place) &+ second
                second &+= word(place + 4) &+ first
            }
        }
        add(0..<24)
        put(first, 24, in: &bytes, isBigEndian: true)
        put(second, 28, in: &bytes, isBigEndian: true)
        var frame = 32
        while frame + 24 + 4096 <= bytes.count {
            bytes.replaceSubrange(frame + 8..<frame + 16, with: bytes[16..<24])
            add(frame..<frame + 8)
            add(frame + 24..<frame + 24 + 4096)
            put(first, frame + 16, in: &bytes, isBigEndian: true)
            put(second, frame + 20, in: &bytes, isBigEndian: true)
            frame += 24 + 4096
        }
        return bytes
    }
}
