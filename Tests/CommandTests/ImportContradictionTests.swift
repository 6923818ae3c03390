import Foundation
import TestSupport
import Testing

/// Files that contradict themselves about a to-one relationship: of two objects that claim a third,
/// neither loses its link without a word.
struct ImportContradictionTests {
    private static func book(_ number: Int, _ links: String) -> String {
        #"{"id": "Book/p\#(number)", "attributes": {"title": "Book \#(number)", "isbn": "\#(number)"}, "relationships": {\#(links)}}"#
    }

    private static func books(_ links: [String]) -> String {
        "[" + links.enumerated().map { book($0 + 1, $1) }.joined(separator: ",\n") + "]"
    }

    @Test(
        arguments: [
            // Two that lead to one.
            (
                [#""sequel": "Book/p3""#, #""sequel": "Book/p3""#, ""],
                "Book/p1 and Book/p2 are both linked to Book/p3, whose prequel is one object"
            ),
            // What one says, and what the other end says.
            (
                [#""sequel": "Book/p3""#, "", #""prequel": "Book/p2""#],
                "Book/p1 and Book/p2 are both linked to Book/p3, whose prequel is one object"
            ),
            (
                ["", #""prequel": "Book/p3""#, #""sequel": "Book/p1""#],
                "Book/p2 and Book/p1 are both linked to Book/p3, whose sequel is one object"
            ),
        ], [true, false]) func twoThatClaimOneAreRefused(
            contradiction: (links: [String], message: String), isEmpty: Bool
        ) throws
    {
        try ImportFixture.run { fixture in
            if !isEmpty {
                try fixture.file("Author.json", #"[{"last": "A"}]"#)
                #expect(try fixture.importing("Author.json").exit == 0)
            }
            try fixture.file("Book.json", Self.books(contradiction.links))
            let before = try FolioCommand.contents(of: URL(fileURLWithPath: fixture.document))
            let outcome = try fixture.importing("Book.json")
            #expect(outcome.exit == 65 && outcome.messages.contains(contradiction.message), "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: URL(fileURLWithPath: fixture.document)) == before)
        }
    }

    @Test func theyAreRefusedAcrossPieces() throws {
        try ImportFixture.run { fixture in
            var rows = "id,title,sequel\n"
            for number in 1...25_000 {
                rows += "Book/p\(number),T,\(number == 2 || number == 24_000 ? "Book/p10" : "")\n"
            }
            try fixture.file("Book.csv", rows)
            let outcome = try fixture.importing("Book.csv")
            #expect(
                outcome.exit == 65
                    && outcome.messages.contains(
                        "line 24001, column 3: Book/p2 and Book/p24000 are both linked to Book/p10"),
                "\(outcome.messages)")
            #expect(try fixture.count("Book") == "0\n")
        }
    }

    /// Each of these says nothing twice.
    @Test(arguments: [
        [#""sequel": "Book/p2""#, "", ""],
        [#""sequel": "Book/p2", "prequel": null"#, #""prequel": "Book/p1", "sequel": null"#, #""prequel": null"#],
        [#""sequel": "Book/p1""#, "", ""],
        [#""sequel": "Book/p2""#, #""sequel": "Book/p3", "prequel": "Book/p1""#, #""sequel": "Book/p1""#],
    ]) func whatOneOrBothEndsSayIsTaken(links: [String]) throws {
        try ImportFixture.run { fixture in
            try fixture.file("Book.json", Self.books(links))
            #expect(try fixture.importing("Book.json").exit == 0)
            #expect(try FolioCommand.run("verify", "--deep", fixture.document).exit == 0)
        }
    }

    /// What the document has gives way to what a file says; what the file says twice does not.
    @Test func aLinkOfTheDocumentIsMoved() throws {
        try ImportFixture.run { fixture in
            try fixture.file("Book.json", Self.books([#""sequel": "Book/p3""#, "", ""]))
            #expect(try fixture.importing("Book.json").exit == 0)
            try fixture.file("Moved.csv", "isbn,sequel.isbn\n2,3\n")
            #expect(try fixture.importing("Moved.csv", "--entity", "Book", "--match", "isbn").exit == 0)
            #expect(try fixture.rows("Book", "isbn,sequel.isbn", sort: "isbn") == "1,\n2,3\n3,\n")
            // The last row of an object is the one that counts.
            try fixture.file("Again.csv", "isbn,sequel.isbn\n2,1\n2,3\n")
            #expect(try fixture.importing("Again.csv", "--entity", "Book", "--match", "isbn").exit == 0)
            #expect(try fixture.rows("Book", "isbn,sequel.isbn", sort: "isbn") == "1,\n2,3\n3,\n")
            try fixture.file("Both.csv", "isbn,sequel.isbn\n2,3\n1,3\n")
            let outcome = try fixture.importing("Both.csv", "--entity", "Book", "--match", "isbn")
            #expect(
                outcome.exit == 65 && outcome.messages.contains("are both linked to")
                    && outcome.messages.contains("line 3"), "\(outcome.messages)")
            #expect(try fixture.rows("Book", "isbn,sequel.isbn", sort: "isbn") == "1,\n2,3\n3,\n")
        }
    }
}

extension ImportContradictionTests {
    @Test func aDelimiterIsOfUseForCSVAlone() throws {
        try ImportFixture.run { fixture in
            try fixture.file("Tag.json", #"[{"name": "A"}]"#)
            let outcome = try fixture.importing("Tag.json", "--delimiter", ";")
            #expect(outcome.exit == 64 && outcome.messages.contains("no file is CSV"), "\(outcome.messages)")
        }
    }
}
