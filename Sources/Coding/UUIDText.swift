package import Foundation

/// UUIDs as text, as Foundation writes and reads them, for those who read or write many or are waited for.
package enum UUIDText {
    package static let count = 36

    /// Puts a UUID in capitals.
    package static func append(_ uuid: UUID, to output: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { text in
            var place = 0
            func put(_ byte: UInt8) {
                text[place] = byte
                place += 1
            }
            withUnsafeBytes(of: uuid.uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if isAfterDash(index) { put(dash) }
                    put(digit(byte >> 4))
                    put(digit(byte & 15))
                }
            }
            output.append(contentsOf: text)
        }
    }

    /// The UUID of 32 digits of either case with four dashes among them; nil for anything else.
    package static func uuid(_ text: UnsafeRawBufferPointer) -> UUID? {
        guard text.count == count else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isOne = withUnsafeMutableBytes(of: &uuid) { bytes in
            var place = 0
            for index in 0..<16 {
                if isAfterDash(index) {
                    guard text[place] == dash else { return false }
                    place += 1
                }
                guard let high = value(ofDigit: text[place]), let low = value(ofDigit: text[place + 1]) else { return false }
                bytes[index] = high << 4 | low
                place += 2
            }
            return true
        }
        return isOne ? UUID(uuid: uuid) : nil
    }

    package static func uuid(_ text: String) -> UUID? {
        var text = text
        return text.withUTF8 { uuid(UnsafeRawBufferPointer($0)) }
    }

    private static let dash = UInt8(ascii: "-")

    private static func isAfterDash(_ byte: Int) -> Bool { byte == 4 || byte == 6 || byte == 8 || byte == 10 }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10 }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
