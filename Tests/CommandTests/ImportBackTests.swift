import Foundation
import Testing

/// An export that is edited and imported back updates the objects that its rows name.
struct ImportBackTests {
    /// Two authors, three books and two tags.
    private static func fill(_ library: ImportFixture) throws {
        try library.file(
            "All.jsonl",
            """
            {"id":"Author/p1","last":"Byron"}
            {"id":"Author/p2","last":"Shelley"}
            {"id":"Tag/p1","name":"red"}
            {"id":"Tag/p2","name":"blue"}
            {"id":"Book/p1","title":"A","year":1,"author":"Author/p1","tags":["Tag/p1"],"sequel":"Book/p2"}
            {"id":"Book/p2","title":"B","year":2,"author":"Author/p1"}
            {"id":"Book/p3","title":"C","year":3,"author":"Author/p2","tags":["Tag/p1","Tag/p2"]}

            """)
        let outcome = try library.importing("All.jsonl")
        #expect(outcome.exit == 0, "\(outcome.messages)")
    }

    private static func export(_ library: ImportFixture, _ format: String, _ entity: String? = nil) throws -> String {
        let file = "\(entity ?? "Export").\(format)"
        let outcome = try FolioCommand.run(
            ["export", library.document, "--format", format, "-o", file] + (entity.map { ["--entity", $0] } ?? []),
            in: library.folder)
        #expect(outcome.exit == 0, "\(outcome.messages)")
        return file
    }

