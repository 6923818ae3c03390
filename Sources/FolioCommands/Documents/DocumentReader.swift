import Folio
import Foundation

/// A document opened for reading: nothing of it changes, and nothing is left beside it.
struct DocumentReader {
    let document: PersistentDocument
    var store: any PersistentStore { document.store }
    var context: ManagedObjectContext { document.context }
    var model: ManagedObjectModel { document.model }

    /// Opens the document at `path`, runs `body` and closes it.
    /// - Parameter modelText: what `--model` says.
    static func reading<Result>(
        _ path: String, model modelText: String?, _ console: Console, _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        let argument = DocumentArgument(path)
        let document = try await PersistentDocument.open(
            URL(fileURLWithPath: argument.path), mode: .reading, state: argument.state, fitting: try FittingModel.resolver(modelText))
        if document.hasAutosavedWork, argument.state == .newest { console.say("note: \(Printable.line(path)) is shown with autosaved work that is not saved") }
        do {
            let result = try await body(DocumentReader(document: document))
            try await document.close()
            return result
        } catch {
            try? await document.close()
            throw error
        }
    }

    /// Runs `body`, which reads the document in several steps, on what is committed now. Where that can't be held, since no editor had the document open, it throws if somebody saved
    /// between them: what was read is then no state that there ever was.
    func readingOneState<Result>(_ body: (any RowStore) throws -> Result) throws -> Result {
        if let state = try document.oneState() { return try body(state) }
        let before = try document.commitCount()
        let result = try body(store)
        guard try document.commitCount() == before else {
            throw CommandError(
                .tryLater, "changed", "the document was saved by another program while it was read", path: document.url.path, hint: "run the command again")
        }
        return result
    }
}
