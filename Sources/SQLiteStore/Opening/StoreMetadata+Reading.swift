import Foundation
import SQLiteKit
import Storage

extension StoreMetadata {
    static func read(from connection: Connection) throws -> StoreMetadata {
        try StoreMetadata(connection.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1").first)
    }

    /// The metadata in a row of `Z_METADATA` that begins with `Z_UUID` and `Z_PLIST`.
    init(_ row: [SQLiteValue]?) throws {
        guard let row, let uuid = row[0].text else {
            throw StorageError(.damaged, "The store's table Z_METADATA is empty")
        }
        guard let plist = row[1].blob else {
            throw StorageError(.damaged, "The store has no metadata")
        }
        try self.init(uuid: uuid, propertyList: plist)
    }
}
