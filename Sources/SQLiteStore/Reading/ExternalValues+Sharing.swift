import FileSystem
import Foundation
import Storage

/// Stores of one stem, such as `Name.sqlite` and `Name.storedata`, share the support folder that
/// Core Data derives from their names. A file in it is removed only if no other store refers to it.
extension ExternalValues {
    /// The paths of the other SQLite databases whose support folder is that of the store at `path`.
    package static func stores(sharingFolderOf path: String) throws -> [String] {
        let parent = FilePath.parent(path), own = FilePath.name(path)
        guard try Disk.kind(of: parent) == .directory else { return [] }
        // Some file systems take names that differ in case only for one.
        let stem = FilePath.name(folder(beside: path)).lowercased()
        return try Disk.list(parent).compactMap { entry in
            let other = FilePath.join(parent, entry.name)
            guard entry.kind == .file, entry.name != own, !Disk.isTemporary(entry.name),
                FilePath.name(folder(beside: other)).lowercased() == stem,
                try Disk.identity(of: other) != Disk.identity(of: path), isDatabase(other)
            else { return nil }
            return other
        }
    }

    private static func isDatabase(_ path: String) -> Bool {
        var start = [UInt8](repeating: 0, count: 16)
        // A file that can't be read may be one.
        guard let count = try? start.withUnsafeMutableBytes({ try File(path, .read).read(into: $0, at: 0) }) else {
            return true
        }
        return count == start.count && start.elementsEqual("SQLite format 3\0".utf8)
    }

    /// The names of the values to which the other stores in the folder refer; nil if that is not
    /// certain, because one is in use or can't be read.
    package static func namesOfOthers(sharing path: String) throws -> Set<String>? {
        var names: Set<String> = []
        for other in try stores(sharingFolderOf: path) {
            guard let found = try? namesUsed(by: other) else { return nil }
            names.formUnion(found)
        }
        return names
    }

    /// - Throws: If the store is in use, or can't be read with the model that it contains.
    private static func namesUsed(by path: String) throws -> Set<String> {
        let lock = FilePath.join(FilePath.parent(path), ".\(FilePath.name(path)).lock")
        guard try !FileLock.isHeld(lock) else { throw StorageError(.busy, "The store is in use", path: path) }
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        description.isReadOnly = true
        let store: SQLitePersistentStore
        do {
            store = try SQLitePersistentStore.open(description, model: nil)
        } catch let error as StorageError where error.code == .notAStore {
            // Another kind of database has no large values there.
            return []
        }
        defer { try? store.close() }
        return try store.externalValueNames()
    }

    /// Removes the files of a store that is removed or was moved away: the support folder, or only
    /// the files to which no other store refers.
    package static func removeFiles(ofStoreAt path: String) throws {
        let support = folder(beside: path)
        guard try Disk.kind(of: support) == .directory else { return }
        if try stores(sharingFolderOf: path).isEmpty { return try Disk.removeTree(support) }
        guard let others = try namesOfOthers(sharing: path) else { return }
        let values = FilePath.join(support, valuesFolder)
        guard try Disk.kind(of: values) == .directory else { return }
        for entry in try Disk.list(values) where entry.kind == .file && !others.contains(entry.name) {
            try Disk.removeFileIfPresent(FilePath.join(values, entry.name))
        }
        if others.isEmpty { for folder in [values, support] { try? Disk.removeEmptyDirectory(folder) } }
    }
}
