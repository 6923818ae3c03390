import Coding
import Folio

/// Formats dates as text: ISO 8601 in UTC, in the calendar of `CivilDate`, from seconds since
/// 2001-01-01 as in stores. `DateText` parses them.
enum Timestamp {
    /// The shortest text that is parsed to the same value, with at most nine fractional digits of
    /// the seconds.
    /// - Returns: Nil for values without a calendar date: NaN, infinities and seconds beyond
    ///   ±9·10¹⁵.
    static func text(_ seconds: Double) -> String? {
        guard seconds.magnitude < ScalarRules.greatestSeconds else { return nil }
        var whole = Int64(seconds.rounded(.down))
        var digits = fraction(of: seconds)
        if digits == "carry" {
            whole += 1
            digits = ""
        }
        let day = CivilDate.floor(whole, 86_400)
        let second = Int(whole - day * 86_400)
        let date = CivilDate(daysSince2001: day), year = date.year
        var text = ""
        text.reserveCapacity(32)
        if (0...9999).contains(year) {
            append(Int(year), width: 4, to: &text)
        } else {
            text += year < 0 ? "-" : "+"
            append(Int(year.magnitude), width: 5, to: &text)
        }
        text += "-"
        append(date.month, width: 2, to: &text)
        text += "-"
        append(date.day, width: 2, to: &text)
        text += "T"
        append(second / 3600, width: 2, to: &text)
        text += ":"
        append(second / 60 % 60, width: 2, to: &text)
        text += ":"
        append(second % 60, width: 2, to: &text)
        if !digits.isEmpty { text += "." + digits }
        return text + "Z"
    }

    /// The fractional digits of `seconds − floor(seconds)`; `carry` if rounding to nine digits
    /// gives a whole second.
    private static func fraction(of seconds: Double) -> String {
        let shortest = seconds.magnitude.description
        guard seconds != seconds.rounded(.down) else { return "" }
        var digits: [UInt8]
        if shortest.contains("e") {
            // Below 10⁻⁴ the exponent determines the number of zeros before the digits.
            let parts = shortest.split(separator: "e")
            let exponent = parts.count == 2 ? -(Int(parts[1]) ?? 0) : 0
            digits =
                Array(repeating: 0, count: max(0, exponent - 1))
                + parts[0].utf8.filter { $0 != UInt8(ascii: ".") }.map { $0 - 0x30 }
        } else {
            let point = shortest.firstIndex(of: ".") ?? shortest.endIndex
            digits = shortest[point...].dropFirst().utf8.map { $0 - 0x30 }
        }
        if seconds < 0 { complement(&digits) }
        if digits.count > 9 {
            let roundsUp = digits[9] >= 5
            digits.removeSubrange(9...)
            if roundsUp, increment(&digits) { return "carry" }
        }
        while digits.last == 0 { digits.removeLast() }
        return String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
    }

    /// 1 − 0.d₁d₂…
    private static func complement(_ digits: inout [UInt8]) {
        for index in digits.indices { digits[index] = 9 - digits[index] }
        _ = increment(&digits)
    }

    /// Adds one to the last digit; returns true if it overflows.
    private static func increment(_ digits: inout [UInt8]) -> Bool {
        for index in digits.indices.reversed() {
            if digits[index] < 9 {
                digits[index] += 1
                return false
            }
            digits[index] = 0
        }
        return true
    }

    private static func append(_ number: Int, width: Int, to text: inout String) {
        let digits = String(number)
        for _ in digits.utf8.count..<max(width, digits.utf8.count) { text += "0" }
        text += digits
    }
}
