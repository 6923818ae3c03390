import Foundation
import TestSupport
import Testing

/// Parts of dates in time zones, in every place that takes expressions and on every kind of store.
struct ZoneCommandTests {
    @Test(arguments: ["Doc.folio", "Doc.folioz", "Doc.sqlite", "Doc.xml", "Doc.storedata"])
    func zonesGoWhereExpressionsGo(name: String) throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/" + name
            let kind = name.hasSuffix("storedata") ? ["--store", "binary"] : []
            #expect(try FolioCommand.run(["save-as", FolioCommand.document, document] + kind).exit == 0)
            // Stores of these kinds carry no model.
            let model = name.hasSuffix("xml") || !kind.isEmpty ? ["--model", FolioCommand.model] : []
            func run(_ arguments: String...) throws -> FolioCommand.Outcome { try FolioCommand.run(arguments + model) }
            let zones = ["2024-03-31T00:30:00Z", "2024-03-31T01:30:00Z", "2023-12-31T23:30:00Z"]
            for (number, date) in zones.enumerated() {
                let zone = ["Europe/Oslo", "America/New_York", "Europe/Paris"][number]
                let outcome = try run(
                    "set", document, "Journey/p\(number + 1)", "startedOn=\(date)", "title=\(zone)")
                #expect(outcome.exit == 0, "\(outcome.messages)")
            }
            func fetch(_ arguments: String...) throws -> String {
                let outcome = try FolioCommand.run(
                    ["fetch", document, "Journey", "--format", "csv"] + model + arguments)
                #expect(outcome.exit == 0, "\(outcome.messages)")
                return outcome.output.split(separator: "\n").dropFirst().joined(separator: ";")
            }
            let hours = "hour(startedOn, 'Europe/Oslo') AS h"
            #expect(try fetch("--columns", hours, "--sort", "h") == "0;1;3")
            #expect(try fetch("--columns", "hour(startedOn, title) AS h", "--sort", "h") == "0;1;21")
            #expect(
                try fetch("--group-by", "year(startedOn, 'Europe/Oslo') AS y", "--columns", "y,count", "--sort", "y")
                    == "2024,3")
            #expect(
                try fetch("--group-by", "year(startedOn) AS y", "--columns", "y,count", "--sort", "y")
                    == "2023,1;2024,2")
            #expect(
                try run(
                    "fetch", document, "Journey", "--where", "day(local(startedOn, $ZONE)) == 30", "--with",
                    "ZONE=America/New_York", "--count"
                ).output == "2\n")
            #expect(
                try run(
                    "set", document, "Journey", "--where", "hour(startedOn, title) == 21",
                    "year:=year(startedOn, 'Asia/Tokyo')"
                ).messages == "changed 1 object\n")
            #expect(try fetch("--where", "year == 2024", "--columns", "title").hasSuffix("America/New_York"))
            let unknown = try run(
                "fetch", document, "Journey", "--where", "hour(startedOn, \"Europe/Olso\") == 1")
            #expect(unknown.exit == 64 && unknown.messages.contains("There is no time zone \"Europe/Olso\""))
            #expect(unknown.messages.contains("did you mean") && unknown.messages.contains("Europe/Oslo"))
            #expect(try run("set", document, "Journey/p1", "title=Nowhere").exit == 0)
            let found = try run("fetch", document, "Journey", "--where", "hour(startedOn, title) == 1")
            #expect(
                found.exit != 0 && found.messages.contains("There is no time zone \"Nowhere\""), "\(found.messages)")
        }
    }
}
