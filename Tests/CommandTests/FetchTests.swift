import Foundation
import Testing
import TestSupport

/// Reading the sample document, which is not changed by it.
struct FetchTests {
    private func fetch(_ words: String...) throws -> FolioCommand.Outcome {
        let outcome = try FolioCommand.run(["fetch", FolioCommand.document] + words)
        #expect(outcome.exit == 0, "\(outcome.messages)")
        return outcome
    }

    @Test func aTableShowsTheColumnsAskedFor() throws {
        let outcome = try fetch("Journey", "--columns", "title,leader.name,year", "--sort", "year")
        #expect(
            outcome.output == """
                title                  leader.name      year
                ---------------------  ---------------  ----
                The drift of the Fram  Fridtjof Nansen  1893
                Farthest North         Fridtjof Nansen  1895
                The South Pole         Roald Amundsen   1911

                """)
    }

    @Test func predicatesSelect() throws {
        #expect(try fetch("Journey", "--where", "ANY members.name CONTAINS[c] 'JOHANSEN'", "--count").output == "2\n")
        #expect(
            try fetch("Journey", "--where", "stops.@count == 3 AND leader.born < '1873-01-01'", "--count").output
                == "1\n")
        #expect(
            try fetch("Place", "--where", "latitude BETWEEN {-90, 0}", "--count", "--json").object["count"] as? Int == 3
        )
        #expect(
            try fetch("Person", "--where", "homepage == nil AND NOT name ENDSWITH 'Wisting'", "--count").output == "3\n"
        )
        #expect(try fetch("Stop", "--where", "place == 'Camp/p6' OR place.code == 'FRAM'", "--count").output == "2\n")
        #expect(try fetch("Person", "--where", "name MATCHES '.*(a)n.*n'", "--count").output == "2\n")
    }

    @Test func windowsAndOrderWork() throws {
        let outcome = try fetch(
            "Person", "--sort", "-name", "--limit", "2", "--offset", "1", "--columns", "name", "--format", "csv")
        #expect(
            outcome.output.split(separator: "\n").map { $0.split(separator: ",").last } == [
                "name", "Oscar Wisting", "Olav Bjaaland",
            ])
        #expect(try fetch("Person", "--limit", "0", "--count").output == "0\n")
    }

    @Test func wholeObjectsHaveTheShapeOfTheExport() throws {
        let objects = try #require(try fetch("Place", "--sort", "name", "--format", "json").json as? [[String: Any]])
        #expect(objects.count == 6)
        let export = try FolioCommand.run("export", FolioCommand.document)
        let entities = try #require(export.object["entities"] as? [String: [[String: Any]]])
        #expect(entities["Place"] == nil)
        let exported = try #require(
            (entities["Camp"] ?? []).first { ($0["attributes"] as? [String: Any])?["name"] as? String == "Polheim" })
        let fetched = try #require(
            objects.first { ($0["attributes"] as? [String: Any])?["name"] as? String == "Polheim" })
        #expect(fetched as NSDictionary == exported as NSDictionary)
        #expect(try fetch("Place", "--format", "jsonl").output.split(separator: "\n").count == 6)
    }

    @Test func aTableOfAFamilyShowsEachColumnThatAnyMemberHas() throws {
        let heading = try #require(try fetch("Place").output.split(separator: "\n").first)
        for name in ["object", "capacity", "depth", "name"] { #expect(heading.contains(name)) }
    }

    @Test func getShowsObjectsInFull() throws {
        let outcome = try FolioCommand.run("get", FolioCommand.document, "Journey/p3")
        #expect(outcome.exit == 0)
        #expect(outcome.output.contains("The South Pole"))
        #expect(outcome.output.contains("<5 bytes>"))
        #expect(outcome.output.contains("Stop/p6"))
        let several = try FolioCommand.run("get", FolioCommand.document, "Person/p2", "Person/p1", "--json")
        let names = (several.json as? [[String: Any]])?.compactMap {
            ($0["attributes"] as? [String: Any])?["name"] as? String
        }
        #expect(names == ["Hjalmar Johansen", "Fridtjof Nansen"])
    }
}

