import Coding
import Foundation
import Testing

struct InternetDateTests {
    @Test func datesAreSpelledAsFoundationSpellsThem() throws {
        var seconds = -62_135_596_800.0
        while seconds < 253_402_300_799 {
            let date = Date(timeIntervalSince1970: seconds)
            try #require(InternetDate.text(date) == date.formatted(.iso8601))
            try #require(InternetDate.date(InternetDate.text(date)) == date)
            // A prime number of seconds, so that all times of the day and days of the year come.
            seconds += 26_297_777
        }
        for seconds in [0, -1, 951_782_399, 951_782_400, 951_868_800, 4_107_542_399, 253_402_300_799] as [Double] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(InternetDate.text(date) == date.formatted(.iso8601))
            #expect(InternetDate.date(InternetDate.text(date)) == date)
        }
        #expect(InternetDate.text(Date(timeIntervalSince1970: 0.9)) == "1970-01-01T00:00:00Z")
        let far = Date(timeIntervalSince1970: 253_402_300_800)
        #expect(InternetDate.text(far) == far.formatted(.iso8601))
    }

    @Test func otherSpellingsAreReadAsFoundationReadsThem() {
        for text in [
            "2026-02-29T00:00:00Z", "2026-11-22", "2026-11-22T02:40:56+02:00", "2026-11-22T02:40:60Z", "22.11.2026", "",
            "2026-11-22t02:40:56z", "0000-01-01T00:00:00Z",
        ] {
            #expect(InternetDate.date(text) == (try? Date(text, strategy: .iso8601)), "\(text)")
        }
    }
}
