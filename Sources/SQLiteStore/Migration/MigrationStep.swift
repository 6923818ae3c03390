import SQLiteKit
import Storage

/// One statement of a migration.
struct MigrationStep: Hashable {
    enum Kind: Hashable {
        /// Takes constant time, independent of the number of rows.
        case schema
        /// Reads or writes rows.
        case rows
        case index
    }

    let kind: Kind
    /// A description for display.
    let title: String
    let statement: String
    /// The table whose rows are processed.
    let table: String?
    /// The constraint whose violation makes the step fail.
    let constraint: IndexDefinition?
    /// The rows that the step copies, if no other row of its table may be left behind.
    let copied: CopiedRows?

    init(
        _ kind: Kind, _ title: String, _ statement: String, table: String? = nil, constraint: IndexDefinition? = nil,
        copied: CopiedRows? = nil
    ) {
        self.copied = copied
        self.kind = kind
        self.title = title
        self.statement = statement
        self.table = table
        self.constraint = constraint
    }
}

/// The rows of a table of the old version that a step copies into one of the new version.
struct CopiedRows: Hashable {
    let table: String
    /// The entity whose rows these are, for messages.
    let entity: String
    /// The condition of those that are copied; nil for all.
    let condition: String?
    /// The numbers of the entities whose rows other steps copy, or that go on purpose.
    let leftOut: [Int64]

    /// Compares the number of rows that the table has with those that are copied or left out.
    /// - Parameter written: The number of rows that the step has written; nil before it is run.
    /// - Throws: `StorageError` `damaged` if rows would be lost.
    func check(written: Int?, on connection: Connection) throws {
        let list = leftOut.map(String.init).joined(separator: ", ")
        let row = try connection.rows(
            "SELECT count(*), ifnull(sum(\(condition ?? "true")), 0), ifnull(sum(Z_ENT IN (\(list))), 0) FROM \(SQLName.quoted(table))"
        ).first
        guard let row, let stored = row[0].integer, let taken = row[1].integer, let left = row[2].integer else {
            return
        }
        let read = Int(taken + left)
        guard Int(stored) == read else { throw StorageError(rowsOf: entity, stored: Int(stored), read: read) }
        if let written, written != Int(taken) {
            throw StorageError(.damaged, "Of \(taken) rows of \(entity) \(written) were written")
        }
    }
}
