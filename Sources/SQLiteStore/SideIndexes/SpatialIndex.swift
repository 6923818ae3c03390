import Schema

/// The R-tree of a fetch index whose properties are all of the kind `rTree`. It includes the rows
/// with values for all of these properties.
package struct SpatialIndex: Sendable, Hashable {
    static let prefix = "FOLIO_PLACES_"
    /// The greatest coordinate: R-trees store 32-bit numbers.
    static let limit = 3e38
    /// The greatest number of dimensions of SQLite's R-trees.
    static let mostColumns = 5

    /// The name after the prefix: the entity and the index.
    let suffix: String
    /// The entities' table.
    let table: String
    let columns: [String]

    package var name: String { Self.prefix + suffix }
    func lowerName(_ column: Int) -> String { "a\(column)" }
    func upperName(_ column: Int) -> String { "b\(column)" }

    var statement: String { Self.head(name) + Self.coordinates(columns.count) }

    var filling: String { filling(from: "\(SQLName.quoted(table)) t") }

    func filling(touched: String) -> String {
        filling(from: "\(SQLName.quoted(touched)) x CROSS JOIN \(SQLName.quoted(table)) t ON t.Z_PK = x.key")
    }

    private func filling(from source: String) -> String {
        let names = columns.map { "t.\(SQLName.quoted($0))" }
        let values = names.map { "max(min(\($0), 3e38), -3e38)" }.flatMap { [$0, $0] }
        let filled = names.map { "\($0) IS NOT NULL" }
        return
            "INSERT INTO \(SQLName.quoted(name)) SELECT t.Z_PK, \(values.joined(separator: ", ")) FROM \(source) WHERE \(filled.joined(separator: " AND "))"
    }

    func emptying(touched: String) -> String {
        "DELETE FROM \(SQLName.quoted(name)) WHERE id IN (SELECT key FROM \(SQLName.quoted(touched)))"
    }

    /// Counts the rows that are missing or misplaced in the R-tree, and its entries for rows that
    /// do not exist.
    var checking: String {
        let (index, source) = (SQLName.quoted(name), SQLName.quoted(table))
        let names = columns.map { "max(min(CAST(t.\(SQLName.quoted($0)) AS REAL), 3e38), -3e38)" }
        let filled = columns.map { "t.\(SQLName.quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
        let inside = names.enumerated().map { "\($1) BETWEEN r.\(lowerName($0)) AND r.\(upperName($0))" }.joined(
            separator: " AND ")
        return
            "SELECT (SELECT count(*) FROM \(source) t LEFT JOIN \(index) r ON r.id = t.Z_PK WHERE \(filled) AND (\(inside)) IS NOT TRUE) "
            + "+ (SELECT count(*) FROM \(index) WHERE id NOT IN (SELECT Z_PK FROM \(source) t WHERE \(filled)))"
    }

    // MARK: Foreign definitions

    private static func head(_ name: String) -> String { "CREATE VIRTUAL TABLE \(SQLName.quoted(name)) USING rtree(id" }

    private static func coordinates(_ count: Int) -> String { (0..<count).map { ", a\($0), b\($0)" }.joined() + ")" }

    /// Whether a schema entry is such an R-tree or one of its shadow tables, exactly as it is
    /// created here.
    static func isDefinition(_ name: String, _ statement: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        if (1...mostColumns).contains(where: { statement == head(name) + coordinates($0) }) { return true }
        let shadow = "CREATE TABLE \"\(name.replacing("\"", with: "\"\""))\"("
        return shadows.contains { name.hasSuffix($0) && statement == shadow + $1 }
    }

    static let shadows = [
        ("_rowid", "rowid INTEGER PRIMARY KEY,nodeno)"), ("_node", "nodeno INTEGER PRIMARY KEY,data)"),
        ("_parent", "nodeno INTEGER PRIMARY KEY,parentnode)"),
    ]
}