extension FetchTests {
    @Test func groupsAndAggregatesAreRows() throws {
        #expect(
            try fetch(
                "Journey", "--group-by", "leader.name", "--columns", "leader.name, count, min(year) AS first", "--sort",
                "-count,leader.name"
            ).output == """
                leader.name      count  first
                ---------------  -----  -----
                Fridtjof Nansen      2   1893
                Roald Amundsen       1   1911

                """)
        #expect(
            try fetch("Journey", "--group-by", "leader.name", "--having", "count > 1", "--format", "csv").output
                == "leader.name,count\nFridtjof Nansen,2\n")
        #expect(try fetch("Journey", "--group-by", "leader.name", "--count").output == "2\n")
        let totals = try fetch(
            "Journey", "--columns", "count(*), sum(year), max(year - 1) AS last", "--format", "jsonl")
        #expect(totals.output == "{\"count(*)\":3,\"last\":1910,\"sum(year)\":5699}\n")
    }

    @Test func distinctRowsComeOnce() throws {
        #expect(
            try fetch("Journey", "--distinct", "--columns", "leader.name", "--sort", "leader.name", "--format", "csv")
                .output == "leader.name\nFridtjof Nansen\nRoald Amundsen\n")
        #expect(try fetch("Journey", "--distinct", "--columns", "leader.name", "--count").output == "2\n")
    }

    @Test func aPathThroughManyToManyRelationshipsIsRefusedAtOnce() throws {
        let path = Array(repeating: "members.journeys", count: 25).joined(separator: ".") + ".title"
        for arguments in [
            ["--columns", path], ["--columns", "\(path).@count AS n"], ["--where", "ANY \(path) == 'x'"],
            ["--group-by", path, "--columns", "count"],
        ] {
            let outcome = try FolioCommand.run(["fetch", FolioCommand.document, "Journey"] + arguments)
            #expect(outcome.exit == 64 && outcome.messages.contains("to-many"), "\(arguments[0]): \(outcome.messages)")
        }
    }

    @Test func templatesOfTheModelTakeVariables() throws {
        func run(_ words: String...) throws -> FolioCommand.Outcome {
            try FolioCommand.run(["fetch", FolioCommand.document] + words)
        }
        let all = try #require(Int(try fetch("Journey", "--where", "distance > 0", "--count").output.dropLast()))
        #expect(try run("--template", "longJourneys", "--with", "LEAST=0", "--count").output == "\(all)\n")
        #expect(
            try run(
                "--template", "longJourneys", "--with", "LEAST=0", "--where", "year > 1900", "--columns", "year",
                "--format", "csv"
            ).output.hasSuffix(",1911\n"))
        #expect(try run("--template", "longJourneys", "--count").exit == 64)
        let wrong = try run("--template", "longJourney", "--with", "LEAST=0")
        #expect(wrong.exit == 64 && wrong.messages.contains("longJourneys"))
        #expect(try run("Journey", "--with", "LEAST=0").exit == 64)
        #expect(try FolioCommand.run("fetch", FolioCommand.document).output.contains("Journey"))
    }

    @Test func sortKeysTakeCollations() throws {
        let names = try fetch("Person", "--sort", "-name[cl]", "--columns", "name", "--format", "csv").output.split(
            separator: "\n"
        ).map { $0.split(separator: ",").last ?? "" }
        #expect(names.first == "name" && names.dropFirst().elementsEqual(names.dropFirst().sorted(by: >)))
    }

    @Test func explainShowsRowsOfValues() throws {
        let outcome = try FolioCommand.run(
            "explain", FolioCommand.document, "Journey", "--group-by", "leader.name", "--having", "count > 1")
        #expect(outcome.exit == 0)
        #expect(outcome.output.contains("GROUP BY") && outcome.output.contains("HAVING COUNT(*) > ?"))
        let rest = try FolioCommand.run(
            "explain", FolioCommand.document, "Journey", "--columns", "stops[members.@count] AS last")
        #expect(rest.exit == 0 && rest.output.contains("IN MEMORY"), "\(rest.messages)")
    }
}

