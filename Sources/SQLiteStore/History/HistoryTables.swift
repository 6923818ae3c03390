import Schema
import SQLiteKit

/// The tables of Core Data's persistent history (CoreDataFiles, History).
struct HistoryTables {
    static let changeEntity: Int64 = 16001
    static let transactionEntity: Int64 = 16002
    static let stringEntity: Int64 = 16003
    /// Stands as the bundle in transactions whose column bitmaps are ours.
    static let bundleID = "folio"

    /// Whether names are interned: stores of old frameworks hold them in the transactions
    /// themselves.
    let internsStrings: Bool
    let tombstoneCount: Int

    /// Nil where the store keeps no history.
    static func find(in connection: Connection) throws -> HistoryTables? {
        let columns = try connection.rows(
            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name IN ('ACHANGE', 'ATRANSACTION')"
        )
        guard columns.contains(where: { $0[0].text == "ACHANGE" }),
            columns.contains(where: { $0[0].text == "ATRANSACTION" })
        else { return nil }
        return HistoryTables(
            internsStrings: columns.contains { $0[1].text == "ZAUTHORTS" },
            tombstoneCount: columns.count { $0[1].text?.hasPrefix("ZTOMBSTONE") == true })
    }

    /// Makes the tables, spelled as Core Data spells them.
    static func create(in connection: Connection, _ model: ManagedObjectModel) throws -> HistoryTables {
        let tombstones = model.entities.map { preservedAttributes(of: $0).count }.max() ?? 0
        let tombstoneColumns = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        for statement in [
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, "
                + "ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstoneColumns) )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, "
                + "ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
            "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
            "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
            "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
            "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
            "INSERT OR IGNORE INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0)",
        ] { try connection.execute(statement) }
        return HistoryTables(internsStrings: true, tombstoneCount: tombstones)
    }

    /// The attributes whose values a tombstone keeps, in the order of its columns.
    static func preservedAttributes(of entity: Entity) -> [Property] {
        entity.properties.filter { $0.attribute?.preservesValueInHistoryOnDeletion == true && !$0.isTransient }.sorted {
            $0.name < $1.name
        }
    }

    /// The properties that a bitmap of changed ones counts: the first is the highest bit of the
    /// first byte.
    static func countedProperties(of entity: Entity) -> [Property] {
        entity.properties.filter { !$0.isTransient }.sorted { $0.name < $1.name }
    }
}
