import SQLiteKit

/// Determines which faster write methods a table allows. It is checked for each bulk write, because
/// other programs may change the schema of a bare store.
struct TableTraits {
    /// Whether `Z_PK` is SQLite's rowid, so that rows are appended in its order.
    private let hasRowNumbers: Bool
    private let hasTriggers: Bool
    private let hasUniqueIndexes: Bool
    private let demandsValues: Bool
    private let remembersNumbers: Bool

    /// Whether SQLite can assign the keys of rows that are appended in order, which saves a lookup
    /// for each row.
    var numbersRows: Bool { hasRowNumbers && !hasTriggers && !remembersNumbers }

    /// Whether rows can be updated by upserts with their keys, in which existing rows take the
    /// changed values. SQLite then updates each row when it reaches it; `UPDATE … FROM` first
    /// records all rows, which doubles the time. No trigger or constraint may examine the row that
    /// is not inserted.
    var updatesByInsertion: Bool { hasRowNumbers && !hasTriggers && !hasUniqueIndexes && !demandsValues }

    /// Whether rows can be deleted without notifying triggers.
    var deletesUnseen: Bool { hasRowNumbers && !hasTriggers }

    init(_ table: String, _ connection: Connection) throws {
        let found = try connection.rows(
            """
            SELECT (SELECT count(*) FROM pragma_table_info(?1) WHERE name = 'Z_PK' AND pk = 1 AND upper(type) = 'INTEGER'),
            (SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 1) + (SELECT count(*) FROM pragma_index_list(?1) WHERE origin = 'pk'),
            (SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE)
              + (SELECT count(*) FROM sqlite_temp_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE),
            (SELECT count(*) FROM pragma_index_list(?1) WHERE "unique"),
            (SELECT count(*) FROM pragma_table_info(?1) WHERE "notnull"),
            (SELECT count(*) FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND (type <> 'table' OR sql LIKE '%AUTOINCREMENT%'))
            """, [.text(table)])
        let counts = found.first?.map { $0.integer ?? 0 } ?? []
        func count(_ place: Int) -> Int64 { place < counts.count ? counts[place] : 0 }
        hasRowNumbers = count(0) == 1 && count(1) == 0
        hasTriggers = count(2) > 0
        hasUniqueIndexes = count(3) > 0
        demandsValues = count(4) > 0
        remembersNumbers = count(5) > 0
    }
}
