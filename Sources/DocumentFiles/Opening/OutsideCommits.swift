internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// Commits of other programs in the WAL of a package's store: each of Folio's raises the marker's
/// counter, theirs do not.
struct OutsideCommits {
    private static let attempts = 5

    let store: SQLitePersistentStore
    let storePath: String
    let manifest: DocumentManifest
    /// What the main file notes by itself; nil where that has to be read.
    let mainFile: DocumentMarker?

    /// How many the WAL has at least beside the document's own. Reads the WAL.
    func count() throws -> Int {
        for _ in 0..<Self.attempts {
            guard let before = try DocumentMarker(store.metadata()) else { return 0 }
            // What is in the main file already was committed there by whoever made the checkpoint:
            // a power cut may bring the emptied WAL back.
            let count = try store.withFiles { try $0.isCheckpointed() ? 0 : $0.log?.commitCount ?? 0 }
            // An editor at work may have committed meanwhile. Its last commit then counts more of
            // its own than were read, so that no commit of its own is taken for another's.
            guard let after = try DocumentMarker(store.metadata()), before.isInRun(of: after) else { continue }
            return count == 0 ? 0 : max(0, count - ownCommits(after))
        }
        return 0
    }

    /// How many commits of Folio's the WAL has at most.
    private func ownCommits(_ last: DocumentMarker) -> Int {
        // All of them are in the main file then, and were when the WAL began.
        if last.isSaved, last.generation == manifest.generation { return 0 }
        guard let main = mainFile ?? DocumentInspection.mainFile(ofStoreAt: storePath)?.marker, let run = last.journal
        else { return .max }
        // A checkpoint that did not come to its end may have brought a marker of this run into the
        // main file.
        return last.counter - (run.id == main.journal?.id ? run.baseCounter : main.counter)
    }
}

extension DocumentMarker {
    /// Whether two commits stand in one run of the WAL, with no save between them.
    fileprivate func isInRun(of other: DocumentMarker) -> Bool {
        journal == other.journal && isSaved == other.isSaved && generation == other.generation
    }
}
