import Foundation
package import SQLiteKit
import Storage

extension StoredModelInfo {
    /// The metadata and model information of a store that is stored uncompressed in an archive,
    /// including changes in the WAL at `workingPath`. Nothing is written.
    package static func read(in archive: ArchivedDatabase, workingPath: String) throws -> StoredModelInfo {
        do {
            let connection = try Connection.openForReading(archive, workingPath: workingPath)
            let info = try read(from: connection, StoreCatalog.read(from: connection))
            try connection.close()
            return info
        } catch {
            throw StorageError(error, path: archive.path)
        }
    }

    static func read(from connection: Connection, _ catalog: StoreCatalog) throws -> StoredModelInfo {
        var cache: Data?
        if catalog.table("Z_MODELCACHE") != nil {
            cache = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.blob.map { Data($0) }
        }
        return StoredModelInfo(metadata: try StoreMetadata.read(from: connection), modelCache: cache)
    }
}
