import Foundation

/// Numbers as programs mostly write them: digits, perhaps with a sign and with decimals. They are read as the standard library reads them, without making a string.
enum PlainNumber {
    /// Nil for what is no such number, or has more than 18 digits.
    static func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
        let start = text.first == minus ? 1 : 0
        guard text.count > start, text.count - start <= 18 else { return nil }
        var number: Int64 = 0
        for byte in text[start...] {
            guard byte &- zero < 10 else { return nil }
            number = number * 10 + Int64(byte &- zero)
        }
        return start == 1 ? -number : number
    }

    /// The nearest number to a decimal one; nil for what is none, or has more digits than are counted here.
    static func double(_ text: UnsafeRawBufferPointer) -> Double? {
        let start = text.first == minus ? 1 : 0
        var digits = 0, decimals = -1, small: UInt64 = 0, end = text.count
        // Dates are written with twenty decimals, of which most are zeros.
        if let base = text.baseAddress, memchr(base, Int32(point), end) != nil {
            while end - start > 8, text.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == eightZeros, text[end - 9] != point { end -= 8 }
            while end > start + 1, text[end - 1] == zero, text[end - 2] != point { end -= 1 }
        }
        guard end > start, text[end - 1] != point else { return nil }
        for byte in text[start..<end] {
            if byte == point {
                guard decimals < 0, digits > 0 else { return nil }
                decimals = 0
                continue
            }
            guard byte &- zero < 10 else { return nil }
            digits += 1
            if decimals >= 0 { decimals += 1 }
            if digits <= 19 { small = small &* 10 &+ UInt64(byte &- zero) }
        }
        decimals = max(decimals, 0)
        let magnitude: Double
        if digits <= 19, small < 1 << 53, decimals < powers.count {
            // Both are exact, and so is their quotient but for one rounding.
            magnitude = Double(small) / powers[decimals]
        } else if digits <= 38, decimals <= 20 {
            var number: UInt128 = 0
            for byte in text[start..<end] where byte != point { number = number * 10 + UInt128(byte &- zero) }
            magnitude = quotient(number, decimals)
        } else {
            return nil
        }
        return start == 1 ? -magnitude : magnitude
    }

    /// A number by ten to the power of `decimals`; nil where more than a division is needed.
    @inline(__always) static func quotient(of number: UInt64, decimals: Int) -> Double? {
        number < 1 << 53 && decimals < powers.count ? Double(number) / powers[decimals] : nil
    }

    /// The nearest number to `number` by ten to the power of `decimals`, where the number is below 2^127 and there are at most 20 decimals.
    private static func quotient(_ number: UInt128, _ decimals: Int) -> Double {
        guard number > 0 else { return 0 }
        var divisor: UInt128 = 1
        for _ in 0..<decimals { divisor *= 10 }
        // At least 60 bits of the quotient, of which 53 count; below them a bit says whether there is more.
        let shift = number.leadingZeroBitCount - 1
        var (whole, rest) = (number << shift).quotientAndRemainder(dividingBy: divisor)
        let excess = max(0, 128 - whole.leadingZeroBitCount - 62)
        if excess > 0 {
            rest |= whole & ((1 << excess) - 1)
            whole >>= excess
        }
        let bits = UInt64(whole) << 1 | (rest == 0 ? 0 : 1)
        return Double(sign: .plus, exponent: excess - shift - 1, significand: Double(bits))
    }

    private static let eightZeros: UInt64 = 0x3030_3030_3030_3030
    private static let zero = UInt8(ascii: "0")
    private static let point = UInt8(ascii: ".")
    private static let minus = UInt8(ascii: "-")
    /// Powers of ten that are exact.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
