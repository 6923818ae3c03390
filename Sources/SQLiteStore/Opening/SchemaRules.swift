import SQLiteKit
import Storage

/// The permitted schema of a document's store: plain tables and indexes, as Folio creates and
/// migrates them; full-text indexes and R-trees that match Folio's exactly; and the triggers of its
/// model's derived attributes.
///
/// Views, other triggers, other virtual tables and expressions could run code from an untrusted
/// file. Bare Core Data stores may have some of these and keep them. A package never gets them,
/// because a foreign store is imported into a new file.
enum SchemaRules {
    private static let onlyPlain = "only tables and indexes belong there"
    private static let mostEntries = 20_000
    private static let longestStatement = 1 << 20

    /// Checks the schema. Triggers are skipped: they can be checked only once the model is known,
    /// and reading runs none.
    /// - Throws: `StorageError.damaged`, naming the entry.
    static func check(_ connection: Connection) throws {
        let rows = try connection.rows(
            "SELECT type, name, sql FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql IS NOT NULL LIMIT \(mostEntries + 1)"
        )
        guard rows.count <= mostEntries else {
            throw StorageError(.damaged, "The store's schema has more than \(mostEntries) entries")
        }
        for row in rows {
            let type = row[0].text ?? "entry", name = row[1].text ?? ""
            if type == "trigger" || type == "table" && SideIndexes.isDefinition(name, row[2].text ?? "") { continue }
            if let objection = objection(type, row[2].text ?? "") { throw refusal(of: type, name, objection) }
        }
    }

    static func refusal(of trigger: StoreCatalog.Trigger) -> StorageError {
        refusal(of: "trigger", trigger.name, onlyPlain)
    }

    private static func refusal(of type: String, _ name: String, _ objection: String) -> StorageError {
        StorageError(.damaged, "The store's schema has no place for the \(type) \(name): \(objection)")
    }

    /// The reason to reject an entry of the schema; nil for a plain table or index.
    static func objection(_ type: String, _ statement: String) -> String? {
        guard type == "table" || type == "index" else { return onlyPlain }
        guard statement.utf8.count <= longestStatement else { return "its definition is too long" }
        guard let tokens = SQLToken.tokens(of: statement) else { return "its definition can't be read" }
        return type == "table" ? objection(toTable: tokens) : objection(toIndex: tokens)
    }

    /// Words of constraints and expressions. A plain column definition does not need them.
    private static let refused: Set<String> = [
        "CHECK", "GENERATED", "AS", "REFERENCES", "FOREIGN", "COLLATE", "CONSTRAINT", "SELECT", "VIRTUAL", "USING",
        "WITHOUT", "STRICT", "WHERE",
    ]

    private static func objection(toTable tokens: [SQLToken]) -> String? {
        guard tokens.count > 4, tokens[0].isWord("CREATE"), tokens[1].isWord("TABLE"), tokens[2].isName,
            tokens[3] == .open
        else { return "it is no plain table" }
        // Z_PK must be the column that SQLite uses as the rowid.
        if let key = tokens.firstIndex(where: { $0.isWord("Z_PK") }) {
            let definition = tokens[key...].dropFirst().prefix(3)
            guard zip(definition, ["INTEGER", "PRIMARY", "KEY"]).allSatisfy({ $0.isWord($1) }), definition.count == 3
            else {
                return "its column Z_PK is not the row's number"
            }
        }
        var depth = 0
        for (index, token) in tokens.enumerated().dropFirst(3) {
            switch token {
            case .open:
                depth += 1
                if depth > 2 || tokens[index - 1].isWord("DEFAULT") { return "it has an expression" }
            case .close: depth -= 1
            case .word(let word) where refused.contains(word.uppercased()): return "it has \(word.uppercased())"
            case .other(let character) where character != "-" && character != "+" && character != ".":
                return "it has an expression"
            default: break
            }
            if depth == 0, index < tokens.count - 1 { return "it is no plain table" }
        }
        return depth == 0 ? nil : "it is no plain table"
    }

    private static func objection(toIndex tokens: [SQLToken]) -> String? {
        var rest = tokens[...]
        guard rest.popFirst()?.isWord("CREATE") == true else { return "it is no plain index" }
        if rest.first?.isWord("UNIQUE") == true { rest.removeFirst() }
        guard rest.popFirst()?.isWord("INDEX") == true, rest.popFirst()?.isName == true,
            rest.popFirst()?.isWord("ON") == true,
            rest.popFirst()?.isName == true, rest.popFirst() == .open, rest.popLast() == .close
        else { return "it is no plain index" }
        // name [COLLATE BINARY] [ASC|DESC], …
        var expectsName = true
        while let token = rest.popFirst() {
            if expectsName {
                guard token.isName else { return "it has an expression" }
                expectsName = false
            } else if token.isWord("COLLATE") {
                guard rest.popFirst()?.isWord("BINARY") == true else { return "it has a collation" }
            } else if token == .comma {
                expectsName = true
            } else if !token.isWord("ASC"), !token.isWord("DESC") {
                return "it has an expression"
            }
        }
        return expectsName ? "it is no plain index" : nil
    }
}
