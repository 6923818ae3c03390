internal import FileSystem

/// The lock of a document that is read as files, so that nobody edits it meanwhile.
enum SourceLock {
    /// - Returns: nil where no lock can be made for want of a right to write: then nobody edits it
    ///   with the rights that this program has.
    /// - Throws: `DocumentError.locked` where somebody edits it.
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
