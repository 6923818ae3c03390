/// Strings of up to 15 bytes, which hold their text themselves: two words, of which the last byte says the length and that it is such a string.
///
/// Public, as rows are, so that loops in other rooms are compiled into them; no product lets users import this room.
public enum ShortString {
    /// Whether strings stand in memory as is supposed here. Whoever makes use of it asks first, and does without otherwise.
    public static let isSupported = MemoryLayout<String>.size == 16 && words("ab") == (0x6261, 0xe2 << 56) && isShort(words("ab").high) && !isShort(words("sixteen letters.").high)

    @inlinable @inline(__always) static func words(_ string: String) -> (low: UInt64, high: UInt64) { unsafeBitCast(string, to: (low: UInt64, high: UInt64).self) }

    /// Whether the second word of a string is that of a short one, which holds no memory.
    @inlinable @inline(__always) static func isShort(_ high: UInt64) -> Bool { high & 1 << 61 != 0 }

    /// Whether the string that stands at a place is a short one.
    @inline(__always) static func isShort(at place: UnsafeMutableRawPointer) -> Bool { isShort(place.load(fromByteOffset: 8, as: UInt64.self)) }

    /// The string of up to 15 bytes of ASCII, put together without a call; nil for all others. Only where ``isSupported`` is true.
    @inlinable @inline(__always) public static func make(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let count = bytes.count
        guard count <= 15, let base = bytes.baseAddress else { return nil }
        let start = UnsafeRawPointer(base)
        var low: UInt64 = 0, high: UInt64 = 0
        // No byte is read beyond the text: parts overlap instead.
        if count >= 8 {
            low = start.loadUnaligned(as: UInt64.self)
            high = start.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self) >> UInt64((16 - count) * 8)
        } else if count >= 4 {
            low = UInt64(start.loadUnaligned(as: UInt32.self)) | UInt64(start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)) << UInt64((count - 4) * 8)
        } else {
            for index in 0..<count { low |= UInt64(bytes[index]) << UInt64(index * 8) }
        }
        guard (low | high) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return unsafeBitCast((low, high | UInt64(0xe0 | count) << 56), to: String.self)
    }
}
