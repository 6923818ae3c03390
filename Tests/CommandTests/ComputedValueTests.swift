import Foundation
import TestSupport
import Testing

/// `set` with expressions, and values for variables of conditions.
struct ComputedValueTests {
    private static func fetch(_ document: String, _ entity: String, _ columns: String, _ more: String...) throws
        -> String
    {
        try FolioCommand.run(
            ["fetch", document, entity, "--columns", columns, "--format", "csv", "--sort", columns] + more
        )
        .output.split(separator: "\n").dropFirst().map { $0.drop { $0 != "," }.dropFirst() }
        .joined(separator: ";")
    }

    @Test func valuesAreComputedForEachObject() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            for (assignment, columns, wanted) in [
                ("year:=year * 2 - 1893", "year", "1893;1897;1929"),
                ("year:=year + $N", "year", "1894;1898;1930"),
                ("distance:=TERNARY(distance > 2000, 1, 2)", "distance", "1;1;2"),
                ("title:=uppercase(title) + \"!\"", "title", "FARTHEST NORTH!;THE DRIFT OF THE FRAM!;THE SOUTH POLE!"),
                ("title:=CAST(year, 'NSString')", "title", "1894;1898;1930"),
                ("budget:=distance * 1.5", "budget", "1.5;1.5;3"),
                ("distance:=stops.@count", "distance", "1;2;3"),
                ("title:=\"same\" + CAST(year, 'NSString')", "title", "same1894;same1898;same1930"),
            ] {
                let with = assignment.contains("$N") ? ["--with", "N=1"] : []
                let outcome = try FolioCommand.run(
                    ["set", document, "Journey", "--where", "TRUEPREDICATE", assignment] + with)
                #expect(
                    outcome.exit == 0 && outcome.messages == "changed 3 objects\n", "\(assignment) \(outcome.messages)")
                #expect(try Self.fetch(document, "Journey", columns) == wanted, "\(assignment)")
            }
        }
    }

    @Test func datesMoveByNumbersAndLinksComeFromKeyPaths() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(
                try FolioCommand.run(
                    "set", document, "Journey/p1", "startedOn:=startedOn + 3600", "distance:=year",
                    "year:=distance - 3000"
                ).exit == 0)
            // Every value is computed from those before the command.
            #expect(
                try FolioCommand.run(
                    "fetch", document, "Journey", "--where", "SELF == 'Journey/p1'", "--columns",
                    "startedOn,distance,year", "--format", "csv"
                ).output.hasSuffix("/Journey/p1,1893-06-24T01:00:00Z,1893,1000\n"))
            #expect(try FolioCommand.run("set", document, "Stop/p1", "journey:=journey", "place:=place").exit == 0)
            let wrong = try FolioCommand.run("set", document, "Stop/p1", "journey:=place")
            #expect(
                wrong.exit == 64 && wrong.messages.contains("Stop/p1: it takes objects of Journey"), "\(wrong.messages)"
            )
        }
    }

    @Test(arguments: [
        ("distance:=year / 0.7", "Journey/p1: distance is Integer 64, and the expression gives"),
        ("year:=title", "Journey/p1: year is Integer 32, and the expression gives “The drift of the Fram”"),
        ("year:=year * 100000000", "Journey/p1: year is Integer 32"),
        ("year:=yaer + 1", "year:= is neither JSON nor an expression"),
        ("title:=Dune", "title:= is neither JSON nor an expression"),
        ("year:=year + $N", "$N has no value"), ("title:=[1", "needs JSON"),
    ]) func wrongValuesAreToldByObjectBeforeAnythingIsChanged(assignment: String, message: String) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("set", document, "Journey", "--where", "TRUEPREDICATE", assignment)
            #expect(outcome.exit == 64 && outcome.messages.contains(message), "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    @Test func valuesOfVariablesHaveTheTypeOfWhatTheyAreComparedWith() throws {
        for (condition, values, count) in [
            ("year == $Y", ["Y=1893"], 1), ("title == $T", ["T=The South Pole"], 1), ("title == $T", ["T=1893"], 0),
            ("startedOn < $D", ["D=1894-01-01"], 1), ("year IN $Y", ["Y=1893", "Y=1895"], 2),
            ("year IN $Y", ["Y=1895"], 1),
            ("year BETWEEN {$A, $B}", ["A=1890", "B=1900"], 2), ("ANY members.name == $N", ["N=Oscar Wisting"], 1),
            ("SELF == $O", ["O=Journey/p2"], 1), ("title CONTAINS $T", ["T=\"'\\"], 0),
            ("SUBQUERY(stops, $s, $s.nights > $N).@count > 0", ["N=1"], 3), ("budget > $B", ["B=1.5"], 1),
            ("year + $N == 1894", ["N=1"], 1), ("startedOn == $D", ["D="], 0),
        ] {
            let outcome = try FolioCommand.run(
                ["fetch", FolioCommand.document, "Journey", "--count", "--where", condition]
                    + values.flatMap { ["--with", $0] })
            #expect(
                outcome.exit == 0 && outcome.output == "\(count)\n", "\(condition) \(outcome.output)\(outcome.messages)"
            )
        }
        for (words, message) in [
            (["--where", "year == $Y"], "$Y has no value"), (["--where", "year == $Y", "--with", "Y=x"], "a number"),
            (["--where", "year == $Y", "--with", "Y=1", "--with", "Z=1"], "there is no variable $Z"),
        ] {
            let outcome = try FolioCommand.run(["fetch", FolioCommand.document, "Journey"] + words)
            #expect(outcome.exit == 64 && outcome.messages.contains(message), "\(outcome.messages)")
        }
    }
}

