import SQLiteKit

/// What a table allows that is quicker than what every table allows. Looked up for each bulk write:
/// the schema of a store by itself may be changed by others.
struct TableTraits {
    /// `Z_PK` is SQLite's own row number, so that rows are appended in its order.
    private let hasRowNumbers: Bool
    private let hasTriggers: Bool
    private let hasUniqueIndexes: Bool
    private let demandsValues: Bool
    private let remembersNumbers: Bool

    /// Whether rows that get the next numbers in their order can leave it to SQLite to give them:
    /// it need not look for each.
    var numbersRows: Bool { hasRowNumbers && !hasTriggers && !remembersNumbers }

    /// Whether rows can be changed by inserting ones with their numbers, where each that is there
    /// takes the changed values instead. SQLite changes a row as it comes to it then; with
    /// `UPDATE … FROM` it first notes them all, which takes as long again. Nothing else may look at
    /// the row that is never inserted.
    var updatesByInsertion: Bool { hasRowNumbers && !hasTriggers && !hasUniqueIndexes && !demandsValues }

    /// Whether nobody is told of rows that are deleted.
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
