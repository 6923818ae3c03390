package import Storage

/// The kind of document at a path. It is determined by the content of the file or folder, not by
/// its extension.
public enum DocumentKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A folder in Folio's package format.
    case package
    /// A package in a single zip file.
    case archive
    /// A bare Core Data store.
    case store
    /// A folder written by `UIManagedDocument`, with the store at `StoreContent/persistentStore`.
    case managedDocument
}

/// The form in which a document is written.
public enum DocumentForm: Sendable, Hashable {
    /// A folder in Folio's package format, with autosave, versions and all other features of
    /// documents.
    case package
    /// A package in a single zip file, readable by zip tools.
    case archive
    /// A bare Core Data SQLite store.
    case store
    /// A bare store in Folio's binary format.
    case binaryStore
    /// A bare Core Data XML store. It does not contain its model.
    case xmlStore

    /// The form of an existing document.
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

    /// The type of the store for a bare store; nil for packages and archives.
    package var bareStoreType: StoreType? {
        switch self {
        case .package, .archive: nil
        case .store: .sqlite
        case .binaryStore: .binary
        case .xmlStore: .xml
        }
    }
}
