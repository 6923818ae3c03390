import SQLiteKit

/// A table and its indexes as defined in the file.
struct StoredTable {
    struct Index: Hashable {
        let name: String
        let columns: [Column]
        let isUnique: Bool
        /// Whether the index has no condition, no expressions and no special collation.
        let isPlain: Bool

        struct Column: Hashable {
            let key: String
            let isDescending: Bool
        }
    }

    let name: String
    /// The declared types of the columns, by `SQLName.key` of their names.
    let types: [String: String]
    /// The column names as spelled in the table.
    let columns: [String]
    let indexes: [Index]

    /// The table with additional columns that are not indexed.
    func adding(_ names: [String], _ type: ColumnType) -> StoredTable {
        let added = Dictionary(names.map { (SQLName.key($0), type.rawValue) }, uniquingKeysWith: { first, _ in first })
        return StoredTable(
            name: name, types: types.merging(added) { first, _ in first }, columns: columns + names, indexes: indexes)
    }

    func column(_ name: String) -> String? { columns.first { SQLName.key($0) == SQLName.key(name) } }

    /// Whether the table has an index on the same columns, under any name.
    func has(_ wanted: IndexDefinition) -> Bool {
        indexes.contains { index in
            index.isPlain && index.isUnique == (wanted.constraint != nil) && index.columns.count == wanted.columns.count
                && zip(index.columns, wanted.columns).allSatisfy {
                    $0.key == SQLName.key($1.name) && $0.isDescending == $1.isDescending
                }
        }
    }

    /// Reads a table's definition; returns nil if there is no such table.
    static func read(_ name: String, from connection: Connection) throws -> StoredTable? {
        let info = try connection.rows("SELECT name, type FROM pragma_table_info(?)", [.text(name)])
        guard !info.isEmpty else { return nil }
        let columns = info.compactMap(\.[0].text)
        let types = Dictionary(
            info.map { (SQLName.key($0[0].text ?? ""), ($0[1].text ?? "").uppercased()) },
            uniquingKeysWith: { first, _ in first })
        // Only indexes made by CREATE INDEX; the others belong to the table's constraints.
        let list = try connection.rows(
            "SELECT name, \"unique\", partial FROM pragma_index_list(?) WHERE origin = 'c'", [.text(name)])
        let indexes = try list.compactMap { row -> Index? in
            guard let indexName = row[0].text else { return nil }
            let terms = try connection.rows(
                "SELECT cid, name, \"desc\", coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
                [.text(indexName)])
            return Index(
                name: indexName,
                columns: terms.map {
                    Index.Column(key: SQLName.key($0[1].text ?? ""), isDescending: $0[2].integer == 1)
                },
                isUnique: row[1].integer == 1,
                isPlain: row[2].integer == 0
                    && terms.allSatisfy { $0[1].text != nil && SQLName.key($0[3].text ?? "BINARY") == "BINARY" })
        }
        return StoredTable(name: name, types: types, columns: columns, indexes: indexes)
    }
}
