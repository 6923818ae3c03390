package import DocumentFiles
package import Foundation
package import ObjectGraph
package import Schema
package import Storage

/// Operations for command-line tools, beyond the public interface.
extension PersistentDocument {
    /// Opens a document with the model that `model` finds for the version hashes in its store.
    package static func open(
        _ url: URL, mode: Mode, state: DocumentState = .newest, recovery: Recovery = .refuse, lock: DocumentLock? = nil,
        classes: [String: ManagedObject.Type] = [:],
        fitting model: ModelChoice
    ) async throws -> Self {
        let document = Self()
        let configuration = StoreConfiguration(url) { document.configureStore(&$0) }
        let session = try await StoreConfiguration.$current.withValue(configuration) {
            try await SessionKeeper.open(
                url.path, isEditing: mode == .editing, state, recovery: recovery, lock: lock, model: model)
        }
        document.opened.begin(session, classes: classes)
        return document
    }

    /// Opens a document, runs `body` on it, and closes it.
    package static func withDocument<Result>(
        at url: URL, mode: Mode = .reading, state: DocumentState = .newest, recovery: Recovery = .refuse,
        fitting model: ModelChoice = .own,
        _ body: (PersistentDocument) async throws -> Result
    ) async throws -> Result {
        let document = try await PersistentDocument.open(
            url, mode: mode, state: state, recovery: recovery, fitting: model)
        do {
            let result = try await body(document)
            try await document.close()
            return result
        } catch {
            try? await document.close()
            throw error
        }
    }

    /// The model that a document contains in one of its states. Nothing is written to the document
    /// or beside it.
    /// - Throws: `DocumentError`, with code `modelMismatch` if it contains no model.
    package static func model(of url: URL, state: DocumentState = .newest) throws -> ManagedObjectModel {
        let session = try DocumentSession.read(url.path, state, model: .own)
        defer { try? session.close() }
        return session.model
    }

    /// The store, for reading the values of whole tables without creating objects.
    package var store: any StoreBackend { state.store }

    /// The size of the store's main file in bytes.
    package func storeBytes() throws -> Int64 {
        let state = try opened.openedState()
        return try DocumentError.stage(.reading, state.path) { try opened.performInline { try $0.place.storeBytes() } }
    }

    /// Verifies the saved pages before the whole document is printed. Reads the store of a package
    /// once; does nothing for other forms.
    /// - Throws: `DocumentError.malformed` if pages were altered since the last save.
    package func checkSavedPages() throws {
        try opened.performInline { session in
            try DocumentError.stage(.reading, session.path) { try session.checkPages() }
        }
    }

    /// Makes all reads of a document that is open for reading see the currently committed state,
    /// until the document is closed.
    ///
    /// With a rollback journal, writers of the store wait until then. If no SQLite lock can keep
    /// them waiting, because no other process had the store open when this was called, reads throw
    /// after the next commit: `DocumentError.tellsOfChange` recognizes these errors.
    package func holdState() throws {
        try opened.performInline { session in try DocumentError.stage(.reading, session.path) { try session.hold() } }
    }

    /// Whether the document's store supports saves in pieces. Stores that are in memory and write
    /// their file as a whole do not.
    package var takesPieces: Bool { state.isEditing && store.takesPieces }

    /// Writes the changes of the context, without validation, as a piece of the next save. A save
    /// of any size then needs only the memory of one piece.
    ///
    /// Nothing is committed before ``save()``, which commits all pieces in one transaction. Only
    /// this context reads the pieces before that. The caller validates each piece before writing
    /// it, and uses the document for nothing else until it is saved.
    /// - Throws: The errors of the store. If this or the save fails, all pieces are rolled back,
    ///   and the context shows objects that exist nowhere: call ``abandonPieces()`` and close the
    ///   document.
    package func writePiece() throws { try saver.writePiece() }

    /// Rolls back the pieces that were written since the last save.
    package func abandonPieces() { try? opened.performInline { $0.abandonPieces() } }

    /// Removes the temporary files of this process, including those of open documents. For a
    /// program that is about to exit without closing its documents.
    /// - Parameter includingLocks: Whether the files of its locks are removed, too. The process
    ///   must not be writing any document.
    package static func removeTemporaryFiles(includingLocks: Bool = false) {
        StateFolder.removeTemporaries()
        if includingLocks { DocumentLock.removeFiles() }
    }
}
