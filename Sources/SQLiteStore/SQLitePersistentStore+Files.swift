import FileSystem
package import Foundation
import SQLiteKit
package import Storage

/// Whole stores, by their files. Nobody else may have them open.
extension SQLitePersistentStore {
    /// What a store says of itself, read without opening it any further; nothing is written.
    package static func metadata(at url: URL) throws -> [String: MetadataValue] {
        try storedModelInfo(at: url).metadata
    }

    /// Removes a store with its journals and the files of its large values.
    /// - Throws: `StorageError`: `busy` where somebody has it open, `notFound`, `notAStore` for a
    ///   database of another kind, which stays.
    package static func destroy(at url: URL) throws {
        let path = url.path
        do {
            try checkKind(of: path)
            var options = OpenOptions(.readWrite, defense: .foreign)
            options.busyTimeout = checkpointTimeout
            let connection = try Connection(path, options)
            _ = try StoreCatalog.read(from: connection)
            do {
                // Only who is alone can leave the WAL.
                try connection.setJournalMode(.delete)
                try connection.execute("BEGIN EXCLUSIVE")
            } catch let error as SQLiteError where error.isOfLocks {
                throw StorageError(.busy, "The store is in use: it can't be removed", path: path, underlying: error)
            }
            // Under the lock, so that nobody finds half of it.
            for suffix in ["", "-journal", "-wal", "-shm"] { _ = try Disk.removeFileIfPresent(path + suffix) }
            let values = ExternalValues.folder(beside: path)
            if try Disk.exists(values) { try Disk.removeTree(values) }
            try connection.close()
            try Disk.synchronizeDirectory(FilePath.parent(path))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Puts a copy of a store, with its identity, in the place of another or where none is. What is
    /// there stays until the copy is whole.
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
