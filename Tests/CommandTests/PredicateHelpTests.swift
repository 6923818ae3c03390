import Foundation
import TestSupport
import Testing

/// `folio help predicates`, and what is said to people who write conditions as in SQL.
struct PredicateHelpTests {
    @Test func everyExampleIsTrueOfTheSampleDocument() throws {
        let help = try FolioCommand.run("help", "predicates", "--json").object
        let sections = try #require(help["sections"] as? [[String: Any]])
        let examples = sections.flatMap { $0["examples"] as? [[String: String]] ?? [] }
        #expect(sections.count >= 6 && examples.count >= 60)
        let text = try FolioCommand.run("help", "predicates").output,
            words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for example in examples {
            let predicate = try #require(example["predicate"]), sql = try #require(example["sql"])
            let outcome = try FolioCommand.run(
                "fetch", FolioCommand.document, example["entity"] ?? "", "--where", predicate, "--count")
            // One that holds for no object would show nothing.
            #expect(
                outcome.exit == 0 && outcome.messages.isEmpty && Int(outcome.output.dropLast()) ?? 0 > 0,
                "\(example): \(outcome.output)\(outcome.messages)")
            #expect(words.contains(predicate + " " + sql), "\(example)")
        }
        for name in [
            "weekday(", "year(", "modulus:by:(", "SUBQUERY(", "TERNARY(", "CAST(", "SEARCH", "BETWEEN {", "NONE ",
            "@avg", "[cd]", "nil", "'\\''",
        ] { #expect(text.contains(name), "\(name)") }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    /// A condition as SQL has it, and a word that the hint must have.
    @Test(arguments: [
        ("name IS NULL", "write name == nil"), ("name is not null", "write name != nil"),
        ("NOT (born IS NULL)", "write born == nil"),
        ("badge IN (1, 2)", "IN takes braces: IN {1, 2}"), ("name IN ('a', 'b')", "IN takes braces: IN {'a', 'b'}"),
        ("name IN (SELECT name)", "ANY"),
        ("name NOT IN {'a'}", "NOT name IN {…}"), ("name NOT LIKE 'a'", "NOT name LIKE"),
        ("born NOT BETWEEN {1, 2}", "NOT born BETWEEN {…}"),
        ("born BETWEEN '1850-01-01' AND '1870-01-01'", "BETWEEN {'1850-01-01', '1870-01-01'}"),
        ("born BETWEEN 1 AND 2 AND name == 'x'", "BETWEEN {1, 2}"),
        ("name ILIKE 'a%'", "LIKE[c]"), ("name REGEXP 'a'", "MATCHES"), ("name GLOB 'a'", "LIKE"),
        ("name STARTSWITH 'a'", "BEGINSWITH"), ("name.startsWith('a')", "BEGINSWITH"),
        ("name || 'x' == 'ax'", "means OR"), ("born % 4 = 0", "modulus:by:"),
        ("name = 'it''s'", "within quotes write \\'"), ("name = Ada", "in quotes: \"Ada\""),
        ("name = Ada Lovelace", "in quotes: \"Ada Lovelace\""), ("journeys = Journey/p1", "in quotes: \"Journey/p1\""),
        ("LENGTH(name) > 2", "small letters: length(…)"), ("name = 'x';", "semicolon"),
        ("`name` = 'x'", "keys stand without"),
        ("lower(name) = 'x'", "lowercase(x)"), ("COALESCE(name, 'x') = 'x'", "TERNARY"),
        ("strftime('%Y', born) = '1890'", "year(x)"), ("substr(name, 1, 2) = 'x'", "BEGINSWITH"),
        ("born > DATE '1893-06-24'", "dates stand in quotes"), ("EXISTS (SELECT 1)", "ANY"), ("COUNT(*) > 1", "@count"),
        ("name != nil ORDER BY name", "--sort"),
        ("CASE WHEN name = 'x' THEN 1 END = 1", "TERNARY"), ("name == %@", "write the value itself"),
        ("name === 'x'", "== compares"), ("name", "name == YES"),
        ("name == == 'x'", "folio help predicates"), ("CAST(name AS int) = 1", "CAST(x, \"NSNumber\")"),
    ]) func aHabitOfSQLGetsAHint(condition: String, hint: String) throws {
        let outcome = try FolioCommand.run("fetch", FolioCommand.document, "Person", "--where", condition)
        #expect(outcome.exit == 64 && outcome.output.isEmpty && outcome.errors.count == 1, "\(outcome.messages)")
        #expect(outcome.hints.count == 1 && outcome.hints[0].contains(hint), "\(condition): \(outcome.messages)")
    }
}

extension PredicateHelpTests {
    /// What is read, but hardly meant: the answer is given, and a note.
    @Test(arguments: [
        ("name LIKE '%nse%'", "CONTAINS \"nse\", or LIKE \"*nse*\"", "0\n"),
        ("name LIKE 'Fri%'", "BEGINSWITH \"Fri\"", "0\n"), ("NOT name LIKE '%sen'", "ENDSWITH \"sen\"", "5\n"),
        ("name LIKE 'F%f _ansen'", "LIKE \"F*f ?ansen\"", "0\n"),
        ("ANY journeys.title LIKE '%x%'", "CONTAINS \"x\"", "0\n"),
        ("\"name\" = 'x'", "\"name\" is text, not a key", "0\n"),
        ("name CONTAINS '%an%'", "CONTAINS \"an\"", "0\n"),
        ("SUBQUERY(journeys, $j, $j.title LIKE '%x%').@count == 0", "CONTAINS \"x\"", "5\n"),
    ]) func aConditionThatSQLWouldReadOtherwiseGetsANote(condition: String, note: String, output: String) throws {
        let outcome = try FolioCommand.run("fetch", FolioCommand.document, "Person", "--where", condition, "--count")
        #expect(outcome.exit == 0 && outcome.output == output, "\(condition): \(outcome.output)\(outcome.messages)")
        #expect(
            outcome.messages.hasPrefix("note: ") && outcome.messages.contains(note), "\(condition): \(outcome.messages)"
        )
    }

    /// What SQL and predicates have in common needs no word.
    @Test(arguments: [
        ("name = 'Olav Bjaaland'", "1\n"), ("name <> 'x' AND NOT name = 'y'", "5\n"),
        ("name == \"x\" OR name == 'Olav Bjaaland'", "1\n"), ("name LIKE '*nse*'", "2\n"),
        ("name LIKE '100%?'", "0\n"), ("badge == null", "3\n"), ("name ENDSWITH '%'", "0\n"),
    ]) func whatBothHaveInCommonGetsNone(condition: String, output: String) throws {
        let outcome = try FolioCommand.run("fetch", FolioCommand.document, "Person", "--where", condition, "--count")
        #expect(
            outcome.exit == 0 && outcome.messages.isEmpty && outcome.output == output,
            "\(condition): \(outcome.output)\(outcome.messages)")
    }
}
