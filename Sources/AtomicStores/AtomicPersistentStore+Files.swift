import FileSystem
import Foundation
import Storage

/// Whole stores, by their files.
extension AtomicPersistentStore {
    /// - Throws: `StorageError.notAStore` also for a store of another type.
    static func storedInfo(at url: URL, type: StoreType) throws -> AtomicStoreInfo {
        let info = try storedInfo(at: url)
        guard info.type == type else {
            throw StorageError(
                .notAStore, "This is a store of type \(info.type.rawValue), not \(type.rawValue)", path: url.path)
        }
        return info
    }

    /// Removes the file of a store. Whoever has it open can't save any more.
    static func destroy(at url: URL, type: StoreType) throws {
        _ = try storedInfo(at: url, type: type)
        do {
            try Disk.removeFile(url.path)
            try Disk.synchronizeDirectory(FilePath.parent(url.path))
        } catch {
            throw StorageError(below: error, path: url.path)
        }
    }

    /// Puts a copy of a store in the place of another or where none is, atomically. Whoever has the
    /// old one open can't save any more.
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
