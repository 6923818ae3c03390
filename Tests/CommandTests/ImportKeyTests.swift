import Foundation
import Testing

/// Imported objects that are found by values of their attributes: to be linked, and to be updated.
struct ImportKeyTests {
    private static let authors = "first,last\nAda,Byron\nAda,King\nMary,Shelley\n"

    @Test func aColumnFindsTheObjectOfARelationshipByAnAttribute() throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", Self.authors)
            try library.file("Book.csv", "title,author.last\nNotes,Byron\nFrankenstein,Shelley\nNobody,\n")
            #expect(try library.importing("Author.csv").exit == 0)
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 0 && outcome.messages.contains("imported 3 objects: 3 inserted"), "\(outcome.messages)")
            #expect(
                try library.rows("Book", "title,author.last", sort: "title")
                    == "Frankenstein,Shelley\nNobody,\nNotes,Byron\n")
        }
    }

    @Test func severalColumnsFindOneObjectTogether() throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", Self.authors)
            try library.file(
                "Book.jsonl",
                "{\"title\":\"A\",\"author.first\":\"Ada\",\"author.last\":\"King\"}\n{\"title\":\"B\",\"author\":{\"first\":\"Ada\",\"last\":\"Byron\"}}\n"
            )
            #expect(try library.importing("Author.csv").exit == 0)
            let outcome = try library.importing("Book.jsonl")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(try library.rows("Book", "title,author.last", sort: "title") == "A,King\nB,Byron\n")
        }
    }

    @Test(arguments: [
        (
            "title,author.last\nA,Byron\nB,Lovelace\n",
            "Book.csv: line 3, column 2: author: there is no Author with last = \"Lovelace\""
        ),
        (
            "title,author.first\nA,Mary\nB,Ada\n",
            "Book.csv: line 3, column 2: author: 2 objects of Author have first = \"Ada\""
        ),
        ("title,author.lats\nA,Byron\n", "Book.csv: line 1, column 2: Author has no property lats"),
        ("title,author.books\nA,Byron\n", "Book.csv: line 1, column 2: objects can't be found by Author.books"),
        ("title,title.last\nA,Byron\n", "Book.csv: line 1, column 2: title.last: title is no relationship of Book"),
        ("title,author,author.last\nA,,Byron\n", "author and author.last say the same link"),
    ]) func aKeyThatFindsNotOneObjectIsToldWithItsPlace(text: String, message: String) throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", Self.authors)
            try library.file("Book.csv", text)
            #expect(try library.importing("Author.csv").exit == 0)
            let outcome = try library.importing("Book.csv")
            #expect(
                outcome.exit == 65 && outcome.errors.count == 1 && outcome.errors[0].contains(message),
                "\(outcome.messages)")
            #expect(try library.count("Book") == "0\n")
        }
    }

    @Test func whatIsMissingIsMadeWhereThatIsSaid() throws {
        try ImportFixture.run { library in
            try library.file(
                "Book.csv", "title,author.last,tags.name\nA,Byron,\"red,dark green\"\nB,Byron,red\nC,King,\n")
            let outcome = try library.importing("Book.csv", "--create-missing", "--json")
            #expect(
                outcome.exit == 0 && outcome.object["inserted"] as? Int == 3 && outcome.object["created"] as? Int == 4,
                "\(outcome.messages)")
            #expect(try library.rows("Author", "last", sort: "last") == "Byron\nKing\n")
            #expect(try library.rows("Tag", "name", sort: "name") == "dark green\nred\n")
            #expect(try library.rows("Book", "title", sort: "title", where: "ANY tags.name == 'dark green'") == "A\n")
            #expect(try library.rows("Book", "title", sort: "title", where: "ANY tags.name == 'red'") == "A\nB\n")
        }
    }
}

