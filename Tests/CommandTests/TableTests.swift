import Foundation
import TestSupport
import Testing

/// Tables on terminals and elsewhere, lines, and how nil is shown.
struct TableTests {
    private static let long = String(repeating: "A long name ", count: 20) + "end"

    /// A document of four journeys, which have titles and the leader that they need.
    private func withDocument(_ body: (String, URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/Doc.folio"
            #expect(try FolioCommand.run("new", document, "--model", FolioCommand.model).exit == 0)
            #expect(try FolioCommand.run("insert", document, "Person", "name=A").exit == 0)
            for title in [Self.long, "NULL", "\"x\"", "a\\n\nb"] {
                #expect(
                    try FolioCommand.run("insert", document, "Journey", "title=\(title)", "leader=Person/p1").exit == 0)
            }
            try body(document, folder)
        }
    }

    /// Runs the command with a terminal of so many columns for its standard output.
    private func run(_ arguments: [String], columns: UInt16) throws -> [String] {
        let output = try TerminalRun(arguments + ["--no-pager"], columns: columns).output
        return output.split(separator: "\n").map(String.init)
    }

    @Test func aTableFitsTheTerminalAndIsWholeElsewhere() throws {
        try withDocument { document, folder in
            let command = ["fetch", document, "Journey", "--columns", "title,year,budget"]
            let lines = try run(command, columns: 40)
            #expect(
                lines.allSatisfy { $0.count <= 40 }
                    && lines.contains { $0.contains("…") && $0.hasSuffix("1900    NULL") }, "\(lines)")
            // The widest column gives way, the others are as they are.
            #expect(lines[1] == String(repeating: "-", count: 26) + "  ----  ------")
            let whole = try FolioCommand.run(command).output
            #expect(whole.contains(Self.long) && !whole.contains("…"))
            #expect(try run(command + ["-o", folder.path + "/table"], columns: 40).isEmpty)
            #expect(try String(contentsOfFile: folder.path + "/table", encoding: .utf8) == whole)
            // Wider than the table, nothing is left out; on the narrowest terminal every column is
            // still there.
            #expect(try run(command, columns: 400).joined(separator: "\n") + "\n" == whole)
            #expect(try run(command, columns: 3)[1] == "----  ----  ----")
        }
    }

    @Test func theNamesOfObjectsAreNeverCut() throws {
        try withDocument { document, _ in
            let lines = try run(["fetch", document, "Journey"], columns: 30)
            #expect(lines.first == "object: Journey/p1", "\(lines)")
            let versions = try run(["versions", document], columns: 30)
            #expect(versions.last?.hasPrefix("5, saved  ") == true, "\(versions)")
        }
    }
}

extension TableTests {
    @Test func nilIsShownApartFromTexts() throws {
        try withDocument { document, _ in
            #expect(try FolioCommand.run("set", document, "Journey/p1", "title:=\"\"").exit == 0)
            let output = try FolioCommand.run("fetch", document, "Journey", "--columns", "title,budget").output.split(
                separator: "\n"
            ).dropFirst(2)
            #expect(
                output.map { $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init) }.map(\.[0])
                    == ["\"\"", "\"NULL\"", "\"\"\"x\"\"\"", "a\\n\\nb"])
            #expect(output.allSatisfy { $0.hasSuffix("NULL") })
            let fields = try FolioCommand.run(
                "fetch", document, "Journey", "--columns", "title,budget", "--format", "csv"
            ).output
            #expect(
                fields.split(separator: "\n").dropFirst().prefix(2).map { $0.split(separator: ",", maxSplits: 1)[1] }
                    == ["\"\",", "NULL,"])
            #expect(try FolioCommand.run("get", document, "Journey/p2").output.contains("  budget     NULL\n"))
        }
    }

    @Test func linesAreOneForEachProperty() throws {
        try withDocument { document, _ in
            let last = try FolioCommand.run("fetch", document, "Journey", "--offset", "3", "--format", "lines").output
            #expect(
                last.hasPrefix("id: x-coredata://") && last.contains("\ntitle: a\\\\n\\nb\n")
                    && last.contains("\nbudget: NULL\n") && last.hasSuffix("\nstops:\n"), "\(last)")
            #expect(try FolioCommand.run("get", document, "Journey/p4", "--format", "lines").output == last)
            let columns = try FolioCommand.run(
                "fetch", document, "Journey", "--columns", "title,year", "--limit", "2", "--format", "lines"
            ).output
            let objects = columns.split(separator: "\n\n")
            #expect(objects.count == 2 && objects[1].hasSuffix("\ntitle: \"NULL\"\nyear: 1900\n"), "\(columns)")
            let rows = try FolioCommand.run(
                "fetch", document, "Journey", "--columns", "count,max(year) AS last", "--format", "lines"
            ).output
            #expect(rows == "count: 4\nlast: 1900\n")
        }
    }

    @Test func manyMembersStandBetweenCommas() throws {
        let output = try FolioCommand.run("get", FolioCommand.document, "Journey/p3", "--format", "lines").output
        #expect(
            output.contains("\nstops: Stop/p4, Stop/p5, Stop/p6\n") && output.contains("\nleader: Person/p"),
            "\(output)")
    }
}
