internal import Storage

/// The steps of a session in which a package, a document with a working set and a store by itself
/// differ.
protocol SessionForm {
    /// Where commits go, where that is not the document itself.
    var workingSet: WorkingSet? { get }

    /// Makes sure that a commit lasts: called before each.
    func willCommit(_ session: DocumentSession) throws

    /// What follows the commit of a save. Whatever stops it, the save stands, and the next save,
    /// close or open does it again.
    func finishSave(_ session: DocumentSession) throws

    /// Lets a store file take up what was autosaved.
    func checkpointAutosavedWork(_ session: DocumentSession) throws

    /// Closes the store of a document that has no unsaved work, and leaves it as one clean set of
    /// files.
    func closeSaved(_ session: DocumentSession) throws

    /// Closes the store of a document that has unsaved work, so that the last save counts again.
    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws
}

/// A store by itself, whose commits are saves, or a document that is only read: nothing follows
/// what is done with its store.
struct BareStoreForm: SessionForm {
    var workingSet: WorkingSet? { nil }

    func willCommit(_ session: DocumentSession) {}
    func finishSave(_ session: DocumentSession) {}
    func checkpointAutosavedWork(_ session: DocumentSession) {}
    func closeSaved(_ session: DocumentSession) throws { try session.closeStore() }
    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws { try session.closeStore() }
}
