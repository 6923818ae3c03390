import SQLiteKit
import Storage

/// Change sets that are written but not committed; the next committing `apply` commits them.
///
/// Invariants:
/// 1. As long as there is one that is not lost, the connection is in a transaction.
/// 2. Once they are rolled back, nothing is written until they are abandoned: changes that depend
///    on them must not be committed alone.
final class PiecesUnderWay {
    /// The external values that the change sets have written.
    var large: [LargeValueWriter] = []
    /// One history transaction records all of the change sets.
    var history: HistoryRecorder?
    fileprivate(set) var isLost = false
    /// Whether any of their changes are in the transaction.
    var hasBegun = false

    /// - Throws: `StorageError` if the change sets were rolled back.
    fileprivate func check() throws {
        if isLost {
            throw StorageError(
                .cancelled, "An earlier part of this save could not be written, so that nothing of it is")
        }
    }
}

extension StoreSession {
    /// Writes a change set that the next committing `apply` commits.
    func applyPiece(_ changes: ChangeSet) throws -> SaveReceipt {
        pieces = pieces ?? PiecesUnderWay()
        return try apply(changes, commits: false)
    }

    /// Checks that the uncommitted changes still exist: SQLite rolls back by itself if the disk is
    /// full or fails.
    func checkPieces() throws {
        if let pieces, pieces.hasBegun, !connection.isInTransaction { losePieces() }
        try pieces?.check()
    }

    /// Rolls back the uncommitted changes.
    func abandonPieces() {
        losePieces()
        pieces = nil
    }

    /// Rolls back all uncommitted changes after an error.
    func losePieces() {
        guard let pieces, !pieces.isLost else { return }
        connection.rollBack()
        for large in pieces.large { large.removeFiles() }
        pieces.large = []
        pieces.isLost = true
    }

    /// Call it after the commit.
    func settle(_ large: LargeValueWriter) {
        for large in (pieces?.large ?? []) + [large] { large.settle() }
        pieces = nil
    }
}
