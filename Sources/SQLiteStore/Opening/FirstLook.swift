import Foundation
import SQLiteKit
import Storage

/// The data that opening a store reads: its schema, its entities, its metadata.
///
/// Only the schema is read until it is known to be a store's schema, because reading another kind
/// of table could run foreign code.
struct FirstLook {
    let schema: KnownSchema
    let plist: [UInt8]
    let metadata: StoreMetadata

    // `quote` keeps values distinct from the text between them.
    private static let declarations = "SELECT group_concat(quote(type) || quote(name) || quote(sql)) FROM sqlite_schema"
    private static let content = """
        SELECT Z_UUID, Z_PLIST, (SELECT group_concat(quote(Z_ENT) || quote(Z_NAME) || quote(Z_SUPER)) FROM Z_PRIMARYKEY) FROM Z_METADATA LIMIT 1
        """

    /// Reads the schema and metadata. Both statements see one snapshot: the second runs while the
    /// first, which has one row, is not finished and keeps its read transaction.
    /// - Parameter isDocument: Whether the store belongs to a document and must conform to
    ///   `SchemaRules`.
    /// - Throws: `StorageError.notAStore` for a database that is not a Core Data store, `.damaged`
    ///   if the metadata are missing or unreadable.
    static func read(from connection: Connection, isDocument: Bool) throws -> FirstLook {
        try connection.withStatement(Self.declarations) { statement in
            try read(
                from: connection, isDocument: isDocument,
                declarations: statement.step() ? statement.value(at: 0).text ?? "" : "")
        }
    }

    private static func read(from connection: Connection, isDocument: Bool, declarations: String) throws -> FirstLook {
        let isKnown = KnownSchema.contains(declarations: declarations, isDocument: isDocument)
        if isDocument, !isKnown { try SchemaRules.check(connection) }
        let catalog = isKnown ? nil : try StoreCatalog.read(from: connection)
        let row = try connection.rows(content).first
        let metadata = try StoreMetadata(row)
        let schema = try KnownSchema.with(
            .init(declarations: declarations, entities: row?[2].text ?? "", isDocument: isDocument)
        ) {
            try catalog ?? StoreCatalog.read(from: connection)
        }
        return FirstLook(schema: schema, plist: row?[1].blob ?? [], metadata: metadata)
    }
}
