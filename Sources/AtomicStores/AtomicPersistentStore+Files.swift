import FileSystem
import Foundation
import Storage

/// Operations on the files of whole stores.
extension AtomicPersistentStore {
    /// - Throws: `StorageError`; `.notAStore` also for a store of another type.
    static func storedInfo(at url: URL, type: StoreType) throws -> AtomicStoreInfo {
        let info = try storedInfo(at: url)
        guard info.type == type else {
            throw StorageError(
                .notAStore, "This is a store of type \(info.type.rawValue), not \(type.rawValue)", path: url.path)
        }
        return info
    }

    /// Removes the file of a store. An open instance of the store can no longer save.
    static func destroy(at url: URL, type: StoreType) throws {
        _ = try storedInfo(at: url, type: type)
        do {
            try Disk.removeFile(url.path)
            try Disk.synchronizeDirectory(FilePath.parent(url.path))
        } catch {
            throw StorageError(below: error, path: url.path)
        }
    }

    /// Replaces a store, or creates it, with a copy of another store, atomically. An open instance
    /// of the old store can no longer save.
    static func replace(_ source: URL, _ target: URL, type: StoreType) throws {
        _ = try storedInfo(at: source, type: type)
        do {
            var original = try StoreFile(PersistentStoreDescription(url: source))
            guard let bytes = try original.read() else {
                throw StorageError(.notFound, "There is no store", path: source.path)
            }
            var file = try StoreFile(PersistentStoreDescription(url: target))
            if try file.read() != nil { _ = try storedInfo(at: target, type: type) }
            try file.replace(with: [bytes])
        } catch {
            throw StorageError(below: error, path: target.path)
        }
    }
}
