/// The temporary files of this process.
package enum TemporaryFiles {
    /// Removes them, including those of open documents. For a program that is about to exit without
    /// closing its documents.
    /// - Parameter includingLocks: Whether the files of its locks are removed, too. The process
    ///   must not be writing any document.
    package static func removeAll(includingLocks: Bool = false) {
        StateFolder.removeTemporaries()
        if includingLocks { DocumentLock.removeFiles() }
    }
}
