import Foundation
import TestSupport
import Testing

/// Output that is longer than the screen of a terminal goes through a pager.
struct PagerTests {
    private static let marking = "sed s/^/paged:/"
    private static let export = ["export", FolioCommand.document]

    private func run(
        _ arguments: [String] = export, rows: UInt16 = 24, columns: UInt16 = 80, with variables: [String: String?],
        isWhole: Bool = false
    ) throws -> TerminalRun {
        let without: [String: String?] = ["PAGER": nil, "FOLIO_PAGER": nil, "LESS": nil, "LV": nil, "TERM": "xterm"]
        return try TerminalRun(
            arguments, rows: rows, columns: columns, variables: without.merging(variables) { $1 }, isWhole: isWhole)
    }

    private func lines(_ run: TerminalRun) -> [Substring] { run.output.split(separator: "\n") }

    @Test func outputLongerThanTheScreenGoesThroughThePager() throws {
        let plain = try FolioCommand.run(Self.export).output
        let marked = plain.split(separator: "\n").map { "paged:" + $0 + "\n" }.joined()
        #expect(try run(with: ["PAGER": Self.marking]).output == marked)
        #expect(try run(with: ["PAGER": "cat", "FOLIO_PAGER": Self.marking]).output == marked)
        // The rows of a line that is wider than the screen count.
        let row = ["model", FolioCommand.document, "--json"]
        let wide = try run(row, rows: 24, columns: 10, with: ["PAGER": Self.marking])
        #expect(wide.output.hasPrefix("paged:"))
        #expect(try run(["help", "fetch"], with: ["PAGER": Self.marking]).output.hasPrefix("paged:folio fetch"))
    }

    @Test func outputThatFitsGoesToTheTerminal() throws {
        let count = try FolioCommand.run(Self.export).output.split(separator: "\n").count
        #expect(try run(rows: UInt16(count + 1), columns: 1000, with: ["PAGER": Self.marking]).output.hasPrefix("{"))
        #expect(try run(rows: UInt16(count), columns: 1000, with: ["PAGER": Self.marking]).output.hasPrefix("paged:{"))
    }

    @Test func lessIsTheDefaultWithTheOptionsOfGit() throws {
        try withTemporaryDirectory { folder in
            let less = folder.path + "/less", path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            try Data("#!/bin/sh\necho \"$LESS $LV\"; cat > /dev/null\n".utf8).write(to: URL(fileURLWithPath: less))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: less)
            let variables: [String: String?] = ["PATH": folder.path + ":" + path]
            #expect(try run(with: variables).output == "FRX -c\n")
            #expect(try run(with: variables.merging(["LESS": "S", "LV": ""]) { $1 }).output == "S \n")
            #expect(try run(with: variables.merging(["TERM": "dumb"]) { $1 }).output.hasPrefix("{"))
        }
    }

    @Test func noPagerIsUsedWhereNoneIsWanted() throws {
        let plain = try FolioCommand.run(Self.export).output
        for arguments in [["--no-pager"] + Self.export, Self.export + ["--no-pager"]] {
            #expect(try run(arguments, with: ["PAGER": Self.marking]).output == plain)
        }
        for variables: [String: String?] in [
            ["PAGER": "cat"], ["PAGER": ""], ["FOLIO_PAGER": "", "PAGER": Self.marking],
        ] {
            #expect(try run(with: variables).output == plain)
        }
        try withTemporaryDirectory { folder in
            let file = folder.path + "/out.json"
            let outcome = try run(Self.export + ["-o", file], with: ["PAGER": Self.marking])
            #expect(outcome.output.isEmpty)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == plain)
        }
    }

    @Test(arguments: ["no-such-pager -R", "no-such-pager | cat -n; exit 127", "VALUE=1 no-such-pager"])
    func aMissingPagerLeavesPlainOutput(pager: String) throws {
        let plain = try FolioCommand.run(Self.export).output, outcome = try run(with: ["PAGER": pager])
        #expect(outcome.exit == 0 && outcome.output == plain)
    }

    @Test func aPagerThatIsClosedEarlyEndsTheCommandQuietlyWithItsOwnCode() throws {
        try withTemporaryDirectory { folder in
            let document = folder.path + "/Doc.folio"
            #expect(try FolioCommand.run("new", document, "--model", FolioCommand.model).exit == 0)
            // More than a pipe takes.
            let rows = (0..<3000).map { "{\"name\":\"Person number \($0) with a long name\"}" }
            let input = folder.appendingPathComponent("rows.jsonl")
            try Data(rows.joined(separator: "\n").utf8).write(to: input)
            let imported = try FolioCommand.run("import", document, input.path, "--entity", "Person")
            #expect(imported.exit == 0, "\(imported.messages)")
            let head: [String: String?] = ["PAGER": "head -1"]
            for command in [["export", document], ["fetch", document, "Person", "--columns", "name"]] {
                let outcome = try run(command, with: head, isWhole: true)
                #expect(outcome.exit == 0 && lines(outcome).count == 1, "\(outcome.output)")
            }
            let noted = try run(
                ["fetch", document, "Person"], with: ["PAGER": "head -1; sleep 0.1; echo end"], isWhole: true)
            #expect(lines(noted).count == 3 && lines(noted)[1] == "end" && lines(noted)[2].hasPrefix("note: without"))
            let difference = try run(["diff", FolioCommand.document, document], with: head, isWhole: true)
            #expect(difference.exit == 1 && lines(difference).count == 1, "\(difference.output)")
        }
    }

    @Test func anErrorKeepsItsCodeAndIsNotPaged() throws {
        let missing = try run(
            ["get", FolioCommand.document, "Person/p99"], with: ["PAGER": Self.marking], isWhole: true)
        #expect(missing.exit == 66 && !missing.output.contains("paged:"))
    }
}