    private static func edit(_ library: ImportFixture, _ file: String, _ old: String, _ new: String) throws {
        let url = library.folder.appendingPathComponent(file)
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.contains(old), "\(text)")
        try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: url)
    }

    @Test(arguments: ["json", "jsonl"], [nil, "Library.folioz", "Library.sqlite", "Library.xml", "Library.binary"])
    func anExportImportedBackChangesNothing(format: String, store: String?) throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            var document = library.document
            if let store {
                document = library.folder.path + "/" + store
                let saved = try FolioCommand.run("save-as", library.document, document)
                #expect(saved.exit == 0, "\(saved.messages)")
            }
            let model = store == "Library.xml" ? ["--model", library.folder.path + "/Library.xcdatamodel"] : []
            let before = try FolioCommand.run(["export", document, "--format", format] + model)
            try library.file("Back.\(format)", before.output)
            let outcome = try FolioCommand.run(["import", document, "Back.\(format)"] + model, in: library.folder)
            #expect(
                outcome.exit == 0 && outcome.messages.contains("imported 7 objects: 7 unchanged"), "\(outcome.messages)"
            )
            #expect(try FolioCommand.run(["export", document, "--format", format] + model).output == before.output)
        }
    }

    @Test func anEditedCellOfAnExportUpdatesItsObject() throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            let file = try Self.export(library, "csv", "Book")
            try Self.edit(library, file, ",B,", ",Bee,")
            let tried = try library.importing(file, "--dry-run", "--json")
            #expect(
                tried.exit == 0 && tried.object["updated"] as? Int == 1 && tried.object["unchanged"] as? Int == 2
                    && tried.object["inserted"] as? Int == 0, "\(tried.output)")
            let outcome = try library.importing(file)
            #expect(
                outcome.exit == 0 && outcome.messages.contains("imported 3 objects: 1 updated, 2 unchanged"),
                "\(outcome.messages)")
            #expect(
                try library.rows("Book", "title,year,author.last", sort: "title")
                    == "A,1,Byron\nBee,2,Byron\nC,3,Shelley\n")
        }
    }

    @Test func rowsOfAFetchUpdateTheirObjectsAndRowsWithoutAnIdMakeNewOnes() throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            var text = try FolioCommand.run(
                "fetch", library.document, "Book", "--columns", "title", "--format", "csv"
            ).output
            text = text.replacingOccurrences(of: ",C", with: ",Sea") + ",New\n"
            try library.file("Book.csv", text)
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 0
                    && outcome.messages.contains("imported 4 objects: 1 inserted, 1 updated, 2 unchanged"),
                "\(outcome.messages)")
            #expect(try library.rows("Book", "title,year", sort: "title") == "A,1\nB,2\nNew,\nSea,3\n")
        }
    }

    @Test(arguments: ["title,SELF\nX,%\n", "SELF,title\n%,X\n", "title,id\nX,%\n"])
    func theColumnOfTheObjectMayBeSELFAndStandAnywhere(text: String) throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            try library.file("Book.csv", text.replacingOccurrences(of: "%", with: "Book/p2"))
            let outcome = try library.importing("Book.csv", "--match", text.contains("SELF") ? "SELF" : "id")
            #expect(outcome.messages.contains("imported 1 object: 1 updated"), "\(outcome.messages)")
            #expect(try library.rows("Book", "title,year", sort: "year") == "A,1\nX,2\nC,3\n")
        }
    }

    @Test func asNewMakesACopyOfEveryRow() throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            let file = try Self.export(library, "csv", "Book")
            let outcome = try library.importing(file, "--as-new")
            #expect(outcome.messages.contains("imported 3 objects: 3 inserted"), "\(outcome.messages)")
            #expect(try library.count("Book") == "6\n")
        }
    }

    @Test(arguments: ["csv", "jsonl", "json"])
    func aRowWhoseObjectIsGoneIsAnErrorWithItsLine(format: String) throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            let file = try Self.export(library, format, "Book")
            #expect(try FolioCommand.run("delete", library.document, "Book/p2").exit == 0)
            for options in [[], ["--match", "id"]] {
                let outcome = try FolioCommand.run(["import", library.document, file] + options, in: library.folder)
                #expect(
                    outcome.exit == 65 && outcome.messages.contains("line ")
                        && outcome.messages.contains("the object Book/p2 is no longer in the document"),
                    "\(outcome.messages)")
            }
            #expect(try library.count("Book") == "2\n")
        }
    }

    @Test func matchIdRefusesObjectsOfAnotherDocumentAndFilesWithoutNames() throws {
        try ImportFixture.run { library in
            try Self.fill(library)
            try library.file(
                "Book.csv", "id,title\nx-coredata://7C4F0E77-0000-4000-8000-000000000000/Book/p1,Other\n")
            let other = try library.importing("Book.csv", "--match", "id")
            #expect(
                other.exit == 65 && other.messages.contains("line 2") && other.messages.contains("another document"),
                "\(other.messages)")
            #expect(try library.importing("Book.csv").messages.contains("1 inserted"))
            try library.file("Book.csv", "title\nOther\n")
            let without = try library.importing("Book.csv", "--match", "id")
            #expect(
                without.exit == 64 && without.messages.contains("no column that names objects"), "\(without.messages)")
            let both = try library.importing("Book.csv", "--match", "id", "--as-new")
            #expect(both.exit == 64, "\(both.messages)")
        }
    }
}

