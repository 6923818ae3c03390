import SQLiteKit

/// Temporary columns for a many-to-many relationship that becomes to-one on this side. In each row
/// they name the one object that the join table pairs with the row.
///
/// The columns are added to the old table before any other step. They are then migrated like those
/// of any to-one relationship.
struct ColumnOfJoin: Hashable {
    /// The table that gets the columns.
    let table: String
    let join: JoinTable
    /// The table of the referenced objects.
    let targetTable: String

    /// - Parameter join: The join table as seen from the rows: they are its owners.
    init(table: String, join: JoinTable, targetTable: String) {
        self.table = table
        self.join = join
        self.targetTable = targetTable
    }

    private var prefix: String { "FOLIO_\(join.table)_\(join.memberColumn)" }
    /// The primary key of the object.
    var key: String { "\(prefix)_PK" }
    /// The `Z_ENT` of the object.
    var entity: String { "\(prefix)_ENT" }
    /// The position of the row among the members of the object.
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
