import SQLiteKit
import Storage

/// Change sets that are written and not committed: they wait for the `apply` that commits them.
///
/// Invariants:
/// 1. As long as there is one that is not lost, the connection is in a transaction.
/// 2. Once something has undone them, nothing is written until they are abandoned: what builds on
///    them must not be committed alone.
final class PiecesUnderWay {
    /// The files that the pieces have written.
    var large: [LargeValueWriter] = []
    /// One transaction of the history takes all pieces.
    var history: HistoryRecorder?
    fileprivate(set) var isLost = false
    /// Whether something of them is in the transaction.
    var hasBegun = false

    /// - Throws: `StorageError` where the pieces were undone.
    fileprivate func check() throws {
        if isLost {
            throw StorageError(
                .cancelled, "An earlier part of this save could not be written, so that nothing of it is")
        }
    }
}

extension StoreSession {
    /// Writes a change set that the next `apply` commits.
    func applyPiece(_ changes: ChangeSet) throws -> SaveReceipt {
        pieces = pieces ?? PiecesUnderWay()
        return try apply(changes, commits: false)
    }

    /// Makes sure that what waits for a commit is still there: SQLite rolls back by itself where a
    /// disk is full or fails.
    func checkPieces() throws {
        if let pieces, pieces.hasBegun, !connection.isInTransaction { losePieces() }
        try pieces?.check()
    }

    /// Undoes what waits for a commit.
    func abandonPieces() {
        losePieces()
        pieces = nil
    }

    /// Something failed, and with it all that waits for the same commit.
    func losePieces() {
        guard let pieces, !pieces.isLost else { return }
        connection.rollBack()
        for large in pieces.large { large.removeFiles() }
        pieces.large = []
        pieces.isLost = true
    }

    /// After the commit.
    func settle(_ large: LargeValueWriter) {
        for large in (pieces?.large ?? []) + [large] { large.settle() }
        pieces = nil
    }
}
