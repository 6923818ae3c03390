import Foundation
import Testing
import TestSupport

/// Values on their way from JSON into a document and back: what comes out is what went in, in its
/// one canonical form.
struct ValueTests {
    /// Imports one object for each value of `key` and gives what the export shows for them.
    private func roundTrip(_ entity: String, _ key: String, _ values: [String], with other: String = "") throws
        -> [String]
    {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Values.folio").path
            let file = folder.appendingPathComponent("values.json")
            let objects = values.enumerated().map { index, value in
                let letter = String(UnicodeScalar(UInt8(65 + index)))
                let rest = key == "name" ? other : "\"name\": \"\(index)\", " + other
                return
                    "{\"id\": \"\(entity)/p\(index + 1)\", \(rest.replacingOccurrences(of: "#", with: letter)) \"\(key)\": \(value)}"
            }
            try Data("[\(objects.joined(separator: ",\n"))]".utf8).write(to: file)
            #expect(try FolioCommand.run("new", document, "--model", FolioCommand.model).exit == 0)
            let outcome = try FolioCommand.run("import", document, file.path)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let export = try FolioCommand.run("export", document).output
            return export.split(separator: "\n").filter { $0.hasPrefix("          \"\(key)\": ") }.map { line in
                let value = line.dropFirst(14 + key.count)
                return String(value.last == "," ? value.dropLast() : value)
            }
        }
    }

    @Test func datesOfAllAges() throws {
        let canonical = [
            "\"2001-01-01T00:00:00Z\"", "\"2000-12-31T23:59:59.9Z\"", "\"1969-12-31T23:59:59.5Z\"",
            "\"2024-02-29T12:34:56.789012Z\"", "\"0000-01-01T00:00:00Z\"",
            "\"-00001-12-31T23:59:59Z\"", "\"+12345-06-07T08:09:10Z\"", "\"9999-12-31T23:59:59Z\"",
            "\"1582-10-04T00:00:00Z\"", "\"1582-10-15T00:00:00Z\"", "\"2001-01-01T00:00:00.000000001Z\"",
            "1e+300", "null",
        ]
        #expect(try roundTrip("Person", "born", canonical) == canonical)
        #expect(
            try roundTrip(
                "Person", "born",
                [
                    "\"2001-02-03\"", "\"2001-02-03T04:05+02:30\"", "\"2001-01-01T00:00:00.500Z\"",
                    "\"2001-01-01T02:00+02\"", "\"Infinity\"",
                ]) == [
                    "\"2001-02-03T00:00:00Z\"", "\"2001-02-03T01:35:00Z\"", "\"2001-01-01T00:00:00.5Z\"",
                    "\"2001-01-01T00:00:00Z\"", "\"Infinity\"",
                ])
    }

    /// A number does not say from when it counts, and another program's dates must not become
    /// others.
    @Test(arguments: ["born:=1719828000", "born=1719828000", "born:=\"1719828000\""])
    func aNumberForADateIsRefusedWithBothWaysToSayIt(assignment: String) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            for words in [
                ["set", document, "Person/p1", assignment], ["insert", document, "Person", "name=A", assignment],
            ] {
                let outcome = try FolioCommand.run(words)
                #expect(outcome.exit == 64 && outcome.errors.count == 1, "\(outcome.messages)")
                #expect(
                    outcome.hints.first?.contains("2024-07-01T10:00:00Z") == true
                        && outcome.hints.first?.contains("2055-07-02T10:00:00Z") == true, "\(outcome.messages)")
            }
        }
    }

    @Test(arguments: ["2001-01-01T02:00+02", "2001-01-01T02:00+0200", "2001-01-01 02:00:00,0+02:00"])
    func datesAreReadAlikeAsValuesAndInPredicates(text: String) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), csv = folder.path + "/in.csv"
            try Data("name;born\nB;\"\(text)\"\n".replacingOccurrences(of: ";", with: ",").utf8).write(
                to: URL(fileURLWithPath: csv))
            #expect(try FolioCommand.run("insert", document, "Person", "name=A", "born=\(text)").exit == 0)
            #expect(try FolioCommand.run("import", document, csv, "--entity", "Person").exit == 0)
            #expect(
                try FolioCommand.run(
                    "fetch", document, "Person", "--where", "born == '\(text)' AND born == '2001-01-01'", "--count"
                ).output == "2\n")
        }
    }
}

