import SQLiteKit

/// Temporary columns that name, in each row, the one object that a table of links pairs with the
/// row: a join table, or the table of objects that refer to the rows.
///
/// The columns are added to the old table before any other step. They are then migrated like those
/// of any to-one relationship.
struct ColumnOfJoin: Hashable {
    /// The table that gets the columns.
    let table: String
    /// The table of the referenced objects.
    let targetTable: String
    /// The links. The rows are their owners.
    let links: OldLinks
    /// The position of the row among the members of the object; nil if the links have none.
    let orderColumn: String?

    init(table: String, links: OldLinks, orderColumn: String?) {
        self.table = table
        self.links = links
        self.orderColumn = orderColumn
        targetTable = links.memberTable
    }

    private var prefix: String { "FOLIO_\(links.table)_\(links.owner)_\(links.member)" }
    /// The primary key of the object.
    var key: String { "\(prefix)_PK" }
    /// The `Z_ENT` of the object.
    var entity: String { "\(prefix)_ENT" }
    var order: String { "\(prefix)_FOK" }

    static let type = ColumnType.integer

    var steps: [MigrationStep] {
        let rows = SQLName.quoted(table)
        func add(_ column: String) -> MigrationStep {
            MigrationStep(
                .schema, "add the column \(table).\(column)",
                "ALTER TABLE \(rows) ADD COLUMN \(SQLName.quoted(column)) \(Self.type.rawValue)")
        }
        func update(_ owner: String, _ member: String) -> MigrationStep {
            let place = orderColumn.map { "link.\(SQLName.quoted($0))" } ?? "NULL"
            return MigrationStep(
                .rows, "copy links from \(links.table) to \(table)",
                "UPDATE \(rows) SET \(SQLName.quoted(key)) = target.Z_PK, \(SQLName.quoted(entity)) = target.Z_ENT, \(SQLName.quoted(order)) = \(place) "
                    + "FROM \(SQLName.quoted(links.table)) AS link JOIN \(SQLName.quoted(targetTable)) AS target ON target.Z_PK = link.\(SQLName.quoted(member)) "
                    + "WHERE \(links.condition("link")) AND link.\(SQLName.quoted(owner)) = \(rows).Z_PK", table: table)
        }
        return [key, entity, order].map(add) + [update(links.owner, links.member)]
            + (links.isMirrored ? [update(links.member, links.owner)] : [])
    }
}
