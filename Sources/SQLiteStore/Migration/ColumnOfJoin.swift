import SQLiteKit

/// Columns by which rows name the one object that a join table names for them: what is left of a
/// many-to-many relationship where this end becomes to-one.
///
/// They are added to the old table before anything else is done, and are migrated from there as any
/// to-one relationship is.
struct ColumnOfJoin: Hashable {
    /// The table of the rows that get the columns.
    let table: String
    let join: JoinTable
    /// The table of the objects that are named.
    let targetTable: String

    /// - Parameter join: As the rows see it: they are its owners.
    init(table: String, join: JoinTable, targetTable: String) {
        self.table = table
        self.join = join
        self.targetTable = targetTable
    }

    private var prefix: String { "FOLIO_\(join.table)_\(join.memberColumn)" }
    /// The number of the object.
    var key: String { "\(prefix)_PK" }
    /// The number of its entity.
    var entity: String { "\(prefix)_ENT" }
    /// The place of the row among the members of the object.
    var order: String { "\(prefix)_FOK" }

    static let type = ColumnType.integer

    var steps: [MigrationStep] {
        let rows = SQLName.quoted(table)
        func add(_ column: String) -> MigrationStep {
            MigrationStep(
                .schema, "add the column \(table).\(column)",
                "ALTER TABLE \(rows) ADD COLUMN \(SQLName.quoted(column)) \(Self.type.rawValue)")
        }
        let place = join.ownerOrder.map { "link.\(SQLName.quoted($0))" } ?? "NULL"
        return [key, entity, order].map(add) + [
            MigrationStep(
                .rows, "copy links from \(join.table) to \(table)",
                "UPDATE \(rows) SET \(SQLName.quoted(key)) = target.Z_PK, \(SQLName.quoted(entity)) = target.Z_ENT, \(SQLName.quoted(order)) = \(place) "
                    + "FROM \(SQLName.quoted(join.table)) AS link JOIN \(SQLName.quoted(targetTable)) AS target ON target.Z_PK = link.\(SQLName.quoted(join.memberColumn)) "
                    + "WHERE link.\(SQLName.quoted(join.ownerColumn)) = \(rows).Z_PK", table: table)
        ]
    }
}
