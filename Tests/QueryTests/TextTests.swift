import Coding
import Foundation
import Query
import Schema
import Testing

@Suite("Folding, patterns, dates and names")
struct TextTests {
    @Test("P52: folding follows its published rule and is idempotent, for every scalar")
    func folding() {
        let cases: [(String, ComparisonPredicate.Options, String)] = [
            ("ÀÉ", .caseInsensitive, "àé"), ("ÀÉ", .diacriticInsensitive, "AE"),
            ("ÀÉ", [.caseInsensitive, .diacriticInsensitive], "ae"),
            ("Straße ẞ", .caseInsensitive, "strasse ss"), ("ΣΑΣ", .caseInsensitive, "σασ"),
            ("ς", .caseInsensitive, "σ"), ("ıIİ", .caseInsensitive, "ıii\u{307}"),
            ("øŁđ", [.caseInsensitive, .diacriticInsensitive], "øłđ"), ("が", .diacriticInsensitive, "が"),
            ("한", .diacriticInsensitive, "한"), ("≠", .diacriticInsensitive, "≠"),
            ("שָׁלוֹם", .diacriticInsensitive, "שלום"), ("Ab", [], "Ab"), ("Ab", [.caseInsensitive, .normalized], "Ab"),
            ("Ⅳ", .caseInsensitive, "ⅳ"), ("ﬁ", .caseInsensitive, "fi"),
            ("ά\u{345}", .diacriticInsensitive, "α"), ("कि", .diacriticInsensitive, "कि"),
        ]
        for (text, options, folded) in cases {
            #expect(
                Array(TextFolding.fold(text, options: options).utf8) == Array(folded.utf8),
                "\(text) \(options.rawValue)")
        }
        let all: [ComparisonPredicate.Options] = [
            .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ]
        for value in UInt32(0)...0x1FFFF {
            guard let scalar = UnicodeScalar(value) else { continue }
            for options in all where value < 0x80 || scalar.properties.isAlphabetic || value < 0x3000 {
                let once = TextFolding.fold(String(scalar), options: options)
                if !TextOrder.equal(once, TextFolding.fold(once, options: options)) {
                    Issue.record("U+\(String(value, radix: 16)) \(options.rawValue)")
                }
            }
        }
    }

    @Test("LIKE agrees with a regular expression on random patterns, and stays fast on bad ones")
    func like() throws {
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<3_000 {
            let pattern = (0..<next(7)).map { _ in ["a", "b", "é", "*", "?", "\\*", "😀"][next(7)] }.joined()
            let text = (0..<next(8)).map { _ in ["a", "b", "é", "*", "😀"][next(5)] }.joined()
            var regex = ""
            var isEscaped = false
            for scalar in pattern.unicodeScalars {
                switch (scalar, isEscaped) {
                case ("\\", false): isEscaped = true
                case ("*", false): regex += ".*"
                case ("?", false): regex += "."
                default:
                    regex += NSRegularExpression.escapedPattern(for: String(scalar))
                    isEscaped = false
                }
            }
            #expect(
                try LikePattern(pattern).matches(text) == RegexPattern(regex).matches(text), "\(text) LIKE \(pattern)")
        }
        let bad = LikePattern(String(repeating: "*a", count: 50) + "b")
        let clock = ContinuousClock()
        var isMatch = true
        let time = clock.measure { isMatch = bad.matches(String(repeating: "a", count: 100_000)) }
        #expect(!isMatch && time < .seconds(5))
        #expect(LikePattern("a\\").matches("a\\"))
    }

    @Test("Bytes of plain text are tested as texts are; others, and those of a language, are left alone")
    func plainTexts() {
        var generator = SystemRandomNumberGenerator()
        func text(_ letters: [String], _ length: Int) -> String {
            (0..<Int.random(in: 0...length, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? ""
            }.joined()
        }
        var answered = 0
        for _ in 0..<4_000 {
            let wanted = text(["a", "A", "b", "*", "?", "\\", "[", "é", "ß"], 4)
            let searched = text(
                ["a", "A", "b", "B", "*", "[", "@", "\0"] + (Bool.random(using: &generator) ? ["é", "ẞ", "K"] : []), 20)
            for options in [
                [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
                .localeSensitive,
            ] as [ComparisonPredicate.Options] {
                let pattern = LikePattern(wanted, options: options)
                var tests = [(plain: pattern.matches(plain:), whole: pattern.matches as (String) -> Bool)]
                for place in [ComparisonPredicate.Operator.contains, .beginsWith, .endsWith] {
                    let search = TextSearch(wanted, place, options)
                    tests.append((search.matches(plain:), search.matches as (String) -> Bool))
                }
                let isPlain = searched.utf8.allSatisfy { $0 < 0x80 } && options != .localeSensitive
                for (number, test) in tests.enumerated() {
                    let answer = Array(searched.utf8).withUnsafeBufferPointer { test.plain($0) }
                    #expect(
                        answer == (isPlain ? test.whole(searched) : nil), "\(number) \(options) \(wanted) \(searched)")
                    if answer == true { answered += 1 }
                }
            }
        }
        #expect(answered > 1_000)
        #expect(TextSearch("", .endsWith, []).matches(plain: UnsafeBufferPointer(start: nil, count: 0)) == true)
    }
}

