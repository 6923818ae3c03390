import Coding
import Foundation
import Schema

// Parts of dates. A date is a number of seconds since 2001-01-01 UTC, which is how SQL stores it.
extension ScalarRules {
    /// The limit for dates with calendar parts. Beyond it a Double can't represent single seconds.
    package static let greatestSeconds = 9.0e15

    /// A part of a date in UTC; nil for values outside the calendar: NaN, infinities, and seconds
    /// beyond ±9·10¹⁵.
    static func datePart(_ function: QueryFunction, of argument: PropertyValue) throws(QueryError) -> PropertyValue {
        let seconds: Double
        if case .date(let date) = argument {
            seconds = date.timeIntervalSinceReferenceDate
        } else {
            guard let number = double(argument) else {
                throw QueryError(.type, "\(function.rawValue) takes dates, not a \(kind(of: argument))")
            }
            seconds = number
        }
        guard seconds.magnitude < greatestSeconds else { return .null }
        let whole = Int64(seconds.rounded(.down))
        let days = CivilDate.floor(whole, 86_400)
        let secondOfDay = whole - days * 86_400
        switch function {
        case .hour: return .int(secondOfDay / 3600)
        case .minute: return .int(secondOfDay / 60 % 60)
        case .second: return .int(secondOfDay % 60)
        // 2001-01-01 was a Monday.
        case .weekday: return .int(days - CivilDate.floor(days, 7) * 7 + 1)
        case .year: return .int(CivilDate(daysSince2001: days).year)
        case .month: return .int(Int64(CivilDate(daysSince2001: days).month))
        default: return .int(Int64(CivilDate(daysSince2001: days).day))
        }
    }
}
