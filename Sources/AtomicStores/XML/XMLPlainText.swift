import Foundation
import RowMemory

/// Bytes of a document, looked at by whoever knows what to expect. Every look is within them.
///
/// Invariant: whoever makes it keeps the bytes as long as it is used.
struct XMLPlainText {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

    /// The place behind `expected`, where that is what stands at `place`.
    @inline(__always) func after(_ expected: UnsafeRawBufferPointer, at place: Int) -> Int? {
        let end = place + expected.count
        guard end <= bytes.count, let base = bytes.baseAddress, let other = expected.baseAddress else { return nil }
        return Self.isSame(base + place, other, expected.count) ? end : nil
    }

    /// Most of what is compared are some words, and the same: a call takes longer.
    @inline(__always) private static func isSame(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Bool {
        func isSame(at place: Int) -> Bool { one.loadUnaligned(fromByteOffset: place, as: UInt64.self) == other.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
        guard count >= 8 else { return memcmp(one, other, count) == 0 }
        var place = 0
        while place + 8 <= count {
            guard isSame(at: place) else { return false }
            place += 8
        }
        return isSame(at: count - 8)
    }

    @inline(__always) func after(_ expected: StaticString, at place: Int) -> Int? {
        after(UnsafeRawBufferPointer(start: expected.utf8Start, count: expected.utf8CodeUnitCount), at: place)
    }

    /// The place of the next byte of a kind.
    func next(_ byte: UInt8, from place: Int) -> Int? {
        guard place < bytes.count, let base = bytes.baseAddress, let found = memchr(base + place, Int32(byte), bytes.count - place) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// The place of the next byte that is no space.
    func afterSpace(at place: Int) -> Int {
        var place = place
        while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x0A || bytes[place] == 0x09 { place += 1 }
        return place
    }

    /// A number of up to 18 digits, and the place behind it.
    func digits(at place: Int) -> (number: Int64, end: Int)? {
        var end = place, number: Int64 = 0
        while end < bytes.count, case let digit = bytes[end] &- 0x30, digit < 10 {
            guard end - place < 18 else { return nil }
            number = number * 10 + Int64(digit)
            end += 1
        }
        return end > place ? (number, end) : nil
    }

    /// Some bytes from a place on; nil where there are fewer.
    func bytes(_ count: Int, at place: Int) -> UnsafeRawBufferPointer? {
        place + count <= bytes.count ? slice(place..<place + count) : nil
    }

    /// A number of up to 18 digits, perhaps with a minus, and the place behind it.
    @inline(__always) func integer(at place: Int) -> (number: Int64, end: Int)? {
        guard byte(at: place) == 0x2D else { return digits(at: place) }
        return digits(at: place + 1).map { (-$0.number, $0.end) }
    }

    /// The nearest number to one with decimals, and the place behind it, as ``PlainNumber`` reads it; nil for one that has more than zeros behind its first 18 digits, or none of them.
    @inline(__always) func decimal(at place: Int) -> (number: Double, end: Int)? {
        let isNegative = byte(at: place) == 0x2D
        guard let (whole, point) = digits(at: isNegative ? place + 1 : place), byte(at: point) == 0x2E else { return nil }
        var number = UInt64(whole), decimals = 0, end = point + 1
        while end < bytes.count, case let digit = bytes[end] &- 0x30, digit < 10 {
            // Dates are written with twenty decimals, of which most are zeros.
            if decimals > 0, end + 8 <= bytes.count, bytes.loadUnaligned(fromByteOffset: end, as: UInt64.self) == 0x3030_3030_3030_3030 {
                end += 8
                while end < bytes.count, bytes[end] == 0x30 { end += 1 }
                break
            }
            guard number < 1 << 49 else { return nil }
            number = number * 10 + UInt64(digit)
            decimals += 1
            end += 1
        }
        guard decimals > 0, let magnitude = PlainNumber.quotient(of: number, decimals: decimals) else { return nil }
        return (isNegative ? -magnitude : magnitude, end)
    }

    /// The characters of a text between tags; nil where there is something to look up.
    func characters(_ range: Range<Int>) -> String? {
        let text = slice(range)
        if text.count <= 15, ShortString.isSupported, !text.contains(where: { $0 == 0x0D || $0 == 0x26 }),
            let short = text.withMemoryRebound(to: UInt8.self, { ShortString.make($0) })
        {
            return short
        }
        // An end of line is written otherwise by some, and read as one character.
        if text.contains(0x0D) { return nil }
        guard text.contains(0x26) else { return String(decoding: text, as: UTF8.self) }
        var characters: [UInt8] = [], place = 0
        while place < text.count {
            guard text[place] == 0x26 else {
                characters.append(text[place])
                place += 1
                continue
            }
            let rest = text[place...]
            guard let known = Self.entities.first(where: { rest.starts(with: $0.name) }) else { return nil }
            characters.append(known.character)
            place += known.name.count
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static let entities: [(name: [UInt8], character: UInt8)] = [
        (Array("&lt;".utf8), 0x3C), (Array("&gt;".utf8), 0x3E), (Array("&amp;".utf8), 0x26), (Array("&quot;".utf8), 0x22), (Array("&apos;".utf8), 0x27),
    ]
}