extension ImportBackTests {
    @Test(arguments: ["json", "jsonl"])
    func anEditOfOneEndOfALinkIsNotTakenBackByTheRowOfTheOtherEnd(format: String) throws {
        // Rows of authors come first and list their books as before; so do rows of tags, last.
        try ImportFixture.run { library in
            try Self.fill(library)
            let file = try Self.export(library, format)
            let uuid = try String(contentsOf: library.folder.appendingPathComponent(file), encoding: .utf8)
                .components(separatedBy: "x-coredata://")[1].prefix(36)
            func uri(_ name: String) -> String { "x-coredata://\(uuid)/\(name)" }
            let url = library.folder.appendingPathComponent(file)
            var text = try String(contentsOf: url, encoding: .utf8)
            var records: [String] = []
            if format == "jsonl" {
                records = text.components(separatedBy: "\n")
            } else {
                records = text.components(separatedBy: "\"attributes\"")
            }
            // Book A gets the other author, loses its sequel and its tag.
            let index = try #require(records.firstIndex { $0.contains("\"title\"") && $0.contains("\"A\"") })
            records[index] = records[index].replacingOccurrences(of: uri("Author/p1"), with: uri("Author/p2"))
                .replacingOccurrences(of: "\"\(uri("Book/p2"))\"", with: "null")
                .replacingOccurrences(of: "\"\(uri("Tag/p1"))\"", with: "")
            text = records.joined(separator: format == "jsonl" ? "\n" : "\"attributes\"")
            try Data(text.utf8).write(to: url)
            let outcome = try library.importing(file)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(
                try library.rows("Book", "title,author.last,sequel.title,tags.name", sort: "title")
                    .replacingOccurrences(of: "\"", with: "")
                    == "A,Shelley,,[]\nB,Byron,,[]\nC,Shelley,,[red,blue]\n")
        }
    }
}

/// Properties that the columns of an import lack.
struct ImportHeaderTests {
    @Test func aMandatoryRelationshipWithoutAColumnIsToldBeforeAnyRowIsRead() throws {
        try ImportFixture.run(author: "") { library in
            // The second row can't be read.
            try library.file("Book.csv", "title\nA\n\"B\n")
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 65
                    && outcome.messages.contains("line 1: Book.author is required, and there is no column for it"),
                "\(outcome.messages)")
        }
    }

    @Test func aMandatoryAttributeWithoutAColumnIsToldBeforeAnyRowIsRead() throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", "last\nByron\n\"\n")
            try library.file("Book.csv", "year\n1\n\"B\n")
            for files in [["Book.csv"], ["Author.csv", "Book.csv"]] {
                let outcome = try FolioCommand.run(["import", library.document] + files, in: library.folder)
                #expect(
                    outcome.exit == 65
                        && outcome.messages.contains(
                            "Book.csv: line 1: Book.title is required, and there is no column for it"),
                    "\(outcome.messages)")
            }
            try library.file("Book.jsonl", "{\"year\":1}\n{\n")
            let lines = try library.importing("Book.jsonl")
            #expect(
                lines.exit == 65
                    && lines.messages.contains(
                        "line 1, object 1: Book.title is required, and there is no member for it"),
                "\(lines.messages)")
        }
    }

    @Test func aRelationshipThatAnotherFileSaysAtItsOtherEndNeedsNoColumn() throws {
        try ImportFixture.run(author: "") { library in
            try library.file("Book.csv", "id,title\nBook/p1,A\nBook/p2,B\n")
            try library.file("Author.csv", "last,books\nByron,Book/p1 Book/p2\n")
            let outcome = try library.importing("Book.csv", "Author.csv")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(try library.rows("Book", "title,author.last", sort: "title") == "A,Byron\nB,Byron\n")
        }
    }

    @Test func rowsThatUpdateNeedNoMandatoryColumns() throws {
        try ImportFixture.run(author: "") { library in
            try library.file("Author.csv", "last\nByron\n")
            try library.file("Book.csv", "title,isbn,author.last\nA,1,Byron\n")
            #expect(try library.importing("Author.csv", "Book.csv").exit == 0)
            try library.file("Book.csv", "isbn,year\n1,1900\n")
            #expect(try library.importing("Book.csv", "--match", "isbn").exit == 0)
            // A row without a match is refused in the first place.
            try library.file("Book.csv", "isbn,title,year\n1,A,1900\n2,B,1901\n3,,1902\n")
            let outcome = try library.importing("Book.csv", "--match", "isbn")
            #expect(
                outcome.exit == 65 && outcome.messages.contains("line 3: Book.author is required"),
                "\(outcome.messages)")
            try library.file("Book.csv", "title\n")
            #expect(try library.importing("Book.csv").exit == 0)
        }
    }
}
