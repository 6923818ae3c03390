import Folio
import Foundation

/// A document that is opened for reading. Nothing is changed, and no files are left beside it.
struct DocumentReader {
    let document: PersistentDocument
    var store: any StoreBackend { document.store }
    var context: ManagedObjectContext { document.context }
    var model: ManagedObjectModel { document.model }

    /// Opens the document at `path`, runs `body` on one of its states and closes it. If another
    /// program changes the document meanwhile and was not excluded by a lock, this is repeated,
    /// provided that nothing has been written to standard output.
    /// - Parameters:
    ///   - modelText: The value of `--model`.
    ///   - isQuiet: Whether nothing is said of the state that is read, because a caller reads the
    ///     document again.
    static func reading<Result>(
        _ path: String, model modelText: String?, isQuiet: Bool = false, _ console: Console,
        _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        let argument = DocumentArgument(path), mark = console.output.mark
        var attempt = 1
        while true {
            do {
                return try await reading(argument, model: modelText, console, tells: attempt == 1 && !isQuiet, body)
            } catch
                where attempt < DocumentReading.attempts && DocumentError.tellsOfChange(error)
                && console.output.goBack(to: mark)
            {
                try Task.checkCancellation()
                DocumentReading.wait(after: attempt)
                attempt += 1
            }
        }
    }

    private static func reading<Result>(
        _ argument: DocumentArgument, model modelText: String?, _ console: Console, tells: Bool,
        _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        try await DocumentOpening.withDocument(
            at: URL(fileURLWithPath: argument.path), state: argument.state,
            fitting: try FittingModel.choice(modelText)
        ) { document in
            try document.savedStore.hold()
            if tells, document.hasAutosavedWork, argument.state == .newest {
                console.say("note: \(Printable.line(argument.path)) is shown with autosaved work that is not saved")
            }
            if tells {
                console.reportOutsideCommits(of: document, argument.path)
                console.reportMissingParts(document.store.missingParts, argument.path)
            }
            return try await body(DocumentReader(document: document))
        }
    }
}
