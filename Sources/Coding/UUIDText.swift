package import Foundation

/// UUIDs as text, as Foundation writes and reads them, for those who read or write many or are waited for.
package enum UUIDText {
    package static let count = 36

    /// Puts a UUID in capitals.
    package static func append(_ uuid: UUID, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { text in
            write(uuid, to: text)
            output.append(contentsOf: text)
        }
    }

    /// Writes a UUID in capitals to the beginning of memory with room for it.
    package static func write(_ uuid: UUID, to text: UnsafeMutableRawBufferPointer) {
        precondition(text.count >= count, "There is room for a UUID")
        withUnsafeBytes(of: uuid.uuid) { bytes in
            func part(_ place: Int) -> UInt64 { Self.digits(of: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
            func put(_ digits: UInt64, at place: Int) { text.storeBytes(of: digits.littleEndian, toByteOffset: place, as: UInt64.self) }
            func put(half digits: UInt64, at place: Int) { text.storeBytes(of: UInt32(truncatingIfNeeded: digits).littleEndian, toByteOffset: place, as: UInt32.self) }
            let (second, third) = (part(4), part(8))
            put(part(0), at: 0)
            put(half: second, at: 9)
            put(half: second >> 32, at: 14)
            put(half: third, at: 19)
            put(half: third >> 32, at: 24)
            put(part(12), at: 28)
        }
        text[8] = dash
        text[13] = dash
        text[18] = dash
        text[23] = dash
    }

    /// The UUID of 32 digits of either case with four dashes among them; nil for anything else.
    package static func uuid(_ text: UnsafeRawBufferPointer) -> UUID? {
        guard text.count == count, text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else { return nil }
        func digits(at place: Int) -> UInt64 { UInt64(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
        func half(at place: Int) -> UInt64 { UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: place, as: UInt32.self))) }
        guard let first = bytes(of: digits(at: 0)), let second = bytes(of: half(at: 9) | half(at: 14) << 32), let third = bytes(of: half(at: 19) | half(at: 24) << 32),
            let fourth = bytes(of: digits(at: 28))
        else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { bytes in
            bytes.storeBytes(of: first, toByteOffset: 0, as: UInt32.self)
            bytes.storeBytes(of: second, toByteOffset: 4, as: UInt32.self)
            bytes.storeBytes(of: third, toByteOffset: 8, as: UInt32.self)
            bytes.storeBytes(of: fourth, toByteOffset: 12, as: UInt32.self)
        }
        return UUID(uuid: uuid)
    }

    // Eight digits and four bytes at a time, the first lowest in a number of 64 bits. No sum below leaves its byte.

    private static func all(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

    /// The four bytes, as they lie in memory, that eight digits stand for; nil where one is none.
    private static func bytes(of digits: UInt64) -> UInt32? {
        guard digits & all(0x80) == 0 else { return nil }
        // The highest bit of each byte says whether it is at least so much.
        func isAtLeast(_ least: UInt64, _ bytes: UInt64) -> UInt64 { bytes &+ all(0x80 - least) }
        let small = digits | all(0x20)
        let isNumber = isAtLeast(0x30, digits) & ~isAtLeast(0x3A, digits) & all(0x80)
        let isLetter = isAtLeast(0x61, small) & ~isAtLeast(0x67, small) & all(0x80)
        guard isNumber | isLetter == all(0x80) else { return nil }
        let values = (digits & all(0x0F)) &+ (isLetter >> 7) &* 9
        var pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: pairs | pairs >> 16).littleEndian
    }

    /// The eight digits of four bytes as they lie in memory.
    private static func digits(of bytes: UInt32) -> UInt64 {
        var spread = UInt64(UInt32(littleEndian: bytes))
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        let values = (spread >> 4 & 0x000F_000F_000F_000F) | (spread & 0x000F_000F_000F_000F) << 8
        return values &+ all(0x30) &+ ((values &+ all(6)) >> 4 & all(1)) &* 7
    }

    package static func uuid(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8 { uuid(UnsafeRawBufferPointer($0)) }
    }

    private static let dash = UInt8(ascii: "-")
}
