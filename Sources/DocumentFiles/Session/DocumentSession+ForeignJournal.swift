internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// WALs that lie beside a store and are not its own: SQLite would apply them without a word.
extension DocumentSession {
    /// How often a store that somebody writes to is looked at again.
    private static let journalLooks = 5

    /// Whether the WAL beside a document's store is not of it: of another store, stale, or made on another state of the main file. Opens the store only where there is a WAL.
    static func hasForeignJournal(_ store: String) throws -> Bool {
        guard try hasJournal(store) else { return false }
        for _ in 0..<journalLooks {
            guard let before = mainFile(store) else { return false }
            var isForeign = true
            do {
                let whole = try SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store))
                if let marker = DocumentMarker(whole.metadata) { isForeign = whole.uuid != before.uuid || !JournalRun.belongs(marker, to: before.marker) }
            } catch let error as StorageError where error.code == .damaged || error.code == .notAStore {
                // What is sound by itself is not made so by a WAL of its own.
            }
            // An editor at work may have come between the two.
            if let after = mainFile(store), after == before { return isForeign }
        }
        return false
    }

    /// What the main file of a document's store says without its WAL; nil where it can't be read by itself: a checkpoint that was cut short leaves a main file that only the WAL makes
    /// whole.
    private static func mainFile(_ store: String) -> (uuid: String, marker: DocumentMarker)? {
        guard let info = try? SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store), ignoresWAL: true) else { return nil }
        return DocumentMarker(info.metadata).map { (info.uuid, $0) }
    }

    /// The marker of the main file of a document's store without its WAL; nil where the file can't be read by itself.
    static func markerOfMainFile(_ store: String) -> DocumentMarker? { mainFile(store)?.marker }

    /// Puts a WAL that is not of the store out of the way, never to be applied; answers where it is. The document's lock is held and the store closed.
    static func quarantineForeignJournal(in package: String) throws -> String? {
        let store = FilePath.join(package, PackageLayout.store)
        guard try hasForeignJournal(store) else { return nil }
        return try setJournalAside(in: package, as: "\(PackageLayout.foreignJournal)\(UniqueName.make()).wal")
    }

    /// Moves the WAL of a closed store to another name in the package.
    static func setJournalAside(in package: String, as name: String) throws -> String {
        let store = FilePath.join(package, PackageLayout.store), aside = FilePath.join(package, name)
        try Disk.makeDirectories(FilePath.parent(aside), isDurable: true)
        try Disk.removeFileIfPresent(aside)
        try Disk.rename(store + "-wal", to: aside)
        try Disk.removeFileIfPresent(store + "-shm")
        try Disk.synchronizeDirectory(FilePath.parent(aside))
        try Disk.synchronizeDirectory(FilePath.parent(store))
        return aside
    }

    /// What lies in a package and is not applied any more: WALs that were not its store's own, and versions that could not be read.
    package static func quarantined(in package: String) throws -> [String] {
        let journals = FilePath.name(PackageLayout.foreignJournal), versions = FilePath.join(package, PackageLayout.versions)
        var found: [String] = []
        if try Disk.kind(of: versions) == .directory {
            found += try Disk.list(versions).filter { $0.kind == .file && $0.name.hasPrefix(journals) }.map { FilePath.join(versions, $0.name) }
        }
        found += try Disk.list(package).filter { $0.kind == .directory && $0.name.hasPrefix(PackageLayout.damagedVersions + "-") }.map { FilePath.join(package, $0.name) }
        return found.sorted()
    }
}
