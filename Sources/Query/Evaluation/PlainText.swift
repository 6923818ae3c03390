/// Texts of ASCII, which nearly all are that a table is searched for: their bytes are compared as
/// they are, or each by itself without case.
enum PlainText {
    /// Whether each byte of a text has to be ``folded(_:)`` under options; nil for a text that is
    /// not of ASCII, and for options that only Foundation knows the meaning of.
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
