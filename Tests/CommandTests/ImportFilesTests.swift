import Foundation
import TestSupport
import Testing

/// Several files in one import, forms of delimited text, and imports that are taken in pieces.
struct ImportFilesTests {
    @Test(arguments: [["Author.csv", "Book.csv"], ["Book.csv", "Author.csv"]]) func filesAreLinkedInAnyOrder(
        files: [String]
    ) throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", "last\nByron\nShelley\n")
            try library.file("Book.csv", "title,author.last,sequel.title\nA,Byron,B\nB,Shelley,\n")
            let outcome = try FolioCommand.run(["import", library.document] + files, in: library.folder)
            #expect(
                outcome.exit == 0 && outcome.messages.contains("imported 4 objects")
                    && outcome.messages.contains("Author.csv: 2 inserted"), "\(outcome.messages)")
            #expect(
                try library.rows("Book", "title,author.last,sequel.title", sort: "title") == "A,Byron,B\nB,Shelley,\n")
        }
    }

    @Test func filesAreLinkedByTheNamesThatTheyGive() throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", "id,title,author\nBook/p70,A,Author/p51\nBook/p71,B,Author/p50\n")
            try library.file("Author.csv", "id,last\nAuthor/p50,Byron\nAuthor/p51,Shelley\n")
            let outcome = try library.importing("Book.csv", "Author.csv", "--json")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let objects = outcome.object["objects"] as? [String: String]
            #expect(objects?.count == 4 && objects?["Author/p51"]?.hasSuffix("/Author/p51") == true)
            #expect(try library.rows("Book", "title,author.last", sort: "title") == "A,Shelley\nB,Byron\n")
        }
    }

    @Test func whatIsWrongInOneFileLeavesNothingOfTheOthers() throws {
        try ImportFixture.run { library in
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: library.document))
            try library.file("Author.csv", "last\nByron\n")
            try library.file("Book.csv", "title,year\nA,1\n,2\n")
            let outcome = try library.importing("Author.csv", "Book.csv")
            #expect(
                outcome.exit == 65
                    && outcome.errors == [
                        "folio: import: Book.csv: line 3: Book.title is required (a rule is violated)"
                    ], "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: library.document)) == before)
        }
    }

    @Test func jsonTellsWhichObjectEachLineBecame() throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", "title\n\"A\nB\"\nC\n")
            let outcome = try library.importing("Book.csv", "--json")
            let files = outcome.object["files"] as? [[String: Any]]
            let rows = files?.first?["rows"] as? [[String: Any]] ?? []
            #expect(rows.compactMap { $0["line"] as? Int } == [2, 4], "\(outcome.messages)")
            #expect(rows.compactMap { ($0["object"] as? String)?.split(separator: "/").last } == ["p1", "p2"])
        }
    }

    @Test func aDryRunCountsAndDoesNothing() throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", "isbn,title\n1,A\n2,B\n")
            #expect(try library.importing("Book.csv").exit == 0)
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: library.document))
            try library.file("Book.csv", "isbn,title\n1,A\n2,BB\n3,C\n")
            let outcome = try library.importing("Book.csv", "--match", "isbn", "--dry-run")
            #expect(
                outcome.exit == 0
                    && outcome.messages.contains("would import 3 objects: 1 inserted, 1 updated, 1 unchanged"),
                "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: library.document)) == before)
        }
    }
}

extension ImportFilesTests {
    // MARK: Delimited text

    @Test(arguments: [
        ("title;year\nA;1\n\"B;C\";2\n", nil), ("title\tyear\r\nA\t1\r\n\"B;C\"\t2\r\n", nil),
        ("\u{FEFF}\"title\";\"year\"\r\nA;1\r\n\"B;C\";2", nil),
        ("title|year\nA|1\nB;C|2\n", "|"), ("title\tyear\nA\t1\nB;C\t2\n", "tab"),
        ("title;year\nA;1\n\"B;C\";2\n", ";"),
    ]) func theDelimiterIsSeenOrSaid(text: String, delimiter: String?) throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", text)
            let outcome = try FolioCommand.run(
                ["import", library.document, "Book.csv"] + (delimiter.map { ["--delimiter", $0] } ?? []),
                in: library.folder)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(try library.rows("Book", "title,year", sort: "title") == "A,1\nB;C,2\n")
        }
    }

    @Test(arguments: [
        ("a;b,c\n1;2,3\n", [], Int32(65), "line 1: the fields may be separated by , or by ;"),
        ("title\nA\n", ["--delimiter", "x"], 64, "--delimiter does not take x"),
    ])
    func aDelimiterThatCantBeSeenIsAskedFor(text: String, arguments: [String], exit: Int32, message: String) throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", text)
            let outcome = try FolioCommand.run(
                ["import", library.document, "Book.csv"] + arguments, in: library.folder)
            #expect(
                outcome.exit == exit && outcome.errors.first?.contains(message) == true && outcome.hints.count == 1,
                "\(outcome.messages)")
        }
    }
}

extension ImportFilesTests {
    // MARK: Pieces

    /// More records than are taken at once.
    private static let many = 10_050

