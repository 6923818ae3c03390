/// A name of up to 15 bytes as it stands in a string, in two words: comparing these is a tenth of hashing the name.
///
/// Public for one reason: what looks names up in other rooms is compiled into them. No product lets users import this room.
public struct ShortName: Sendable, Equatable {
    @usableFromInline let low: UInt64
    @usableFromInline let high: UInt64

    /// Nil for strings that stand elsewhere. Equal words are equal names; equal names can have other words, where letters with marks are written in two ways.
    @inlinable @inline(__always) public init?(_ name: String) {
        // A string is two words; with the 62nd bit of the second they hold the text itself, its length, and nothing else.
        (low, high) = unsafeBitCast(name, to: (UInt64, UInt64).self)
        guard high & 1 << 61 != 0 else { return nil }
    }

    /// Whether strings stand in memory as is supposed here. Whoever keeps names asks once, and keeps none otherwise.
    package static let isSupported = MemoryLayout<String>.size == 16 && ShortName("ab").map { $0.low == 0x6261 && $0.high == 0xe2 << 56 } == true
}
