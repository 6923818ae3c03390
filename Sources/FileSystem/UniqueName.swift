/// Unique identifiers for temporary names: UUIDs as lowercase text.
package enum UniqueName {
    /// The length of an identifier in bytes.
    package static let length = 36

    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var high = generator.next() as UInt64
        var low = generator.next() as UInt64
        high = high & ~0xF000 | 0x4000
        low = low & ~(3 << 62) | 2 << 62
        let digits = hex(high) + hex(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    /// Whether `text` has the form of such an identifier.
    package static func isOne(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12]
            && parts.allSatisfy { $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } }
    }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
