import Foundation

/// The cases in tables made for them: numbers as keys, foreign keys that are enforced, and the same
/// rules of deletion as in the documents.
struct MergeCaseTables {
    let folder: URL

    private static let tables = ["author", "profile", "book", "tag", "book_tags", "chapter", "loan"]
    private static let schema = """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, city TEXT DEFAULT 'London',
            country TEXT DEFAULT 'England', partner INTEGER REFERENCES author ON DELETE SET NULL);
        CREATE TABLE profile (id INTEGER PRIMARY KEY, name TEXT,
            author INTEGER UNIQUE REFERENCES author ON DELETE SET NULL);
        CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT, title TEXT, note TEXT, copies INTEGER DEFAULT 10,
            rating REAL DEFAULT 3, text TEXT DEFAULT '1\n2\n3\n4\n5\n6\n', cover BLOB,
            author INTEGER REFERENCES author ON DELETE CASCADE, place INTEGER);
        CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE, label TEXT UNIQUE);
        CREATE TABLE book_tags (book INTEGER REFERENCES book ON DELETE CASCADE,
            tag INTEGER REFERENCES tag ON DELETE CASCADE, PRIMARY KEY (book, tag)) WITHOUT ROWID;
        CREATE TABLE chapter (id INTEGER PRIMARY KEY, name TEXT,
            book INTEGER REFERENCES book ON DELETE CASCADE);
        CREATE TABLE loan (id INTEGER PRIMARY KEY, name TEXT, book INTEGER REFERENCES book ON DELETE RESTRICT);
        INSERT INTO author (name) VALUES ('Ada'), ('Ben'), ('Cyd'), ('Dan');
        UPDATE author SET partner = 3 - id WHERE id < 3;
        INSERT INTO book (name, title) VALUES ('a', 'Title of a'), ('b', 'Title of b'), ('c', 'Title of c'),
            ('d', 'Title of d'), ('e', 'Title of e'), ('f', 'Title of f');
        UPDATE book SET cover = zeroblob(120000);
        UPDATE book SET author = 1, place = id - 1 WHERE id < 4;
        UPDATE book SET author = 2, place = 0 WHERE name = 'f';
        INSERT INTO tag (name) VALUES ('red'), ('blue'), ('green');
        INSERT INTO book_tags VALUES (1, 1);
        INSERT INTO chapter (name, book) VALUES ('c1', 1);
        INSERT INTO profile (name) VALUES ('p');
        """

    private func path(_ name: String) -> String { folder.appendingPathComponent(name + ".sqlite").path }

    func result(_ merge: MergeCase) throws -> MergeCaseResult {
        for name in ["base", "ours", "theirs"] { try? FileManager.default.removeItem(atPath: path(name)) }
        try RowDatabase(path("base")).execute(Self.schema)
        for (name, edits, model) in [
            ("ours", merge.ours, MergeCase.NewModel.ours), ("theirs", merge.theirs, .theirs),
        ] {
            try FileManager.default.copyItem(atPath: path("base"), toPath: path(name))
            let database = try RowDatabase(path(name))
            if merge.newModel == model { try database.execute("ALTER TABLE book ADD COLUMN shelf TEXT") }
            for edit in edits { try database.execute(Self.sql(edit)) }
        }
        let ours = try RowDatabase(path("ours")), theirs = try RowDatabase(path("theirs"))
        if let why = try RowMerge.merge(base: path("base"), ours: ours, theirs: theirs, tables: Self.tables) {
            return .refused(why)
        }
        var lost = try merge.wanted.filter { try !Self.holds($0.fact, ours) }.map(\.words)
        if try !ours.column("PRAGMA foreign_key_check").isEmpty { lost.append("what links lead to") }
        return .merged(lost: lost)
    }

    // MARK: Edits

    private static func id(_ entity: String, _ name: String?) -> String {
        name.map { "(SELECT id FROM \(entity) WHERE name = '\($0)')" } ?? "NULL"
    }

    private static func sql(_ edit: MergeCase.Edit) -> String {
        switch edit {
        case .set(let entity, let name, let property, let value):
            return "UPDATE \(entity) SET \(property) = \(literal(value)) WHERE name = '\(name)'"
        case .link("Author", let name, "partner", let target):
            // Both rows of a pair say it.
            return """
                UPDATE author SET partner = NULL WHERE partner = \(id("author", name))
                    OR partner = \(id("author", target)) OR name = '\(name)';
                UPDATE author SET partner = \(id("author", target)) WHERE name = '\(name)';
                UPDATE author SET partner = \(id("author", name)) WHERE name = '\(target ?? "")'
                """
        case .link(let entity, let name, let property, let target):
            let place = property == "author" && entity == "Book" ? ", place = 100" : ""
            return "UPDATE \(entity) SET \(property) = \(id(property, target))\(place) WHERE name = '\(name)'"
        case .add(_, let name, _, let member):
            return "INSERT INTO book_tags VALUES (\(id("book", name)), \(id("tag", member)))"
        case .remove(_, let name, _, let member):
            return "DELETE FROM book_tags WHERE book = \(id("book", name)) AND tag = \(id("tag", member))"
        case .order(let author, let books):
            let list = books.map { "'\($0)'" }.joined(separator: ", ")
            let places = books.enumerated().map {
                "UPDATE book SET author = \(id("author", author)), place = \($0) WHERE name = '\($1)'"
            }
            return
                ([
                    "UPDATE book SET author = NULL, place = NULL WHERE author = \(id("author", author)) AND name NOT IN (\(list))"
                ]
                + places).joined(separator: ";")
        case .insert(let entity, let name): return "INSERT INTO \(entity) (name) VALUES ('\(name)')"
        case .delete(let entity, let name): return "DELETE FROM \(entity) WHERE name = '\(name)'"
        }
    }

    private static func literal(_ value: MergeCaseValue) -> String {
        switch value {
        case .null: "NULL"
        case .text(let text): "'\(text)'"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .bytes(let byte, let count):
            "X'" + String(repeating: (byte < 16 ? "0" : "") + String(byte, radix: 16), count: count) + "'"
        }
    }

    // MARK: Facts

    private static func holds(_ fact: MergeCase.Fact, _ database: RowDatabase) throws -> Bool {
        func isTrue(_ condition: String) throws -> Bool { try database.column("SELECT \(condition)") == ["1"] }
        switch fact {
        case .value(let entity, let name, let property, let value):
            return try isTrue(
                "EXISTS (SELECT * FROM \(entity) WHERE name = '\(name)' AND \(property) IS \(literal(value)))")
        case .link(let entity, let name, let property, let target):
            let table = property == "partner" ? "author" : property
            return try isTrue(
                "EXISTS (SELECT * FROM \(entity) WHERE name = '\(name)' AND \(property) IS \(id(table, target)))")
        case .has(_, let name, _, let member):
            return try isTrue(
                "EXISTS (SELECT * FROM book_tags WHERE book = \(id("book", name)) AND tag = \(id("tag", member)))")
        case .hasNot(let entity, let name, let property, let member):
            return try !holds(.has(entity, name, property, member), database)
        case .order(let author, let books):
            return try database.column(
                "SELECT name FROM book WHERE author = \(id("author", author)) ORDER BY place, id") == books
        case .there(let entity, let name): return try isTrue("EXISTS (SELECT * FROM \(entity) WHERE name = '\(name)')")
        case .gone(let entity, let name): return try !holds(.there(entity, name), database)
        }
    }
}
