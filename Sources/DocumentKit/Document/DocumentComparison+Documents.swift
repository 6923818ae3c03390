public import DocumentFiles

extension DocumentComparison {
    /// Compares the committed data of two documents, which may be open for reading or for editing.
    public init(from old: PersistentDocument, to new: PersistentDocument) {
        self.init(from: old.state.store, to: new.state.store)
    }
}
