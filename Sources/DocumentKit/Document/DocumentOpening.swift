package import DocumentFiles
package import Foundation
package import ObjectGraph
package import Schema

/// Opens documents for tools and for the class itself: in any of their states, and with a model
/// that is chosen by the version hashes in the store.
package enum DocumentOpening {
    /// Opens a document with the model that `model` finds for the version hashes in its store.
    package static func open<Document: PersistentDocument>(
        _ url: URL, as type: Document.Type = PersistentDocument.self, mode: PersistentDocument.Mode,
        state: DocumentState = .newest, recovery: DocumentRecovery = .refuse, lock: DocumentLock? = nil,
        classes: [String: ManagedObject.Type] = [:],
        fitting model: ModelChoice
    ) async throws -> Document {
        try checkIsFile(url)
        let document = Document()
        let configuration = StoreConfiguration(url) { document.configureStore(&$0) }
        let session = try await StoreConfiguration.$current.withValue(configuration) {
            try await SessionKeeper.open(
                url.path, isEditing: mode == .editing, state, recovery: recovery, lock: lock, model: model)
        }
        document.opened.begin(session, classes: classes)
        return document
    }

    /// - Throws: `DocumentError` with code `unsupported` for a URL that is not a file's.
    static func checkIsFile(_ url: URL) throws {
        guard !url.isFileURL else { return }
        throw DocumentError(
            .unsupported, "documents are files: a URL of the scheme \(url.scheme ?? "") is not supported",
            path: url.absoluteString)
    }

    /// Opens a document, runs `body` on it, and closes it.
    package static func withDocument<Result>(
        at url: URL, mode: PersistentDocument.Mode = .reading, state: DocumentState = .newest,
        recovery: DocumentRecovery = .refuse,
        fitting model: ModelChoice = .own,
        _ body: (PersistentDocument) async throws -> Result
    ) async throws -> Result {
        let document = try await open(url, mode: mode, state: state, recovery: recovery, fitting: model)
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

    /// Creates a document without objects and opens it for editing.
    static func create<Document: PersistentDocument>(
        at url: URL, as type: Document.Type, model: ManagedObjectModel, form: DocumentForm, modelName: String?,
        replaces: Bool, classes: [String: ManagedObject.Type]
    ) async throws -> Document {
        try checkIsFile(url)
        // The lock is kept from creation to opening, so that no other process can open the document
        // between.
        let lock = try await DocumentWriter.writeEmpty(url, model, form, modelName, replaces: replaces)
        do {
            return try await open(
                url, as: type, mode: .editing, lock: lock, classes: classes, fitting: ModelChoice(model))
        } catch let error as DocumentError {
            throw error.ofWritten(LinkResolution.resolve(url.path), hint: "open it again later")
        }
    }

    /// Writes a copy of an open document and opens it for editing.
    /// - Parameter url: The location of the copy; nil for an unused name in the same folder.
    static func duplicate<Document: PersistentDocument>(_ document: Document, to url: URL?) async throws -> Document {
        let target = try url ?? document.opened.openedState().freeURL(tag: "copy")
        try await document.write(to: target)
        let copy = try await open(
            target, as: Document.self, mode: .editing, classes: document.opened.objectClasses,
            fitting: .model(document.model))
        copy.type = document.type
        document.duplicateHandler?(copy)
        return copy
    }
}