extension ValueTests {
    @Test(arguments: ["not a url", "http://exa mple.org", "a%zz", "<b>"]) func whatIsNoURIIsRefusedAndNotEscaped(
        text: String
    ) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let outcome = try FolioCommand.run("set", document, "Person/p1", "homepage=\(text)")
            #expect(
                outcome.exit == 64 && outcome.errors.first?.contains("homepage is URI and takes a URI") == true,
                "\(outcome.messages)")
        }
    }

    @Test func stringsAndBytes() throws {
        let strings = [#""""#, #""\"\\/\b\f\n\r\t\u0001\u001f""#, "\"Ünïcödé 🧭 \u{7f}\"", "null"]
        #expect(
            try roundTrip("Person", "homepage", ["\"https://example.org/%20?a=b#c\"", "null"]) == [
                "\"https://example.org/%20?a=b#c\"", "null",
            ])
        #expect(
            try roundTrip("Camp", "name", strings.dropLast().map { $0 }, with: "\"code\": \"AA#\",")
                == strings.dropLast())
        #expect(
            try roundTrip("Person", "portrait", ["\"\"", "\"AAECAw==\"", "null"]) == ["\"\"", "\"AAECAw==\"", "null"])
    }

    @Test func numbers() throws {
        let camp = "\"code\": \"AA#\","
        #expect(
            try roundTrip(
                "Camp", "elevation", ["0.1", "16777216", "-1e-10", "3.4028235e38", "\"-Infinity\""], with: camp) == [
                    "0.1", "16777216.0", "-1e-10", "3.4028235e+38", "\"-Infinity\"",
                ])
        #expect(
            try roundTrip("Camp", "longitude", ["0.1", "179.99999999999997", "5e-324"], with: camp) == [
                "0.1", "179.99999999999997", "5e-324",
            ])
        #expect(
            try roundTrip("Harbour", "depth", ["\"10.50\"", "12", "\"-0.001\"", "\"12345678901234\""], with: camp) == [
                "\"10.5\"", "\"12\"", "\"-0.001\"", "\"12345678901234\"",
            ])
        #expect(try roundTrip("Camp", "isCharted", ["true", "false"], with: camp) == ["true", "false"])
    }

    @Test func aLargeValueWhoseFileIsGoneIsShownAsMissing() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let file = folder.appendingPathComponent("portrait")
            try Data(repeating: 7, count: 300_000).write(to: file)
            #expect(try FolioCommand.run("set", document, "Person/p1", "portrait=@\(file.path)").exit == 0)
            #expect(
                (try FolioCommand.run("info", document, "--json").object["attachments"] as? [String: Any])?["bytes"]
                    as? Int == 300_000)
            try FileManager.default.removeItem(atPath: document + "/content")
            let person = try FolioCommand.run("get", document, "Person/p1", "--json").object
            let portrait = (person["attributes"] as? [String: Any])?["portrait"] as? [String: String]
            #expect(portrait?["$missing"]?.count == 36)
            #expect(try FolioCommand.run("verify", document).exit == 1)
        }
    }

    @Test func aLargeValueThatIsThereAndCannotBeReadEndsTheExport() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder),
                archive = folder.appendingPathComponent("Damaged.folioz")
            let file = folder.appendingPathComponent("portrait")
            var bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) })
            try bytes.write(to: file)
            #expect(try FolioCommand.run("set", document, "Person/p1", "portrait=@\(file.path)").exit == 0)
            #expect(try FolioCommand.run("pack", document, archive.path).exit == 0)
            #expect(try FolioCommand.run("export", archive.path).exit == 0)
            // Within what it has for the value, as it is or compressed.
            var packed = try Data(contentsOf: archive)
            bytes = Data(bytes[100_000..<100_016])
            let place = packed.range(of: bytes)?.lowerBound ?? packed.count / 2
            packed[place] ^= 0xFF
            try packed.write(to: archive)
            let exported = try FolioCommand.run("export", archive.path)
            #expect(exported.exit == 65 || exported.exit == 74, "\(exported.exit)")
            #expect(
                exported.messages.contains("folio: export: ") && !exported.output.contains("$missing"),
                "\(exported.messages)")
        }
    }

    @Test func ofTwoSidesThatSayDifferentThingsNeitherUnlinks() throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Links.folio").path
            let file = folder.appendingPathComponent("links.json")
            try Data(
                """
                [{"id": "Journey/p1", "attributes": {"title": "T"}, "relationships": {"leader": "Person/p1", "members": ["Person/p1"]}},
                 {"id": "Person/p1", "attributes": {"name": "N"}, "relationships": {"leads": [], "journeys": []}}]
                """.utf8
            ).write(to: file)
            #expect(try FolioCommand.run("new", document, "--model", FolioCommand.model).exit == 0)
            #expect(try FolioCommand.run("import", document, file.path).exit == 0)
            let journeys =
                (try FolioCommand.run("get", document, "Person/p1", "--json").object["relationships"]
                as? [String: [String]])?["journeys"]
            #expect(journeys?.count == 1)
        }
    }
}