extension TextTests {
    @Test("A catastrophic regular expression is given up with an error")
    func catastrophe() throws {
        let pattern = try RegexPattern("(a+)+b")
        let clock = ContinuousClock()
        let start = clock.now
        #expect { try pattern.matches(String(repeating: "a", count: 40)) } throws: {
            ($0 as? QueryError)?.code == .limit
        }
        #expect(clock.now - start < .seconds(10))
        #expect(try pattern.matches("aab"))
        #expect(throws: QueryError.self) {
            try RegexPattern("(a|b)*").matches(String(repeating: "ab", count: 2_000_000))
        }
        #expect(throws: QueryError.self) { try RegexPattern(String(repeating: "a", count: 20_000)) }
        #expect(throws: QueryError.self) {
            try RegexPattern(String(repeating: "(", count: 5_000) + String(repeating: ")", count: 5_000))
        }
        #expect(try RegexPattern("(?x) a b # comment").matches("ab"))
        #expect(try RegexPattern("").matches(""))
    }

    @Test("ISO 8601 dates")
    func dates() {
        for (text, seconds) in [
            ("2001-01-01", 0), ("2001-01-01T00:00:00Z", 0), ("2001-01-01 12:30", 45_000),
            ("2001-01-01T02:00:00+02:00", 0), ("2000-12-31T22:30:00-0130", 0),
            ("2001-01-01T00:00:00.125Z", 0.125), ("2000-12-31T23:59:59.9Z", -0.1),
            ("1970-01-01T00:00:00Z", -978_307_200), ("0001-01-01", -63_114_076_800),
            ("2000-02-29", -26_524_800), ("+10000-01-01", 252_423_993_600), ("0000-02-29", -63_140_601_600),
            ("-0001-12-31", -63_145_785_600), ("2001-01-01t00:00z", 0), ("2001-01-01T02:00+02", 0),
        ] {
            #expect(DateText.date(from: text)?.timeIntervalSinceReferenceDate == seconds, "\(text)")
        }
        for text in [
            "", "2001", "2001-13-01", "2001-02-29", "2001-01-01T24:00", "2001-01-01T00", "2001-01-01T00:00:00X",
            "10000-01-01", "01-01-2001", "2001-01-01Z", "2001-1-1",
        ] {
            #expect(DateText.date(from: text) == nil, "\(text)")
        }
    }

    @Test("Days of the calendar and their numbers")
    func days() {
        for (days, year, month, day) in [
            (0, 2001, 1, 1), (-1, 2000, 12, 31), (-11_323, 1970, 1, 1), (-307, 2000, 2, 29), (-730_487, 1, 1, 1),
            (-730_488, 0, 12, 31),
        ] as [(Int64, Int64, Int, Int)] {
            let date = CivilDate(daysSince2001: days)
            #expect(date == CivilDate(year: year, month: month, day: day) && date.isValid)
            #expect(date.daysSince2001 == days)
        }
        for days in stride(from: Int64(-1_000_000), through: 1_000_000, by: 997) {
            #expect(CivilDate(daysSince2001: days).daysSince2001 == days)
        }
        for (year, month, day) in [
            (2001, 2, 29), (1900, 2, 29), (2001, 13, 1), (2001, 0, 1), (2001, 4, 31), (2001, 1, 0),
        ] {
            #expect(!CivilDate(year: Int64(year), month: month, day: day).isValid)
        }
    }

    @Test("The nearest names to a mistyped one")
    func nearest() {
        let names = ["title", "year", "author", "isRead", "published", "tags"]
        #expect(NearestNames.nearest(to: "titel", among: names) == ["title"])
        #expect(NearestNames.nearest(to: "TITLE", among: names) == ["title"])
        #expect(NearestNames.nearest(to: "publised", among: names) == ["published"])
        #expect(NearestNames.nearest(to: "yaer", among: names) == ["year"])
        #expect(NearestNames.nearest(to: "zzz", among: names) == [])
        #expect(NearestNames.question(["a", "b", "c"]) == "; did you mean \"a\", \"b\" or \"c\"?")
        #expect(NearestNames.question([]) == "")
    }
}
