/// Fast paths for ASCII text, which most columns contain: bytes are compared as they are, or one by
/// one without case.
enum PlainText {
    /// Whether the bytes of a text must be folded with ``folded(_:)`` before they are compared; nil
    /// for text that is not ASCII and for options that depend on the locale.
    @inline(__always) static func isFolded(_ text: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options)
        -> Bool?
    {
        guard !options.contains(.localeSensitive), isASCII(text) else { return nil }
        return options.contains(.caseInsensitive)
    }

    @inline(__always) static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    @inline(__always) private static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var all: UInt64 = 0, place = 0
        while place + 8 <= bytes.count {
            all |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place += 8
        }
        while place < bytes.count {
            all |= UInt64(bytes[place])
            place += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
