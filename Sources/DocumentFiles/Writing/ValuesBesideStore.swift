internal import FileSystem
internal import SQLiteStore

/// The files of the large values of a bare store, in a folder beside it that is derived from its
/// name: `.<name>_SUPPORT/_EXTERNAL_DATA`.
///
/// When the store is moved, the files are first linked to the new location, and removed from the
/// old one last, so that the store has its values after a crash, wherever it is.
package struct ValuesBesideStore {
    private let folder: String
    private let store: String

    /// Nil if there is no store, or if it has no such folder.
    package init?(of store: String?) throws {
        guard let store else { return nil }
        self.store = store
        folder = Self.folder(of: store)
        guard try Disk.kind(of: folder) == .directory else { return nil }
    }

    private static func folder(of store: String) -> String {
        FilePath.parent(FilePath.parent(ExternalValues.besideStore(at: store).path("x")))
    }

    /// Links the files to the location for a store at `target`, durably.
    /// - Throws: `DocumentError.cannotCreate` if there are values of another store.
    package func link(to target: String) throws {
        let new = Self.folder(of: target)
        guard new != folder else { return }
        guard try !Disk.exists(new) else {
            throw DocumentError(.cannotCreate, "large values of another store are there already", path: new)
        }
        do {
            try Disk.linkTree(folder, to: new)
            try Disk.synchronizeTree(new)
            try Disk.synchronizeDirectory(FilePath.parent(new))
        } catch {
            try? Disk.removeTree(new)
            throw error
        }
    }

    /// Removes the links beside `target` again.
    package func unlink(at target: String) throws {
        let new = Self.folder(of: target)
        if new != folder { try Disk.removeTree(new) }
    }

    /// Removes the files at the old location after the store was moved. Those to which another
    /// store there refers stay.
    package func remove() throws {
        try ExternalValues.removeFiles(ofStoreAt: store)
        try Disk.synchronizeDirectory(FilePath.parent(folder))
    }
}
