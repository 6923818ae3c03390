import Schema

/// The full-text index of a table: an FTS5 table with the words of the attributes that a model
/// selects, folded and split by `TextWords`.
///
/// Its name can't collide with an entity's table, because those begin with Z.
package struct SearchIndex: Sendable, Hashable {
    static let prefix = "FOLIO_SEARCH_"
    /// The text is already folded and split by single spaces. FTS5's `ascii` tokenizer only has to
    /// split it again.
    private static let options = ", tokenize='ascii', columnsize=0)"

    /// The entities' table.
    let table: String
    /// The indexed columns, in the order of the index.
    package let columns: [String]

    package var name: String { Self.prefix + table }

    var statement: String { Self.head(name) + columns.map(Self.quoted).joined(separator: ", ") + Self.options }

    /// Inserts all rows.
    var filling: String { filling(from: "\(SQLName.quoted(table)) t") }

    /// Inserts the rows whose keys are in the table `touched`.
    func filling(touched: String) -> String {
        filling(from: "\(SQLName.quoted(touched)) x CROSS JOIN \(SQLName.quoted(table)) t ON t.Z_PK = x.key")
    }

    private func filling(from source: String) -> String {
        let names = columns.map(Self.quoted)
        let words = names.map { "FolioWords(t.\($0))" }
        let filled = names.map { "t.\($0) IS NOT NULL" }
        return
            "INSERT INTO \(Self.quoted(name)) (rowid, \(names.joined(separator: ", "))) SELECT t.Z_PK, \(words.joined(separator: ", ")) FROM \(source) "
            + "WHERE \(filled.joined(separator: " OR "))"
    }

    func emptying(touched: String) -> String {
        "DELETE FROM \(Self.quoted(name)) WHERE rowid IN (SELECT key FROM \(SQLName.quoted(touched)))"
    }

    /// Counts the rows whose words differ from those in the index, and the index entries for rows
    /// that do not exist.
    var checking: String {
        let names = columns.map(Self.quoted)
        let differs = names.map { "f.\($0) IS NOT FolioWords(t.\($0))" }.joined(separator: " OR ")
        let (index, source) = (Self.quoted(name), SQLName.quoted(table))
        return "SELECT (SELECT count(*) FROM \(source) t LEFT JOIN \(index) f ON f.rowid = t.Z_PK WHERE \(differs)) "
            + "+ (SELECT count(*) FROM \(index) WHERE rowid NOT IN (SELECT Z_PK FROM \(source)))"
    }

    // MARK: Foreign definitions

    private static func head(_ name: String) -> String { "CREATE VIRTUAL TABLE \(quoted(name)) USING fts5(" }

    /// All names are quoted in the same way, so that a definition can be recognized by its text.
    private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Whether a schema entry is such an index or one of FTS5's shadow tables, exactly as it is
    /// created here.
    static func isDefinition(_ name: String, _ statement: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        if statement.hasPrefix(head(name)), statement.hasSuffix(options) {
            let list = statement.dropFirst(head(name).count).dropLast(options.count)
            guard let tokens = SQLToken.tokens(of: String(list)) else { return false }
            return tokens.count % 2 == 1
                && tokens.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? .quotedName : .comma) }
        }
        return shadows.contains { suffix, columns in
            name.hasSuffix(suffix) && statement == "CREATE TABLE '\(name.replacing("'", with: "''"))'(\(columns)"
        }
    }

    /// The shadow tables of FTS5, by their name suffixes.
    static let shadows = [
        ("_data", "id INTEGER PRIMARY KEY, block BLOB)"),
        ("_idx", "segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID"),
        ("_config", "k PRIMARY KEY, v) WITHOUT ROWID"),
    ]

    static func isContent(_ name: String, _ statement: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix("_content") else { return false }
        let head = "CREATE TABLE '\(name.replacing("'", with: "''"))'(id INTEGER PRIMARY KEY"
        guard statement.hasPrefix(head), statement.hasSuffix(")") else { return false }
        let columns = statement.dropFirst(head.count).dropLast()
        return columns.split(separator: ", ").enumerated().allSatisfy { $1 == "c\($0)" } && columns.hasPrefix(", ")
    }
}