/// `extract` of the values of many objects, and what helps a newcomer.
struct ExtractFolderTests {
    @Test func allValuesOfAnAttributeAreWrittenUnderSafeNames() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let picture = Data([0xFF, 0xD8, 0xFF, 0xE0]) + Data(repeating: 7, count: 200_000)
            let file = folder.appendingPathComponent("in.bin"), out = folder.path + "/out"
            try picture.write(to: file)
            for (person, name) in [("Person/p1", "../a/b"), ("Person/p2", "../a/b"), ("Person/p3", "Ö.png")] {
                #expect(
                    try FolioCommand.run("set", document, person, "name=\(name)", "portrait=@\(file.path)").exit == 0)
            }
            let outcome = try FolioCommand.run(
                "extract", document, "Person.portrait", "-o", out, "--name", "name", "--json")
            #expect(outcome.exit == 0 && outcome.object["count"] as? Int == 3, "\(outcome.messages)")
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: out)) == ["_a_b.jpg", "_a_b-2.jpg", "Ö.png"])
            #expect(try Data(contentsOf: URL(fileURLWithPath: out + "/_a_b.jpg")) == picture)
            let again = try FolioCommand.run("extract", document, "Person.portrait", "-o", out, "--name", "name")
            #expect(again.exit != 0 && again.messages.contains("it is there already"), "\(again.messages)")
            let some = try FolioCommand.run(
                "extract", document, "Person.portrait", "-o", folder.path + "/some", "--where", "name == $N", "--with",
                "N=Ö.png")
            #expect(some.exit == 0 && some.messages.contains("wrote 1 file"), "\(some.messages)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/some") == ["Person-p3.jpg"])
        }
    }

    @Test func theStoredBytesOfATransformableAreExtracted() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let picture = Data([0x89, 0x50, 0x4E, 0x47, 1, 2, 3]), file = folder.appendingPathComponent("in.png")
            try picture.write(to: file)
            #expect(try FolioCommand.run("set", document, "Person/p1", "preferences=@\(file.path)").exit == 0)
            let out = folder.path + "/out"
            #expect(try FolioCommand.run("extract", document, "Person/p1", "preferences", "-o", out + ".png").exit == 0)
            #expect(try Data(contentsOf: URL(fileURLWithPath: out + ".png")) == picture)
            #expect(try FolioCommand.run("extract", document, "Person.preferences", "-o", out).exit == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: out).contains("Person-p1.png"))
        }
    }

    @Test func aFetchWithoutAnEntityListsTheEntities() throws {
        let outcome = try FolioCommand.run("fetch", FolioCommand.document, "--format", "csv")
        #expect(outcome.exit == 0 && outcome.output.contains("Journey,3\n") && outcome.output.contains("Person,5\n"))
        #expect(try FolioCommand.run("fetch", FolioCommand.document, "--count").exit == 64)
    }

    @Test(arguments: [
        ("list", "folio fetch"), ("show", "folio get"), ("query", "folio fetch"), ("update", "folio set"),
        ("add", "folio insert"), ("convert", "folio save-as"), ("copy", "folio save-as"), ("history", "folio versions"),
        ("undo", "folio restore"), ("backup", "folio save-as"), ("count", "--count"), ("remove", "folio delete"),
        ("dump", "folio export"), ("ftech", "fetch"),
    ]) func anUnknownCommandGetsASuggestion(name: String, suggestion: String) throws {
        let outcome = try FolioCommand.run(name, "x")
        #expect(
            outcome.exit == 64 && outcome.hints.contains { $0.contains("did you mean") && $0.contains(suggestion) },
            "\(outcome.messages)")
    }

    @Test func aTableThatIsTooWideForTheTerminalIsLegible() throws {
        // A pseudo-terminal of 80 or 30 columns.
        let script = """
            import os, pty, sys, struct, fcntl, termios
            pid, fd = pty.fork()
            if pid == 0:
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
                os.environ.update(TERM="dumb", PAGER="cat")
                os.execv(sys.argv[2], sys.argv[2:])
            out = b""
            while True:
                try: part = os.read(fd, 65536)
                except OSError: break
                if not part: break
                out += part
            sys.stdout.write(out.decode()); sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """
        func shown(_ columns: String, _ words: String...) throws -> FolioCommand.Outcome {
            try FolioCommand.run(
                ["-c", script, columns, FolioCommand.binary.path] + words, through: ["/usr/bin/env", "python3"],
                alone: true)
        }
        let narrow = try shown("90", "fetch", FolioCommand.document, "Person")
        #expect(
            narrow.output.contains("without the columns in which all is NULL: portrait")
                && narrow.output.contains("object"),
            "\(narrow.output)\(narrow.messages)")
        let lines = try shown("30", "fetch", FolioCommand.document, "Person")
        #expect(
            lines.output.contains("name: Roald Amundsen") && lines.output.contains("as lines"), "\(lines.output)")
        let table = try shown("30", "fetch", FolioCommand.document, "Person", "--format", "table")
        #expect(table.output.contains("…") && !table.output.contains("as lines"), "\(table.output)")
    }
}
