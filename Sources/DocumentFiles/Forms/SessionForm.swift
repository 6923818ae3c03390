internal import Storage

/// The operations of a session that depend on the form: a package, a document with a working set,
/// or a bare store.
protocol SessionForm {
    /// The working set that receives commits; nil if they are written to the document itself.
    var workingSet: WorkingSet? { get }

    /// Called before each commit; prepares the working set so that commits are durable.
    func willCommit(_ session: DocumentSession) throws

    /// Completes a save after its commit. If this fails, the save is still valid, and the next
    /// save, close or opening repeats it.
    func finishSave(_ session: DocumentSession) throws

    /// Moves autosaved work from the WAL into a store file.
    func checkpointAutosavedWork(_ session: DocumentSession) throws

    /// Closes the store of a document without unsaved work, and leaves only the files that belong
    /// to it.
    func closeSaved(_ session: DocumentSession) throws

    /// Closes the store of a document with unsaved work, and makes the last save the current state
    /// again.
    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws
}

/// A bare store, in which every commit is a save, or a document that is open for reading. Nothing
/// has to be done besides the operations of the store.
struct BareStoreForm: SessionForm {
    var workingSet: WorkingSet? { nil }

    func willCommit(_ session: DocumentSession) {}
    func finishSave(_ session: DocumentSession) {}
    func checkpointAutosavedWork(_ session: DocumentSession) {}
    func closeSaved(_ session: DocumentSession) throws { try session.closeStore() }
    func closeDiscarding(_ session: DocumentSession, _ marker: DocumentMarker) throws { try session.closeStore() }
}