extension FetchTests {
    @Test func explainShowsThatAnIndexIsSearched() throws {
        let outcome = try FolioCommand.run(
            "explain", FolioCommand.document, "Journey", "--where", "year == 1911 AND title BEGINSWITH 'T'", "--json")
        #expect(
            (outcome.object["plan"] as? [String])?.first?.contains("SEARCH t0 USING INDEX") == true, "\(outcome.output)"
        )
    }

    @Test func explainShowsTheStatement() throws {
        let outcome = try FolioCommand.run(
            "explain", FolioCommand.document, "Journey", "--where", "year > 1894", "--sort", "title", "--json")
        #expect(outcome.exit == 0)
        #expect((outcome.object["statement"] as? String)?.hasPrefix("SELECT") == true)
        #expect((outcome.object["arguments"] as? [String]) == ["1894"])
        #expect((outcome.object["plan"] as? [String])?.isEmpty == false)
    }

    @Test func readingChangesNothingAndLeavesNothing() throws {
        let folder = URL(fileURLWithPath: FolioCommand.samples.path)
        let before = try FolioCommand.contents(of: folder)
        _ = try fetch("Person")
        for name in ["info", "export", "verify", "model"] {
            #expect(try FolioCommand.run(name, FolioCommand.document).exit == 0)
        }
        #expect(try FolioCommand.contents(of: folder) == before)
    }
}

/// Objects that are printed in full, of whatever entities.
struct GetTests {
    @Test func objectsOfOneNumberAreToldApartByTheirEntity() throws {
        let outcome = try FolioCommand.run(
            "get", FolioCommand.document, "Person/p1", "Journey/p1", "Stop/p1", "Person/p2", "--json")
        #expect(outcome.exit == 0, "\(outcome.messages)")
        let objects = try #require(outcome.json as? [[String: Any]])
        #expect(
            objects.compactMap { ($0["id"] as? String)?.split(separator: "/").suffix(2).joined(separator: "/") } == [
                "Person/p1", "Journey/p1", "Stop/p1", "Person/p2",
            ])
        let attributes = objects.map { $0["attributes"] as? [String: Any] ?? [:] }
        #expect(attributes[0]["name"] as? String == "Fridtjof Nansen")
        #expect(attributes[1]["title"] as? String == "The drift of the Fram")
        #expect(attributes[2]["nights"] != nil)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
    func behindAReferenceThatLeadsNowhereIsNothing() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Old.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store, "--store", "sqlite").exit == 0)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            process.arguments = [store, "DELETE FROM ZPERSON WHERE Z_PK = 1"]
            try process.run()
            process.waitUntilExit()
            let outcome = try FolioCommand.run(
                "fetch", store, "Journey", "--columns", "title,leader.name", "--sort", "year", "--format", "jsonl")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(
                outcome.output.split(separator: "\n").map { $0.contains("\"leader.name\":null") } == [
                    true, true, false,
                ])
        }
    }

    @Test func objectsAreCountedPerMonthByThePartsOfADate() throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/Dates.folio", file = folder.path + "/in.csv"
            #expect(try FolioCommand.run("new", document, "--model", FolioCommand.model).exit == 0)
            try Data("name,born\nA,2024-01-31T23:30Z\nB,2024-01-31T23:30-01:00\nC,2024-02-10\nD,2023-01-05\nE,\n".utf8)
                .write(to: URL(fileURLWithPath: file))
            #expect(try FolioCommand.run("import", document, file, "--entity", "Person").exit == 0)
            let counted = try FolioCommand.run(
                "fetch", document, "Person", "--where", "born != nil", "--columns",
                "year(born) AS y,month(born) AS m,count", "--group-by", "year(born) AS y,month(born) AS m", "--sort",
                "y,m",
                "--format", "csv")
            #expect(counted.output == "y,m,count\n2023,1,1\n2024,1,1\n2024,2,2\n", "\(counted.messages)")
            let onWednesday = try FolioCommand.run(
                "fetch", document, "Person", "--where", "weekday(born) == 3 AND year(born) = 2024", "--columns", "name",
                "--format", "csv"
            ).output
            #expect(onWednesday.hasSuffix("/Person/p1,A\n") && onWednesday.split(separator: "\n").count == 2)
            #expect(try FolioCommand.run("fetch", document, "Person", "--where", "month(name) == 1").exit == 64)
        }
    }
}
