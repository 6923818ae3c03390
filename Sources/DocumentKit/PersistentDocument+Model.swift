package import Foundation
package import Schema
package import Storage

extension PersistentDocument {
    /// The model that a document carries; nothing is written anywhere near it.
    /// - Throws: `DocumentError`, with code `modelMismatch` where it carries none.
    package static func model(of url: URL) throws -> ManagedObjectModel {
        let session = try DocumentSession.read(url.path) { _ in nil }
        defer { try? session.close() }
        return session.model
    }
}

extension PersistentDocument {
    /// What is committed now, for a reading of several steps; nil where others may save between them.
    package func oneState() throws -> (any RowStore)? {
        try DocumentError.stage(.reading, state.path) {
            guard let store = state.store as? any GenerationStore else { return state.store }
            // What an archive holds does not change, and its journal is read as it was at first.
            if state.kind == .archive { return store }
            return try store.viewForReading()
        }
    }

    /// How many saves and autosaves the document has seen, by whatever program, as its store says now; nil for a store by itself, which does not count them.
    package func commitCount() throws -> Int? {
        try DocumentError.stage(.reading, state.path) { DocumentMarker(try state.store.metadata())?.counter }
    }
}
