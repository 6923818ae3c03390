/// The variable-length integers of SQLite's file format: seven bits in each byte except the ninth,
/// which has eight.
@usableFromInline enum Varint {
    private static let longest = 9

    /// Reads an integer and advances `offset` past it. Reads up to nine bytes.
    @inlinable @inline(__always) static func read(_ bytes: UnsafePointer<UInt8>, _ offset: inout Int) -> UInt64 {
        let first = bytes[offset]
        offset += 1
        if first < 0x80 { return UInt64(first) }
        return readRest(UInt64(first & 0x7f), bytes, &offset)
    }

    @inlinable static func readRest(_ start: UInt64, _ bytes: UnsafePointer<UInt8>, _ offset: inout Int) -> UInt64 {
        var value = start
        for count in 1..<9 {
            let byte = bytes[offset]
            offset += 1
            if count == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte < 0x80 { return value }
        }
        return value
    }

    /// Reads an integer; returns nil if it does not end within the bytes.
    static func read(_ bytes: [UInt8], _ offset: inout Int) -> UInt64? {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, offset < bytes.count,
                bytes.count - offset >= longest || bytes[offset...].contains(where: { $0 < 0x80 })
            else { return nil }
            return read(start, &offset)
        }
    }
}
