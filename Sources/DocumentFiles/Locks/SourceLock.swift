internal import FileSystem

/// The lock of a document whose files are read directly, so that nobody edits it meanwhile.
enum SourceLock {
    /// Acquires the lock.
    /// - Returns: The lock; nil if a lock file can't be created for lack of permission. Programs
    ///   with the same permissions can't edit the document then.
    /// - Throws: `DocumentError.locked` if the document is being edited.
    static func acquire(_ path: String) throws -> DocumentLock? {
        do {
            return try DocumentLock.acquire(path, document: nil)
        } catch let error as DocumentError where error.code == .permission {
            if let holder = DocumentLock.holder(of: path) {
                throw DocumentError(
                    .locked, "open in \(holder)", path: path, stage: .locking, hint: "try again later", holder: holder)
            }
            return nil
        }
    }

    static func recoverable(_ path: String) -> DocumentError {
        DocumentError(
            .recoverable, "an editor that is gone left work that was never saved", path: path, stage: .packing,
            hint: "recover it first: keep or discard it")
    }
}
