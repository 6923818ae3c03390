public import DocumentFiles

extension DocumentComparison {
    /// Compares two open documents, in either mode. Their committed data are compared.
    public init(from old: PersistentDocument, to new: PersistentDocument) {
        self.init(from: old.state.store, to: new.state.store)
    }
}
