internal import Storage

extension PersistentDocument {
    /// What the store lacks of its model, for people: tables and columns that another program left
    /// out or removed. Objects and values that belong there are not shown, and saving some throws
    /// `StorageError` with code `unsupported`. Empty for a complete store.
    ///
    ///     for part in document.missingParts { print("note:", part) }
    public var missingParts: [String] { isOpen ? store.missingParts : [] }
}
