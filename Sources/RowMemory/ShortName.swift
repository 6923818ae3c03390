/// A name of up to 15 bytes as it stands in a string (``ShortString``), in two words: comparing these is a tenth of hashing the name.
///
/// Public for one reason: what looks names up in other rooms is compiled into them. No product lets users import this room.
public struct ShortName: Sendable, Equatable {
    @usableFromInline let low: UInt64
    @usableFromInline let high: UInt64

    /// Nil for strings that stand elsewhere. Equal words are equal names; equal names can have other words, where letters with marks are written in two ways.
    @inlinable @inline(__always) public init?(_ name: String) {
        (low, high) = ShortString.words(name)
        guard ShortString.isShort(high) else { return nil }
    }

    @inlinable @inline(__always) public static func == (left: ShortName, right: ShortName) -> Bool { left.low == right.low && left.high == right.high }
}
