internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// Counts commits of other programs in the WAL of a package's store. Every commit of Folio
/// increments the counter of the marker; others don't.
struct OutsideCommits {
    private static let attempts = 5

    let store: SQLitePersistentStore
    let storePath: String
    let manifest: DocumentManifest
    /// The marker of the main file; nil if it has yet to be read.
    let mainFile: DocumentMarker?

    /// The minimum number of commits in the WAL that the document did not make. Reads the WAL.
    func count() throws -> Int {
        for _ in 0..<Self.attempts {
            guard let before = try DocumentMarker(store.metadata()) else { return 0 }
            // Commits that are in the main file already don't count: the program that made the
            // checkpoint has committed them there, and a power failure may restore the emptied WAL.
            let count = try store.withFiles { try $0.isCheckpointed() ? 0 : $0.log?.commitCount ?? 0 }
            // An editor may have committed meanwhile. Its last marker then accounts for more of its
            // own commits than were read, so that none of them is mistaken for another program's.
            guard let after = try DocumentMarker(store.metadata()), before.isInRun(of: after) else { continue }
            return count == 0 ? 0 : max(0, count - ownCommits(after))
        }
        return 0
    }

    /// The maximum number of Folio's commits in the WAL.
    private func ownCommits(_ last: DocumentMarker) -> Int {
        // All of Folio's commits are in the main file, and were when the WAL began.
        if last.isSaved, last.generation == manifest.generation { return 0 }
        guard let main = mainFile ?? DocumentInspection.mainFile(ofStoreAt: storePath)?.marker, let run = last.journal
        else { return .max }
        // An interrupted checkpoint may have copied a marker of this run to the main file.
        return last.counter - (run.id == main.journal?.id ? run.baseCounter : main.counter)
    }
}

extension DocumentMarker {
    /// Whether two commits belong to the same run of the WAL, without a save between them.
    fileprivate func isInRun(of other: DocumentMarker) -> Bool {
        journal == other.journal && isSaved == other.isSaved && generation == other.generation
    }
}
