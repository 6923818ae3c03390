import Foundation
import SQLiteKit
import Storage

/// What opening a store reads of it: which schema it has, its entities, its metadata.
///
/// Nothing but the schema is asked before it is known to be a store's: a table of another kind
/// would run code of its own.
struct FirstLook {
    let schema: KnownSchema
    let plist: [UInt8]
    let metadata: StoreMetadata

    // What is quoted is told apart from what stands beside it.
    private static let declarations = "SELECT group_concat(quote(type) || quote(name) || quote(sql)) FROM sqlite_schema"
    private static let content = """
        SELECT Z_UUID, Z_PLIST, (SELECT group_concat(quote(Z_ENT) || quote(Z_NAME) || quote(Z_SUPER)) FROM Z_PRIMARYKEY) FROM Z_METADATA LIMIT 1
        """

    /// Both statements see one state of the file: the second runs while the first, which has one
    /// row, is not at its end, and keeps its snapshot.
    /// - Parameter isDocument: Whether the store is a document's, whose schema has to keep to
    ///   `SchemaRules`.
    /// - Throws: `StorageError.notAStore` for a database that is none of Core Data's, `.damaged`
    ///   where the metadata are missing or can't be read.
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
