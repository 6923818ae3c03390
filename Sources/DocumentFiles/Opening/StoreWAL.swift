internal import FileSystem
internal import Foundation
internal import SQLiteStore

/// The WAL of a document's store as a file, without opening the store for use.
package struct StoreWAL {
    /// The number of attempts for a store that is being written.
    private static let looks = 5

    /// The path of the store's main file.
    private let store: String

    package init(ofStoreAt store: String) { self.store = store }

    init(inPackage package: String) { self.init(ofStoreAt: FilePath.join(package, PackageLayout.store)) }

    /// The size in bytes; 0 if there is no WAL.
    func size() throws -> Int64 { try Disk.status(of: store + "-wal")?.size ?? 0 }

    /// Whether there may be commits that the main file lacks.
    package func hasContent() throws -> Bool { try size() > 0 }

    /// Whether the WAL does not belong to the store: it is of another store, outdated, or based on
    /// another state of the main file. SQLite would apply it without an error. Reads the store only
    /// if there is a WAL, and repeats that if the files change meanwhile.
    func isForeign() throws -> Bool {
        guard try hasContent() else { return false }
        for _ in 0..<Self.looks {
            guard let main = DocumentInspection.mainFile(ofStoreAt: store) else { return false }
            let isForeign = try DocumentInspection(ofStoreAt: store, main).isWALForeign
            // The result is only valid if no editor has committed between the two reads.
            if DocumentInspection.mainFile(ofStoreAt: store) == main { return isForeign }
        }
        return false
    }

    /// Moves the WAL to another name in the package, and returns its new path. The store must be
    /// closed and the document locked.
    @discardableResult
    func setAside(in package: String, as name: String) throws -> String {
        let aside = FilePath.join(package, name)
        try Disk.makeDirectories(FilePath.parent(aside), isDurable: true)
        try Disk.removeFileIfPresent(aside)
        try Disk.rename(store + "-wal", to: aside)
        try Disk.removeFileIfPresent(store + "-shm")
        try Disk.synchronizeDirectory(FilePath.parent(aside))
        try Disk.synchronizeDirectory(FilePath.parent(store))
        return aside
    }

    /// Sets autosaved work aside, so that the main file, which is the last saved state, is the
    /// current state again. The store must be closed.
    func setAutosavedWorkAside(in package: String, savedGeneration: Int) throws {
        guard let marker = DocumentInspection.mainFile(ofStoreAt: store)?.marker, marker.isSaved,
            marker.generation == savedGeneration
        else {
            // The WAL also contains a save that could not be checkpointed because another process
            // was reading. It must not be lost.
            throw DocumentError(
                .locked, "the last save has not reached the main file, since another program was reading it",
                path: store, hint: "try again later")
        }
        try setAside(in: package, as: PackageLayout.discarded)
    }
}
