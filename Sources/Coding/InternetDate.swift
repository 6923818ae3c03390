package import Foundation

/// Dates to the second as JSON files spell them, `2026-11-22T02:40:56Z` (RFC 3339): the same text
/// as Foundation's ISO 8601 style for a fiftieth of its cost, which counts where opening a document
/// waits for it.
package enum InternetDate {
    private static let secondsPerDay: Int64 = 86_400
    /// From 0000-03-01, where the days of a leap year begin to be counted, to 1970-01-01.
    private static let daysTo1970: Int64 = 719_468
    private static let daysPerEra: Int64 = 146_097

    /// The date without its fraction of a second.
    package static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // The years 1583 to 9999: Foundation counts earlier ones by the Julian calendar.
        guard seconds >= -12_212_553_600, seconds < 253_402_300_800 else { return date.formatted(.iso8601) }
        let whole = Int64(seconds)
        let days = whole >= 0 ? whole / secondsPerDay : (whole + 1) / secondsPerDay - 1
        let second = whole - days * secondsPerDay
        let (year, month, day) = civil(days)
        var text: [UInt8] = []
        text.reserveCapacity(20)
        func put(_ number: Int64, _ width: Int, _ end: Unicode.Scalar) {
            var divisor: Int64 = width == 4 ? 1_000 : 10
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
                divisor /= 10
            }
            text.append(UInt8(ascii: end))
        }
        put(year, 4, "-")
        put(month, 2, "-")
        put(day, 2, "T")
        put(second / 3600, 2, ":")
        put(second / 60 % 60, 2, ":")
        put(second % 60, 2, "Z")
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what `text(_:)` writes, and every other spelling that Foundation's style reads.
    package static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard let seconds = seconds(bytes) else { return try? Date(text, strategy: .iso8601) }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    private static func seconds(_ bytes: [UInt8]) -> Int64? {
        guard bytes.count == 20 else { return nil }
        for (place, mark) in zip([4, 7, 10, 13, 16, 19], "--T::Z".utf8) where bytes[place] != mark { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16),
            let second = number(17..<19), year > 1582, (1...12).contains(month), day > 0, hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = daysSince1970(year, month, day)
        // A day that its month does not have would be one of the next.
        guard civil(days) == (year, month, day) else { return nil }
        return days * secondsPerDay + hour * 3600 + minute * 60 + second
    }

    // Years are counted from March on, so that the leap day is the last, in eras of 400 years (H.
    // Hinnant, "chrono-Compatible Low-Level Date Algorithms").

    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400, yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysTo1970
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + daysTo1970
        let era = shifted / daysPerEra, dayOfEra = shifted - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day)
    }
}
