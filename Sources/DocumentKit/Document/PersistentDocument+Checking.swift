internal import DocumentFiles

extension PersistentDocument {
    /// Makes sure that what was saved is what is about to be printed as a whole. Reads a package's store once; does nothing for other forms.
    /// - Throws: `DocumentError.malformed` where pages were altered since the last save.
    package func checkSavedPages() throws {
        try opened.performInline { session in try DocumentError.stage(.reading, session.path) { try session.checkPages() } }
    }
}
