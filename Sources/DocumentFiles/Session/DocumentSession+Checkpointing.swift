internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage

/// Autosaved work stays in the WAL until it is saved; here is what keeps that from growing without
/// end.
extension DocumentSession {
    /// Finds out after an autosave whether more is in the WAL than is to stay there: then
    /// `isWALFull`.
    /// - Parameter limit: In bytes; nil for the document's own.
    package func checkWALSize(_ limit: Int64?) {
        guard marker?.isSaved == false else { return }
        try? journal.checkSize(of: wal, limit, packageStore) { try place.storeBytes() }
    }

    /// Lets the store take up what was autosaved. Where it lies in an archive, it is written as a
    /// file beside the folder that it is to be in, which costs its size: then `ownStore` is there,
    /// and nothing may be committed until `onOwnStore()`.
    package func checkpointAutosavedWork() throws {
        journal.willCheckpointAutosave()
        try form.checkpointAutosavedWork(self)
    }
}
