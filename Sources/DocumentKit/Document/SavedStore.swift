internal import DocumentFiles

/// The store of an open document as a file, for tools that read all of it.
package struct SavedStore {
    let document: OpenDocument

    /// The size of the main file in bytes.
    package func bytes() throws -> Int64 {
        let state = try document.openedState()
        return try DocumentError.stage(.reading, state.path) {
            try document.performInline { try $0.place.storeBytes() }
        }
    }

    /// Verifies the saved pages before the whole document is printed. Reads the store of a package
    /// once; does nothing for other forms.
    /// - Throws: `DocumentError.malformed` if pages were altered since the last save.
    package func checkPages() throws {
        try document.performInline { session in
            try DocumentError.stage(.reading, session.path) { try session.checkPages() }
        }
    }

    /// Makes all reads of a document that is open for reading see the currently committed state,
    /// until the document is closed.
    ///
    /// With a rollback journal, writers of the store wait until then. If no SQLite lock can keep
    /// them waiting, because no other process had the store open when this was called, reads throw
    /// after the next commit: `DocumentError.tellsOfChange` recognizes these errors.
    package func hold() throws {
        try document.performInline { session in try DocumentError.stage(.reading, session.path) { try session.hold() } }
    }
}
