import Coding
import Foundation
import Testing

/// The calendar is the one of Foundation's ISO 8601 formatters.
struct CivilDateTests {
    @Test func daysAreThoseThatFoundationPrints() throws {
        var days = Array(stride(from: Int64(-730_487), to: 800_000, by: 997))
        days += -152_760 ... -152_740
        days += [-730_487, -730_486, -365_243, -146_098, -1, 0, 1]
        for day in days {
            let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
            let civil = CivilDate(daysSince2001: day)
            let text = date.formatted(.iso8601).prefix(10)
            let (year, month, number) = (
                "000\(civil.year)".suffix(4), "0\(civil.month)".suffix(2), "0\(civil.day)".suffix(2)
            )
            #expect("\(year)-\(month)-\(number)" == text)
            #expect(civil.daysSince2001 == day)
            #expect(civil.isValid)
            #expect(DateText.date(from: String(text)) == date)
        }
    }

    @Test func distantDatesAreThoseOfPeople() throws {
        #expect(CivilDate(daysSince2001: -730_487) == CivilDate(year: 1, month: 1, day: 1))
        #expect(CivilDate(daysSince2001: -730_488) == CivilDate(year: 0, month: 12, day: 31))
        #expect(DateText.date(from: "0001-01-01") == .distantPast)
        #expect(DateText.date(from: "4001-01-01") == .distantFuture)
    }

    @Test func yearsBeforeTheFirstAreCountedOn() throws {
        for day in stride(from: Int64(-5_000_000), to: -730_000, by: 8_191) {
            let civil = CivilDate(daysSince2001: day)
            #expect(civil.daysSince2001 == day)
            #expect(civil.isValid)
        }
    }
}
