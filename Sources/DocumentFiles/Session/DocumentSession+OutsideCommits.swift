internal import FileSystem
internal import Foundation
internal import SQLiteKit
internal import SQLiteStore
internal import Storage

/// Commits of other programs in the WAL of a package's store: each of Folio's raises the marker's counter, theirs do not.
extension DocumentSession {
    private static let attempts = 5

    /// How many commits of other programs the WAL has at least beside the document's own. Reads the WAL, where there is one.
    func countOutsideCommits() throws -> Int {
        guard kind == .package, place.workingSet == nil, place.temporaryFolder == nil, let manifest, try Self.hasJournal(storePath) else { return 0 }
        for _ in 0..<Self.attempts {
            guard let before = try DocumentMarker(packageStore.metadata()) else { return 0 }
            // What is in the main file already was committed there by whoever made the checkpoint: a power cut may bring the emptied WAL back.
            let count = try packageStore.withFiles { try $0.isCheckpointed() ? 0 : $0.log?.commitCount ?? 0 }
            // An editor at work may have committed meanwhile. Its last commit then counts more of its own than were read, so that no commit of its own is taken for another's.
            guard let after = try DocumentMarker(packageStore.metadata()), before.isInRun(of: after) else { continue }
            return count == 0 ? 0 : max(0, count - (try ownCommits(after, manifest)))
        }
        return 0
    }

    /// How many commits of Folio's the WAL has at most.
    private func ownCommits(_ last: DocumentMarker, _ manifest: Manifest) throws -> Int {
        // All of them are in the main file then, and were when the WAL began.
        if last.isSaved, last.generation == manifest.generation { return 0 }
        guard let main = Self.markerOfMainFile(storePath), let run = last.journal else { return .max }
        // A checkpoint that did not come to its end may have brought a marker of this run into the main file.
        return last.counter - (run.id == main.journal?.id ? run.baseCounter : main.counter)
    }

    /// Makes what other programs have committed on top of the last save a save of its own, so that the state before it is kept as a version.
    func takeUpOutsideCommits() throws {
        guard let marker, marker.isSaved, marker.generation == manifest?.generation, case let count = try countOutsideCommits(), count > 0 else { return }
        outsideCommits = max(outsideCommits, count)
        versionReason = .other
        // Nothing is known of what they have changed.
        hasChangedContent = true
        mayHaveUnusedContent = true
        attachments = nil
        counts = try EntityCounts(counting: store)
        _ = try commit(ChangeSet(), .save)
    }
}

extension DocumentMarker {
    /// Whether two commits stand in one run of the WAL, with no save between them.
    fileprivate func isInRun(of other: DocumentMarker) -> Bool { journal == other.journal && isSaved == other.isSaved && generation == other.generation }
}
