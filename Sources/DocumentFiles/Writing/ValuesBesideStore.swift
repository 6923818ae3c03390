internal import FileSystem
internal import SQLiteStore

/// The files in which a store by itself keeps large values, in a folder beside it that has its
/// name: `.<name>_SUPPORT/_EXTERNAL_DATA`.
///
/// When the store is moved they get their second name first and lose the first one last, so that a
/// crash between leaves the store with its values, wherever it is.
package struct ValuesBesideStore {
    private let folder: String

    /// Nil where the store has none, and for no store.
    package init?(of store: String?) throws {
        guard let store else { return nil }
        folder = Self.folder(of: store)
        guard try Disk.kind(of: folder) == .directory else { return nil }
    }

    private static func folder(of store: String) -> String {
        FilePath.parent(FilePath.parent(ExternalValues.besideStore(at: store).path("x")))
    }

    /// Gives the files the names that they have beside a store at `target` as well, durably.
    /// - Throws: `DocumentError.cannotCreate` where values of another store are there.
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

    /// Takes the names beside `target` away again.
    package func unlink(at target: String) throws {
        let new = Self.folder(of: target)
        if new != folder { try Disk.removeTree(new) }
    }

    /// Takes the files away at the old place, once the store is at its new one.
    package func remove() throws {
        try Disk.removeTree(folder)
        try Disk.synchronizeDirectory(FilePath.parent(folder))
    }
}
