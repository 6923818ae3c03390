internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// Checkpoints of autosaved work, which limit the growth of the WAL between saves.
extension DocumentSession {
    /// Checks the size of the WAL after an autosave, and sets `isJournalFull` if it exceeds the
    /// limit.
    /// - Parameter limit: The limit in bytes; nil for the document's default.
    package func checkWALSize(_ limit: Int64?) {
        guard marker?.isSaved == false else { return }
        try? journal.checkSize(of: wal, limit, packageStore) { try place.storeBytes() }
    }

    /// Checkpoints autosaved work into the store. If the store is read in place from an archive, a
    /// copy of it is written instead, at a cost proportional to its size. Then `ownStore` is set,
    /// and nothing may be committed until `onOwnStore()` was called.
    package func checkpointAutosavedWork() throws {
        journal.willCheckpointAutosave()
        try form.checkpointAutosavedWork(self)
    }
}
