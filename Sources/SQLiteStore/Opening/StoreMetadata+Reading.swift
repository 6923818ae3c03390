import Foundation
import SQLiteKit
import Storage

extension StoreMetadata {
    static func read(from connection: Connection) throws -> StoreMetadata {
        guard let row = try connection.rows("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1").first, let uuid = row[0].text else {
            throw StorageError(.damaged, "The store's table Z_METADATA is empty")
        }
        guard let plist = row[1].blob else {
            throw StorageError(.damaged, "The store has no metadata")
        }
        return try StoreMetadata(uuid: uuid, plist: Data(plist))
    }
}
