/// A day of the calendar that Foundation's ISO 8601 formatters use: Gregorian from 1582-10-15,
/// Julian before, so that `Date.distantPast` is 0001-01-01. Year numbers are astronomical: year 0
/// precedes year 1.
package struct CivilDate: Sendable, Equatable {
    package let year: Int64
    package let month: Int
    package let day: Int

    /// Days from 0000-03-01, the start of a 400-year era, to 2001-01-01.
    private static let daysTo2001: Int64 = 730_791
    private static let daysOfEra: Int64 = 146_097
    /// Days from 2001-01-01 to 1582-10-15, the first day of the Gregorian calendar.
    private static let firstGregorianDay: Int64 = -152_750
    /// Days from 0000-03-01 of the Julian calendar to 2001-01-01.
    private static let julianDaysTo2001: Int64 = 730_793

    package init(year: Int64, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is `days` after 2001-01-01.
    package init(daysSince2001 days: Int64) {
        // Years start in March here, so that the leap day is the last day of the year.
        let yearFromMarch, dayOfYear: Int64
        if days < Self.firstGregorianDay {
            let shifted = days + Self.julianDaysTo2001
            yearFromMarch = Self.floor(4 * shifted + 3, 1461)
            dayOfYear = shifted - Self.floor(1461 * yearFromMarch, 4)
        } else {
            let shifted = days + Self.daysTo2001
            let era = Self.floor(shifted, Self.daysOfEra)
            let dayOfEra = shifted - era * Self.daysOfEra
            let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            yearFromMarch = yearOfEra + era * 400
        }
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        year = yearFromMarch + (month <= 2 ? 1 : 0)
    }

    package var daysSince2001: Int64 {
        let isJulian = isJulian
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        if isJulian { return Self.floor(1461 * year, 4) + dayOfYear - Self.julianDaysTo2001 }
        let era = Self.floor(year, 400)
        let yearOfEra = year - era * 400
        return era * Self.daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - Self.daysTo2001
    }

    /// Whether the day is before 1582-10-15. The ten days that were left out count as Julian ones.
    private var isJulian: Bool { (year, month, day) < (1582, 10, 15) }

    /// Whether the date exists in the calendar.
    package var isValid: Bool {
        guard (1...12).contains(month) else { return false }
        let isLeap = year % 4 == 0 && (isJulian || year % 100 != 0 || year % 400 == 0)
        let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        return (1...length).contains(day)
    }

    /// The quotient rounded down. The divisor must be positive.
    package static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}
