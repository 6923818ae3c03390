package import Foundation

/// Parses ISO 8601 dates in predicates and values: `1965-08-01`, `1965-08-01T12:30`,
/// `1965-08-01T12:30:15.25Z`, `…+02:00`, `…+0200`, `…+02`.
///
/// The calendar is that of ``CivilDate``. A missing time is midnight, a missing time zone is UTC,
/// and years with more than four digits need a sign. Up to nine fractional digits are used.
package enum DateText {
    package static func date(from text: String) -> Date? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let days = scanner.day() else { return nil }
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
        if !scanner.isAtEnd {
            guard scanner.accept("T") || scanner.accept("t") || scanner.accept(" "), let hour = scanner.number(2),
                scanner.accept(":"),
                let minute = scanner.number(2), hour < 24, minute < 60
            else { return nil }
            seconds = hour * 3600 + minute * 60
            if scanner.accept(":") {
                guard let second = scanner.number(2), second < 60 else { return nil }
                seconds += second
                if scanner.accept(".") || scanner.accept(",") {
                    guard let fraction = scanner.fraction() else { return nil }
                    nanoseconds = fraction
                }
            }
            guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
            seconds -= offset
        }
        return date(seconds: days * 86_400 + seconds, nanoseconds: nanoseconds)
    }

    /// Rounds the exact decimal value to the nearest Double, so that a date that was printed with
    /// enough digits is read back unchanged.
    private static func date(seconds: Int64, nanoseconds: Int64) -> Date? {
        if nanoseconds == 0 { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
        var (whole, fraction) = (seconds, nanoseconds)
        if whole < 0, fraction > 0 {
            whole += 1
            fraction = 1_000_000_000 - fraction
        }
        let digits = String(fraction)
        let text =
            (seconds < 0 ? "-" : "") + "\(whole.magnitude)." + String(repeating: "0", count: 9 - digits.count) + digits
        return Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func accept(_ character: UnicodeScalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        mutating func number(_ count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        mutating func digit() -> Int64? {
            guard position < bytes.count, (0x30...0x39).contains(bytes[position]) else { return nil }
            position += 1
            return Int64(bytes[position - 1] - 0x30)
        }

        /// Days since 2001-01-01.
        mutating func day() -> Int64? {
            let isNegative = accept("-")
            let isSigned = isNegative || accept("+")
            var year: Int64 = 0
            var digits = 0
            while digits < (isSigned ? 9 : 4), let digit = digit() {
                year = year * 10 + digit
                digits += 1
            }
            guard digits >= 4, accept("-"), let month = number(2), accept("-"), let day = number(2) else { return nil }
            let date = CivilDate(year: isNegative ? -year : year, month: Int(month), day: Int(day))
            return date.isValid ? date.daysSince2001 : nil
        }

        mutating func fraction() -> Int64? {
            var value: Int64 = 0
            var count = 0
            while let digit = digit() {
                if count < 9 { value = value * 10 + digit }
                count += 1
            }
            guard count > 0 else { return nil }
            for _ in min(count, 9)..<9 { value *= 10 }
            return value
        }

        mutating func zone() -> Int64? {
            if isAtEnd || accept("Z") || accept("z") { return 0 }
            let isNegative = accept("-")
            guard isNegative || accept("+"), let hours = number(2), hours < 24 else { return nil }
            _ = accept(":")
            guard let minutes = isAtEnd ? 0 : number(2), minutes < 60 else { return nil }
            return (hours * 3600 + minutes * 60) * (isNegative ? -1 : 1)
        }
    }
}
