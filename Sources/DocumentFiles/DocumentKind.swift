package import Storage

/// What kind of document is at a path. Decided by what is in the file or folder, never by its
/// extension.
public enum DocumentKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A folder of Folio's layout.
    case package
    /// A package in one zip file.
    case archive
    /// A Core Data store by itself.
    case store
    /// A folder as `UIManagedDocument` writes it, with the store at `StoreContent/persistentStore`.
    case managedDocument
}

/// The form in which a document is written.
public enum DocumentForm: Sendable, Hashable {
    /// A folder of Folio's layout: autosave, and all else that documents can do.
    case package
    /// A package in one zip file, readable by every zip tool.
    case archive
    /// A Core Data SQLite store by itself.
    case store
    /// A store of Folio's binary format by itself.
    case binaryStore
    /// A Core Data XML store by itself. It does not carry its model.
    case xmlStore

    /// The form of a document that is there.
    /// - Parameter storeType: The type of its store.
    package init(_ kind: DocumentKind, _ storeType: StoreType) {
        switch kind {
        case .package: self = .package
        case .archive: self = .archive
        case .store, .managedDocument:
            switch storeType {
            case .binary: self = .binaryStore
            case .xml: self = .xmlStore
            default: self = .store
            }
        }
    }

    /// The type of a store by itself, nil for the forms that have more to them.
    package var bareStoreType: StoreType? {
        switch self {
        case .package, .archive: nil
        case .store: .sqlite
        case .binaryStore: .binary
        case .xmlStore: .xml
        }
    }
}
