package import DocumentFiles
package import Foundation
package import ObjectGraph
package import Schema
package import Storage

/// What tools of the package need beyond the public interface.
extension PersistentDocument {
    /// Opens a document with the model that `model` finds for the hashes that its store records.
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

    /// The model that a document carries, in one of its states; nothing is written anywhere near
    /// it.
    /// - Throws: `DocumentError`, with code `modelMismatch` where it carries none.
    package static func model(of url: URL, state: DocumentState = .newest) throws -> ManagedObjectModel {
        let session = try DocumentSession.read(url.path, state, model: .own)
        defer { try? session.close() }
        return session.model
    }

    /// The store, for whole tables of values without objects.
    package var store: any StoreBackend { state.store }

    /// The size of the store's main file in bytes.
    package func storeBytes() throws -> Int64 {
        let state = try opened.openedState()
        return try DocumentError.stage(.reading, state.path) { try opened.performInline { try $0.place.storeBytes() } }
    }

    /// Makes sure that what was saved is what is about to be printed as a whole. Reads a package's
    /// store once; does nothing for other forms.
    /// - Throws: `DocumentError.malformed` where pages were altered since the last save.
    package func checkSavedPages() throws {
        try opened.performInline { session in
            try DocumentError.stage(.reading, session.path) { try session.checkPages() }
        }
    }

    /// Keeps whatever is read of a document that is open for reading to what is committed now,
    /// until it is closed.
    ///
    /// Who writes a store with a rollback journal has to wait that long. Where no lock can hold the
    /// others off, since nobody else had the store open when this was called, reading throws as
    /// soon as somebody has committed: `DocumentError.tellsOfChange` knows these errors.
    package func holdState() throws {
        try opened.performInline { session in try DocumentError.stage(.reading, session.path) { try session.hold() } }
    }

    /// Whether the document's store takes a save in pieces. Those that write their file as a whole,
    /// and have it in memory, do not.
    package var takesPieces: Bool { state.isEditing && store.takesPieces }

    /// Writes the changes of the context, unchecked, as a piece of the next save: so that a save of
    /// any size takes the memory of one piece.
    ///
    /// Nothing is committed before ``save()``, which commits all pieces in one transaction, and
    /// nobody else sees any of it; this context reads it. Whoever writes pieces checks them first,
    /// and uses the document for nothing else until it is saved.
    /// - Throws: what the store throws. Then, and where the save fails, all pieces are undone, and
    ///   the context shows objects that are nowhere: call ``abandonPieces()`` and close.
    package func writePiece() throws { try saver.writePiece() }

    /// Undoes the pieces since the last save.
    package func abandonPieces() { try? opened.performInline { $0.abandonPieces() } }

    /// Removes what this process has put into temporary folders, of documents that are open too:
    /// for a program that is about to end without closing them.
    /// - Parameter includingLocks: Whether the files of its locks go too, as it is writing none of
    ///   the documents.
    package static func removeTemporaryFiles(includingLocks: Bool = false) {
        StateFolder.removeTemporaries()
        if includingLocks { DocumentLock.removeFiles() }
    }
}
