public import DocumentFiles

extension DocumentComparison {
    /// Compares two documents that are open, in whatever mode. What is compared is what is
    /// committed.
    public init(from old: PersistentDocument, to new: PersistentDocument) {
        self.init(from: old.state.store, to: new.state.store)
    }
}