extension ImportKeyTests {
    @Test func matchingUpdatesWhatIsThereAndInsertsTheRest() throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", "isbn,title,year\n1,One,1901\n2,Two,1902\n3,Three,1903\n,Four,\n")
            #expect(try library.importing("Book.csv").exit == 0)
            try library.file("new.csv", "isbn,year\n1,1901\n2,2002\n")
            let outcome = try library.importing("Book=new.csv", "--match", "isbn", "--json")
            #expect(
                outcome.object["inserted"] as? Int == 0 && outcome.object["updated"] as? Int == 1
                    && outcome.object["unchanged"] as? Int == 1, "\(outcome.messages)")
            #expect(
                try library.rows("Book", "isbn,title,year", sort: "title")
                    == ",Four,\n1,One,1901\n3,Three,1903\n2,Two,2002\n")

            // A nil key matches nothing, and of rows with one key the last wins.
            try library.file("more.csv", "isbn,title,year\n,Four,4\n3,Drei,1\n3,Trois,2\n9,Nine,3\n9,Neuf,4\n")
            let second = try library.importing("Book=more.csv", "--match", "Book.isbn")
            #expect(
                second.exit == 0 && second.messages.contains("imported 5 objects: 2 inserted, 3 updated"),
                "\(second.messages)")
            #expect(
                try library.rows("Book", "isbn,title,year", sort: "title,year")
                    == ",Four,\n,Four,4\n9,Neuf,4\n1,One,1901\n3,Trois,2\n2,Two,2002\n")
        }
    }

    @Test func matchingSetsLinksAsTheRowSays() throws {
        try ImportFixture.run { library in
            try library.file("Author.csv", Self.authors)
            try library.file("Book.csv", "isbn,title,author.last\n1,One,Byron\n2,Two,King\n")
            #expect(try library.importing("Book.csv", "Author.csv").exit == 0)
            try library.file("new.csv", "isbn,author.last\n1,\n2,Shelley\n")
            let outcome = try library.importing("Book=new.csv", "--match", "isbn")
            #expect(outcome.exit == 0 && outcome.messages.contains("2 updated"), "\(outcome.messages)")
            #expect(try library.rows("Book", "isbn,author.last", sort: "isbn") == "1,\n2,Shelley\n")
        }
    }

    @Test(arguments: [
        ("isbn,title\n1,X\n", "year", 64, "there is no column of this name"),
        ("isbn,title\n1,X\n", "isbn", 65, "line 2: 2 objects of Book have isbn = \"1\""),
    ])
    func aKeyThatMatchesNotAtMostOneObjectIsRefused(text: String, key: String, exit: Int32, message: String) throws {
        try ImportFixture.run { library in
            try library.file("Book.csv", "isbn,title\n1,One\n1,Uno\n")
            #expect(try library.importing("Book.csv").exit == 0)
            try library.file("new.csv", text)
            let outcome = try library.importing("Book=new.csv", "--match", key)
            #expect(outcome.exit == exit && outcome.messages.contains(message), "\(outcome.messages)")
            #expect(try library.rows("Book", "title", sort: "title") == "One\nUno\n")
        }
    }

    private static let forms = [
        "new.csv": "isbn,title\n1,X\n", "new.json": #"[{"isbn": "1", "title": "X"}]"#,
        "new.jsonl": #"{"isbn": "1", "title": "X"}"# + "\n" + #"{"isbn": "2", "title": "Y"}"#,
        "export.json":
            #"{"entities": {"Book": [{"attributes": {"isbn": "1", "title": "X"}, "id": "Book/p1"}]}, "format": "folio-export", "formatVersion": 1}"#,
    ]

    /// A key that objects can't be found by, or that the file does not have at all, is an error of
    /// the command line, whatever the form of the file.
    @Test(
        arguments: [
            ("nope", "Book has no property nope"), ("Book.nope", "Book has no property nope"),
            ("tags", "objects can't be found by Book.tags"),
            ("Book.tags", "objects can't be found by Book.tags"), ("year", "--match year: there is no "),
            ("Book.year", "--match year: there is no "), ("isbn,year", "--match year: there is no "),
        ], forms.keys.sorted()) func aKeyThatDoesNotFitTheFileIsAUsageError(
            key: (name: String, message: String), file: String
        ) throws
    {
        try ImportFixture.run { library in
            try library.file(file, Self.forms[file] ?? "")
            let outcome = try library.importing("Book=" + file, "--match", key.name)
            #expect(
                outcome.exit == 64 && outcome.errors.count == 1 && outcome.messages.contains(key.message),
                "\(outcome.exit) \(outcome.messages)")
            #expect(try library.count("Book") == "0\n")
        }
    }
}

extension ImportKeyTests {
    @Test func anObjectThatLacksTheKeyOfOthersIsMalformed() throws {
        try ImportFixture.run { library in
            try library.file("Book.jsonl", "{\"isbn\": \"1\", \"title\": \"X\"}\n{\"title\": \"Y\"}\n")
            let outcome = try library.importing("Book.jsonl", "--match", "isbn")
            #expect(
                outcome.exit == 65
                    && outcome.errors == [
                        "folio: import: Book.jsonl: line 2, object 2: --match isbn: there is no member of this name"
                    ], "\(outcome.messages)")
            #expect(try library.count("Book") == "0\n")
        }
    }
}
