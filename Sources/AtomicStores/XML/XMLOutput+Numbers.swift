import Coding
import Foundation

/// Numbers as they stand in an XML store.
extension XMLOutput {
    /// Puts a number's digits.
    mutating func put(_ number: Int64) {
        // Nineteen digits at most, and a sign.
        put(atMost: 20) { text in
            let magnitude = number.magnitude, start = number < 0 ? 1 : 0
            let count = start + Self.countOfDigits(magnitude)
            if number < 0 { text[0] = UInt8(ascii: "-") }
            Self.write(magnitude, to: UnsafeMutableRawBufferPointer(rebasing: text[start..<count]))
            return count
        }
    }

    mutating func put(_ uuid: UUID) {
        put(atMost: UUIDText.count) { text in
            UUIDText.write(uuid, to: text)
            return UUIDText.count
        }
    }

    private static let decimals = 20

    /// Puts seconds since 2001 with 20 decimals; with more digits where they would not read back.
    mutating func put(date seconds: Double) {
        let magnitude = seconds.magnitude
        // What has at most 40 binary places is counted in them: ten decimals of such a number have room in 128 bits, and ten more of what is left. Dates are such but for the first hour
        // of 2001, where 20 decimals may be too few besides.
        let places: UInt64 = 40
        let whole = magnitude.rounded(.towardZero), rest = (magnitude - whole) * 0x1p40
        guard magnitude < 0x1p53, magnitude >= 1 || magnitude == 0, rest.rounded(.towardZero) == rest else {
            let text = seconds.isFinite ? String(format: "%.\(Self.decimals)f", seconds) : seconds.description
            return put(Double(text) == seconds ? text : seconds.description)
        }
        var number = UInt64(whole), high: UInt64 = 0, low: UInt64 = 0
        if rest != 0 {
            let mask = (1 as UInt64) << places - 1, ten = UInt128(Self.tenDigits)
            let first = UInt128(UInt64(rest)) * ten, second = (first & UInt128(mask)) * ten
            high = UInt64(first >> places)
            low = UInt64(second >> places)
            let left = UInt64(truncatingIfNeeded: second) & mask, half = (1 as UInt64) << (places - 1)
            // As the C library does, halves to the even neighbour.
            if left > half || left == half && low & 1 == 1 { low += 1 }
            if low == Self.tenDigits { (high, low) = (high + 1, 0) }
            if high == Self.tenDigits { (number, high) = (number + 1, 0) }
        }
        if seconds.sign == .minus { put(UInt8(ascii: "-")) }
        put(Int64(number))
        guard high != 0 || low != 0 else { return put(".00000000000000000000") }
        put(UInt8(ascii: "."))
        put(atMost: Self.decimals) { text in
            let half = Self.decimals / 2
            Self.write(high, to: UnsafeMutableRawBufferPointer(rebasing: text[..<half]))
            Self.write(low, to: UnsafeMutableRawBufferPointer(rebasing: text[half...]))
            return Self.decimals
        }
    }

    private static let tenDigits: UInt64 = 10_000_000_000

    /// Puts a number as `description` writes it.
    mutating func put(_ number: Double) {
        // With four decimals and at most fifteen digits no other number of so many digits is as near, and none shorter: it is the one that `description` finds with more work.
        let scaled = (number.magnitude * 1e4).rounded()
        guard scaled < 1e15, scaled / 1e4 == number.magnitude else { return put(number.description) }
        let (whole, rest) = UInt64(scaled).quotientAndRemainder(dividingBy: 10_000)
        if number.sign == .minus { put(UInt8(ascii: "-")) }
        put(Int64(whole))
        put(UInt8(ascii: "."))
        put(atMost: 4) { text in
            Self.write(rest, to: text)
            var count = 4
            while count > 1, text[count - 1] == UInt8(ascii: "0") { count -= 1 }
            return count
        }
    }

    private static func countOfDigits(_ number: UInt64) -> Int {
        var count = 1, limit: UInt64 = 10
        // The greatest number has twenty digits, which is never asked for: nineteen fill a signed one.
        while number >= limit {
            count += 1
            if count == 20 { break }
            limit = limit &* 10
        }
        return count
    }

    /// Writes the last digits of a number, as many as there is room for.
    private static func write(_ number: UInt64, to text: UnsafeMutableRawBufferPointer) {
        var left = number, place = text.count
        while place >= 2 {
            place -= 2
            let (rest, pair) = left.quotientAndRemainder(dividingBy: 100)
            text.storeBytes(of: UnsafeRawPointer(pairs.utf8Start).loadUnaligned(fromByteOffset: 2 * Int(pair), as: UInt16.self), toByteOffset: place, as: UInt16.self)
            left = rest
        }
        if place == 1 { text[0] = UInt8(ascii: "0") + UInt8(left % 10) }
    }

    private static let pairs: StaticString = """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
}
