internal import DocumentFiles
public import Foundation
package import Storage

extension PersistentDocument {
    final var operations: DocumentOperations { DocumentOperations(document: self) }
    /// The store, for reading the values of whole tables without creating objects.
    package var store: any StoreBackend { state.store }
    /// The store as a file.
    package var savedStore: SavedStore { SavedStore(document: opened) }
    /// Saves in pieces.
    package var pieces: PieceWriter { PieceWriter(document: opened, saver: operations.saver) }

    /// Writes a copy of the document, including unsaved changes, and opens it for editing. This
    /// document is unchanged.
    ///
    /// ```swift
    /// let copy = try await document.duplicate()      // Name (copy).folio
    /// ```
    /// - Parameter url: The location of the copy; nil for an unused name in the same folder.
    /// - Throws: The errors of ``write(to:form:replacing:includingVersions:includingHistory:)`` and
    ///   `open`.
    public func duplicate(to url: URL? = nil) async throws -> Self {
        try await DocumentOpening.duplicate(self, to: url)
    }

    /// Moves the document, including versions and autosaved work, to a location where nothing
    /// exists. It stays open there: objects, their IDs, undo and unsaved changes are preserved.
    ///
    /// Within a file system the document is renamed. Otherwise it is copied, and the original is
    /// deleted once the copy is durable. The files of large values beside a bare store are moved,
    /// too; they have both names until the store is moved.
    ///
    /// - Throws: `DocumentError`: `cannotCreate` if something exists at the location, `locked`,
    ///   `permission`, `inputOutput`. The document stays at its location then.
    public func move(to url: URL) async throws {
        try await opened.exclusively { try await operations.mover.move(to: url) }
    }

    /// Renames the document in its folder. The extension is kept, unless `name` ends with it, or
    /// with another extension of the document's type or of Folio.
    ///
    ///     try await document.rename(to: "Letters 1.2")      // Letters 1.2.folio
    /// - Throws: The errors of ``move(to:)``; `usage` for an invalid name.
    public func rename(to name: String) async throws {
        try await move(to: operations.mover.place(named: name, extensions: type?.extensions ?? []))
    }

    /// Whether the document is locked against editing by the user, with ``lock()`` here or
    /// elsewhere: its permissions don't allow writing.
    public var isLocked: Bool { DocumentPermissions.isLocked(state.path) }

    /// Locks the document against editing by any program, until it is unlocked, and keeps it open
    /// for reading.
    ///
    /// - Throws: `DocumentError`: `usage` if there is unsaved work, which could not be saved any
    ///   more.
    public func lock() async throws { try await opened.exclusively { try operations.mover.lock() } }

    /// Unlocks the document and opens it for editing.
    ///
    /// - Throws: `DocumentError`: `locked` if another program is editing it.
    public func unlock() async throws { try await opened.exclusively { try operations.mover.unlock() } }
}