    @Test func anInvalidRowAtTheEndOfALongFileLeavesTheDocumentAsItWas() throws {
        try ImportFixture.run { library in
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: library.document))
            try library.file("Book.csv", "title,year\n" + (0..<Self.many).map { "T\($0),\($0)\n" }.joined() + ",1\n")
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 65
                    && outcome.errors.first?.contains("line \(Self.many + 2): Book.title is required") == true,
                "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: library.document)) == before)
        }
    }

    @Test func aLongFileIsOneSaveAndItsRowsLeadToLaterOnes() throws {
        try ImportFixture.run { library in
            try library.file(
                "Book.csv",
                "title,sequel.title\n"
                    + (0..<Self.many).map {
                        "T\($0),\($0 == 3 ? "T\(Self.many - 1)" : $0 == Self.many - 2 ? "T5" : "")\n"
                    }.joined())
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 0 && outcome.messages.contains("imported \(Self.many) objects"), "\(outcome.messages)")
            #expect(try library.count("Book") == "\(Self.many)\n")
            #expect(
                try library.rows("Book", "title,sequel.title", sort: "title", where: "sequel != nil")
                    == "T\(Self.many - 2),T5\nT3,T\(Self.many - 1)\n")
            // One save is one state.
            let info = try FolioCommand.run("info", library.document, "--json").object
            #expect(info["versions"] as? Int == 1)
            #expect(try FolioCommand.run("verify", library.document).exit == 0)
        }
    }

    /// Whether a mandatory link is there shows only once all records were read.
    @Test(.enabled(if: runsSweeps)) func mandatoryLinksMayComeWithLaterRecords() throws {
        try ImportFixture.run(author: "") { library in
            let books = (0..<Self.many).map {
                "{\"id\":\"Book/p\($0 + 1)\",\"title\":\"T\($0)\",\"author\":\($0 == 7 ? "null" : "\"Author/p1\"")}\n"
            }
            try library.file("all.jsonl", books.joined() + "{\"id\":\"Author/p1\",\"last\":\"Byron\"}\n")
            let refused = try library.importing("all.jsonl")
            #expect(
                refused.exit == 65
                    && refused.errors.first?.contains("line 8, object 8: Book.author is required") == true,
                "\(refused.messages)")
            #expect(try library.count("Book") == "0\n")

            try library.file(
                "all.jsonl",
                books.joined().replacing("null", with: "\"Author/p1\"") + "{\"id\":\"Author/p1\",\"last\":\"Byron\"}\n")
            let outcome = try library.importing("all.jsonl")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let count = try FolioCommand.run(
                "fetch", library.document, "Book", "--where", "author.last == 'Byron'", "--count"
            ).output
            #expect(count == "\(Self.many)\n")
        }
    }

    @Test func valuesThatHaveToBeUniqueAreHeldAcrossPieces() throws {
        try ImportFixture.run { library in
            try library.file("Tag.csv", "name\n" + (0..<Self.many).map { "T\($0)\n" }.joined() + "T3\n")
            let outcome = try library.importing("Tag.csv")
            #expect(
                outcome.exit == 65 && outcome.errors.first?.contains("line \(Self.many + 2): ") == true,
                "\(outcome.messages)")
            #expect(try library.count("Tag") == "0\n")
        }
    }
}

extension ImportFilesTests {
    @Test func matchingSeesWhatTheSameImportHasMadeBefore() throws {
        try ImportFixture.run { library in
            try library.file("Tag.csv", "name\n" + (0..<Self.many).map { "T\($0)\n" }.joined() + "T3\n")
            let outcome = try library.importing("Tag.csv", "--match", "name")
            #expect(
                outcome.exit == 0 && outcome.messages.contains("\(Self.many) inserted, 1 unchanged"),
                "\(outcome.messages)")
            #expect(try library.count("Tag") == "\(Self.many)\n")
        }
    }

    @Test(.enabled(if: runsSweeps)) func aLongExportMakesAnEqualDocument() throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", "last\n" + (0..<50).map { "A\($0)\n" }.joined())
            try library.file(
                "Book.csv",
                "title,author.last,tags.name\n"
                    + (0..<Self.many).map { "T\($0),A\($0 % 50),\"t\($0 % 7),t\($0 % 5)\"\n" }.joined())
            let first = try library.importing("Book.csv", "Author.csv", "--create-missing")
            #expect(first.exit == 0, "\(first.messages)")
            let export = library.folder.path + "/all.json", copy = library.folder.path + "/Copy.folio"
            #expect(try FolioCommand.run("export", library.document, "-o", export).exit == 0)
            #expect(try FolioCommand.run("new", copy, "--model", library.document).exit == 0)
            let again = try FolioCommand.run("import", copy, export)
            #expect(again.exit == 0, "\(again.messages)")
            let difference = try FolioCommand.run("diff", library.document, copy)
            #expect(difference.exit == 0, "\(difference.output.prefix(500))")
        }
    }

    @Test func notAllOfManyViolationsAreTold() throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", "year,title\n" + (0..<3000).map { "\($0),\n" }.joined())
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 65
                    && outcome.errors == [
                        "folio: import: Book.csv: line 2: Book.title is required (at least 20 rules are violated)"
                    ], "\(outcome.messages)")
            #expect(
                outcome.messages.contains("line 21: Book.title is required") && !outcome.messages.contains("line 22: "))
        }
    }
}
