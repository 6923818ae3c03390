import Folio
import Foundation

/// A document opened for a change: one save, or nothing.
struct DocumentEditor {
    let document: PersistentDocument
    private let isDryRun: Bool
    private let console: Console
    var context: ManagedObjectContext { document.context }
    var identity: StoreIdentity { document.store.identity }

    /// Opens the document at `path`, runs `body`, which calls `commit` when it has made its
    /// changes, and closes it.
    static func editing<Result>(
        _ path: String, _ arguments: ParsedArguments, _ console: Console,
        _ body: (DocumentEditor) async throws -> Result
    ) async throws -> Result {
        let path = try DocumentArgument.path(path)
        let isDryRun = arguments.has(OptionSpecification.dryRun)
        let document = try await PersistentDocument.open(
            URL(fileURLWithPath: path), mode: isDryRun ? .reading : .editing,
            fitting: try FittingModel.choice(arguments.value("--model")))
        console.reportOutsideCommits(of: document)
        // One command, one save: nothing is undone here.
        document.context.undoManager = nil
        do {
            let result = try await body(DocumentEditor(document: document, isDryRun: isDryRun, console: console))
            // What was not committed is not wanted. What was saved stands; the next opening does
            // what is left.
            do { try await document.close(.discard) } catch { console.reportUnfinished(error) }
            return result
        } catch {
            // A save of an archive that failed half-way, or was interrupted, has autosaved what it
            // was to save: all of it or nothing.
            await console.interruption.clearingUp {
                do { try await document.close(discardingUnsavedWork: true) } catch { console.reportKept(path) }
            }
            throw error
        }
    }

    /// Whether the document has no objects at all.
    var isEmpty: Bool {
        get throws {
            let roots = document.model.entities.filter { $0.superentity == nil }
            return try roots.allSatisfy { try document.store.count(RowRequest(entityIndex: $0.index, limit: 1)) == 0 }
        }
    }

    /// Whether a change of any size can be written piece by piece before it is saved.
    var takesPieces: Bool { !isDryRun && document.takesPieces }

    /// Undoes what was written and not saved.
    func abandonPieces() {
        if !isDryRun { document.abandonPieces() }
    }

    /// Saves; with `--dry-run` checks only what a save would check.
    /// - Returns: whether anything was saved.
    func commit() async throws -> Bool {
        if isDryRun {
            // The first half of a save, taken back before anything is written.
            if let prepared = try context.prepareSave() { _ = context.failSave(prepared, CancellationError()) }
            return false
        }
        try await console.interruption.committing { try await document.save() }
        console.hasWritten = true
        if let problem = document.postCommitError { console.reportUnfinished(problem) }
        return true
    }
}
