import Foundation

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
        return memcmp(base + place, other, expected.count) == 0 ? end : nil
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

    /// The characters of a text between tags; nil where there is something to look up.
    func characters(_ range: Range<Int>) -> String? {
        let text = slice(range)
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
