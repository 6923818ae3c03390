internal import FileSystem

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

    /// Gives a temporary file the owner, group, mode and access list of the file that it will
    /// replace.
    package static func takeRights(of old: String, for temporary: String) throws {
        try AccessRights(of: old)?.give(to: temporary)
    }
}
