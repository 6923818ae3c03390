internal import FileSystem
internal import Foundation
internal import SQLiteStore

/// The WAL beside the main file of a document's store, seen from outside.
package struct StoreWAL {
    /// How often a store that somebody writes to is looked at again.
    private static let looks = 5

    /// The store's main file.
    private let store: String

    package init(ofStoreAt store: String) { self.store = store }

    init(inPackage package: String) { self.init(ofStoreAt: FilePath.join(package, PackageLayout.store)) }

    /// In bytes; 0 where there is none.
    func size() throws -> Int64 { try Disk.status(of: store + "-wal")?.size ?? 0 }

    /// Whether there may be commits that the main file lacks.
    package func hasContent() throws -> Bool { try size() > 0 }

    /// Whether it is not of the store: of another store, stale, or made on another state of the
    /// main file. SQLite would apply it without a word. Opens the store only where there is a WAL;
    /// looks again where somebody changes the files meanwhile.
    func isForeign() throws -> Bool {
        guard try hasContent() else { return false }
        for _ in 0..<Self.looks {
            guard let main = DocumentInspection.mainFile(ofStoreAt: store) else { return false }
            let isForeign = try DocumentInspection(ofStoreAt: store, main).isWALForeign
            // An editor at work may have come between the two.
            if DocumentInspection.mainFile(ofStoreAt: store) == main { return isForeign }
        }
        return false
    }

    /// Moves it to another name in the package; answers where it is. The store is closed and the
    /// document's lock held.
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

    /// Puts autosaved work aside, so that the main file, which is the last saved state, counts
    /// again. The store is closed.
    func setAutosavedWorkAside(in package: String, savedGeneration: Int) throws {
        guard let marker = DocumentInspection.mainFile(ofStoreAt: store)?.marker, marker.isSaved,
            marker.generation == savedGeneration
        else {
            // A save is in the WAL too, kept from the main file by somebody who was reading it:
            // that save must not go.
            throw DocumentError(
                .locked, "the last save has not reached the main file, since another program was reading it",
                path: store, hint: "try again later")
        }
        try setAside(in: package, as: PackageLayout.discarded)
    }
}
