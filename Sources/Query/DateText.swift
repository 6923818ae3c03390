package import Foundation

/// ISO 8601 dates as people write them in predicates: `1965-08-01`, `1965-08-01T12:30`, `1965-08-01T12:30:15.25Z`, `…+02:00`.
///
/// Proleptic Gregorian; a missing time is midnight, a missing zone is UTC; years beyond four digits have a sign. Nine fractional digits count.
package enum DateText {
    package static func date(from text: String) -> Date? {
        var scanner = Scanner(bytes: Array(text.utf8))
        guard let days = scanner.day() else { return nil }
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
        if !scanner.isAtEnd {
            guard scanner.accept("T") || scanner.accept("t") || scanner.accept(" "), let hour = scanner.number(2), scanner.accept(":"),
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
        return date(seconds: (days - daysTo2001) * 86_400 + seconds, nanoseconds: nanoseconds)
    }

    private static let daysTo2001: Int64 = 730_485

    /// The nearest Double to the exact decimal value, so that what was written with enough digits reads back the same.
    private static func date(seconds: Int64, nanoseconds: Int64) -> Date? {
        var (whole, fraction) = (seconds, nanoseconds)
        if whole < 0, fraction > 0 {
            whole += 1
            fraction = 1_000_000_000 - fraction
        }
        let digits = String(fraction)
        let text = (seconds < 0 ? "-" : "") + "\(whole.magnitude)." + String(repeating: "0", count: 9 - digits.count) + digits
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

        /// Days since 0001-01-01 of the proleptic calendar.
        mutating func day() -> Int64? {
            let isNegative = accept("-")
            let isSigned = isNegative || accept("+")
            var year: Int64 = 0
            var digits = 0
            while digits < (isSigned ? 9 : 4), let digit = digit() {
                year = year * 10 + digit
                digits += 1
            }
            guard digits >= 4, accept("-"), let month = number(2), (1...12).contains(month), accept("-"), let day = number(2) else { return nil }
            if isNegative { year = -year }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            guard day >= 1, day <= lengths[Int(month) - 1] else { return nil }
            let past = year - 1
            let leapDays = Self.floor(past, 4) - Self.floor(past, 100) + Self.floor(past, 400)
            return past * 365 + leapDays + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1
        }

        private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
            value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
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
