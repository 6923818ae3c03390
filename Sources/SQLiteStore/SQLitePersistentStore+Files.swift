import FileSystem
package import Foundation
import SQLiteKit
package import Storage

/// Operations on the files of whole stores. No connection may have them open.
extension SQLitePersistentStore {
    /// The metadata of a store. The store need not be open, and nothing is written.
    package static func metadata(at url: URL) throws -> [String: MetadataValue] {
        try storedModelInfo(at: url).metadata
    }

    /// Removes a store with its WAL, its journal and its external values.
    /// - Throws: `StorageError`: `busy` if the store is open elsewhere, `notFound`, `notAStore` for
    ///   another kind of database, which is kept.
    package static func destroy(at url: URL) throws {
        let path = url.path
        do {
            try checkKind(of: path)
            var options = OpenOptions(.readWrite, defense: .foreign)
            options.busyTimeout = checkpointTimeout
            let connection = try Connection(path, options)
            _ = try StoreCatalog.read(from: connection)
            do {
                // WAL mode can be left only if there are no other connections.
                try connection.setJournalMode(.delete)
                try connection.execute("BEGIN EXCLUSIVE")
            } catch let error as SQLiteError where error.isOfLocks {
                throw StorageError(.busy, "The store is in use: it can't be removed", path: path, underlying: error)
            }
            // Remove the files under the lock, so that no other process sees half a store.
            for suffix in ["", "-journal", "-wal", "-shm"] { _ = try Disk.removeFileIfPresent(path + suffix) }
            let values = ExternalValues.folder(beside: path)
            if try Disk.exists(values) { try Disk.removeTree(values) }
            try connection.close()
            try Disk.synchronizeDirectory(FilePath.parent(path))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Replaces a store, or creates it, with a copy of another store, including its identity. The
    /// existing store is kept until the copy is complete.
    /// - Throws: `StorageError`, as ``destroy(at:)``.
    package static func replace(_ source: URL, _ target: URL) throws {
        let path = target.path
        let copy = FilePath.join(FilePath.parent(path), ".\(FilePath.name(path)).\(UUID().uuidString)")
        let values = ExternalValues.folder(beside: path), copiedValues = copy + ".values"
        do {
            try checkKind(of: source.path)
            do {
                try Connection.reading(source.path) { connection in
                    _ = try StoreCatalog.read(from: connection)
                    try connection.copyDatabase(to: copy)
                }
                let originals = ExternalValues.folder(beside: source.path)
                if try Disk.exists(originals) {
                    try Disk.copyTree(originals, to: copiedValues)
                    try Disk.synchronizeTree(copiedValues)
                }
                if try Disk.exists(path) { try destroy(at: target) }
                if try Disk.exists(copiedValues) { try Disk.renameWithoutReplacing(copiedValues, to: values) }
                try Disk.renameWithoutReplacing(copy, to: path)
            } catch {
                _ = try? Disk.removeFileIfPresent(copy)
                if (try? Disk.exists(copiedValues)) == true { try? Disk.removeTree(copiedValues) }
                throw error
            }
            try Disk.synchronizeDirectory(FilePath.parent(path))
        } catch {
            throw StorageError(error, path: path)
        }
    }
}
