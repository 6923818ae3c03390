import Folio
import Foundation

/// A document that is opened for changes, which are saved in one save or not at all.
struct DocumentEditor {
    let document: PersistentDocument
    private let isDryRun: Bool
    private let console: Console
    var context: ManagedObjectContext { document.context }
    var identity: StoreIdentity { document.store.identity }

    private init(document: PersistentDocument, isDryRun: Bool, console: Console) {
        self.document = document
        self.isDryRun = isDryRun
        self.console = console
    }

    /// An editor of a document that is open, and whose changes are left unsaved.
    init(unsaved document: PersistentDocument, _ console: Console) {
        self.init(document: document, isDryRun: true, console: console)
    }

    /// Opens the document at `path`, runs `body` and closes the document. `body` must call `commit`
    /// after its changes.
    static func editing<Result>(
        _ path: String, _ arguments: ParsedArguments, _ console: Console,
        _ body: (DocumentEditor) async throws -> Result
    ) async throws -> Result {
        let path = try DocumentArgument.path(path)
        let isDryRun = arguments.has(OptionSpecification.dryRun)
        let model = try FittingModel.choice(arguments.value("--model"))
        if isDryRun { try EditingCheck.check(path, fitting: model) }
        let document = try await DocumentOpening.open(
            URL(fileURLWithPath: path), mode: isDryRun ? .reading : .editing, fitting: model)
        console.reportOutsideCommits(of: document, path)
        console.reportMissingParts(document.store.missingParts, path)
        // The command saves once and never undoes, so no undo information is needed.
        document.context.undoManager = nil
        do {
            let result = try await body(DocumentEditor(document: document, isDryRun: isDryRun, console: console))
            // Uncommitted changes are discarded. The save has succeeded, and the next opening
            // completes work that fails here.
            do { try await document.close(.discard) } catch { console.reportUnfinished(error) }
            return result
        } catch {
            // A save of an archive that failed or was interrupted may have autosaved its changes,
            // which must be discarded.
            await console.interruption.clearingUp {
                do { try await document.close(discardingUnsavedWork: true) } catch { console.reportKept(path) }
            }
            throw error
        }
    }

    /// Whether changes can be written in pieces before they are saved, so that memory does not
    /// limit their size.
    var takesPieces: Bool { !isDryRun && document.pieces.isSupported }

    /// Rolls back the pieces that have been written and not saved.
    func abandonPieces() {
        if !isDryRun { document.pieces.abandon() }
    }

    /// Saves; with `--dry-run` only validates the changes.
    /// - Returns: Whether the document was saved.
    func commit() async throws -> Bool {
        if isDryRun {
            // Prepares a save, which validates the changes, and cancels it before anything is
            // written.
            if let prepared = try context.saving.prepare() { _ = context.saving.fail(prepared, CancellationError()) }
            try context.saving.checkUniqueness()
            return false
        }
        try await console.interruption.committing { try await document.save() }
        console.hasWritten = true
        if let problem = document.postCommitError { console.reportUnfinished(problem) }
        return true
    }
}
