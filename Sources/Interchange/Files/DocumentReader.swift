import DocumentFiles
package import Folio
import Foundation

/// A document that is opened for reading. Nothing is changed, and no files are left beside it.
package struct DocumentReader {
    package let document: PersistentDocument
    package var store: any StoreBackend { document.store }
    package var context: ManagedObjectContext { document.context }
    package var model: ManagedObjectModel { document.model }

    /// Opens the document at `path`, runs `body` on one of its states and closes it. If another
    /// program changes the document meanwhile and was not excluded by a lock, this is repeated,
    /// provided that nothing has been passed on.
    /// - Parameters:
    ///   - modelText: The value of `--model`.
    ///   - repeats: Takes back what `body` has produced; false if that is not possible.
    ///   - opened: Called with the document before `body`, in each attempt.
    package static func reading<Result>(
        _ path: String, model modelText: String?, repeats: () -> Bool = { true },
        opened: (PersistentDocument, DocumentArgument) -> Void = { _, _ in },
        _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        try await reading(DocumentArgument(path), model: modelText, repeats: repeats, opened: opened, body)
    }

    /// The same for a document that is named already.
    package static func reading<Result>(
        _ argument: DocumentArgument, model modelText: String?, repeats: () -> Bool = { true },
        opened: (PersistentDocument, DocumentArgument) -> Void = { _, _ in },
        _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            do {
                return try await DocumentOpening.withDocument(
                    at: URL(fileURLWithPath: argument.path), state: argument.state,
                    fitting: try FittingModel.choice(modelText)
                ) { document in
                    try document.savedStore.hold()
                    opened(document, argument)
                    return try await body(DocumentReader(document: document))
                }
            } catch  where attempt < DocumentReading.attempts && DocumentError.tellsOfChange(error) && repeats() {
                try Task.checkCancellation()
                DocumentReading.wait(after: attempt)
                attempt += 1
            }
        }
    }
}
