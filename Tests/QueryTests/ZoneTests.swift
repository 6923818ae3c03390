import Coding
import Foundation
import Query
import Schema
import Testing

/// Dates and their parts in time zones.
struct ZoneTests {
    private let library: Library
    private let book: TestObject

    init() throws {
        library = try Library()
        // A quarter of an hour before clocks go forward in Europe.
        book = try library.object(
            "Book", 1,
            [
                "published": .date(try #require(DateText.date(from: "2024-03-31T00:45:30Z"))),
                "title": .string("America/New_York"),
            ])
    }

    private func holds(_ text: String) throws -> Bool {
        let holds = try library.matches(text, book)
        // The printed form says the same.
        let printed = try FetchPredicate(format: text).description
        #expect(try library.matches(printed, book) == holds, "\(printed)")
        return holds
    }

    @Test(arguments: [
        "hour(published) == 0 AND hour(published, 'Europe/Oslo') == 1",
        "day(local(published, 'America/New_York')) == 30 AND weekday(published, 'America/New_York') == 6",
        "hour(published + 900, 'Europe/Oslo') == 3 AND minute(published + 900, 'Europe/Oslo') == 0",
        "minute(local:in:(published, 'Asia/Kolkata')) == 15 AND second(published, 'UTC') == 30",
        "local(published, 'America/New_York') < '2024-03-31' AND published >= '2024-03-31'",
        "year:(published, 'Pacific/Auckland') == 2024", "hour(published, title) == 20",
        "local(published, nil) == nil AND hour(nil, 'Europe/Oslo') == nil",
    ]) func partsOfDatesInAZone(text: String) throws {
        #expect(try holds(text))
    }

    @Test func anUnknownZoneIsAnErrorThatNamesIt() throws {
        for text in ["hour(published, 'Europe/Olso') == 1", "local(published, 'Europe/Olso') == nil"] {
            let error = #expect(throws: QueryError.self) { try library.compile(text, "Book") }
            #expect(error?.message.contains("\"Europe/Olso\"") == true && error?.suggestions.first == "Europe/Oslo")
        }
        for name in ["", "GMT+99", "x"] {
            #expect(throws: QueryError.self) { try library.compile("hour(published, '\(name)') == 1", "Book") }
        }
        // Of an attribute it is found with the value.
        let book = try library.object(
            "Book", 2, ["title": .string("Nowhere/Else"), "published": .date(Date(timeIntervalSinceReferenceDate: 0))])
        let error = #expect(throws: QueryError.self) {
            try library.matches("hour(published, title) == 1", book)
        }
        #expect(error?.message.contains("Nowhere/Else") == true)
    }

    @Test(arguments: ["hour(title, 'UTC') == 1", "hour(published, 7) == 1", "local(published, published) == nil"])
    func otherTypesAreRefused(text: String) throws {
        #expect(throws: QueryError.self) { try library.compile(text, "Book") }
    }
}
