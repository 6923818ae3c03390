import Folio
import Foundation
import Synchronization

extension Console {
    /// Reports an error of work after the commit, such as cleanup. The command itself has
    /// succeeded.
    func reportUnfinished(_ error: any Error) {
        say("note: done, but what follows was left undone, and the next opening does it: \(Printable.line("\(error)"))")
    }

    /// Reports that a failed save has left its changes as autosaved work, if its cleanup failed,
    /// too.
    func reportKept(_ path: String) {
        guard (try? DocumentInfo(of: URL(fileURLWithPath: path), countsObjects: false).hasUnsavedChanges) == true else {
            return
        }
        say(
            "note: what was to be saved is kept as autosaved work: folio recover \(Printable.line(ShellWord.quoted(path))) --keep saves it, --discard drops it"
        )
    }

    /// Reports commits of other programs in the document's WAL, if there are any.
    ///
    /// - Parameter path: The path of the document as it was typed.
    func reportOutsideCommits(of document: PersistentDocument, _ path: String) {
        reportOutsideCommits(document.outsideCommits, path)
    }

    /// The same for a document that a command uses without opening it here. Call it before that.
    func reportOutsideCommits(at path: String) {
        // The command itself reports errors of reading the document.
        guard let count = try? DocumentInfo.outsideCommits(of: URL(fileURLWithPath: path)) else { return }
        reportOutsideCommits(count, path)
    }

    /// Reports what is to be known of a state that is read.
    func reportState(of document: PersistentDocument, _ argument: DocumentArgument) {
        if document.hasAutosavedWork, argument.state == .newest {
            say("note: \(Printable.line(argument.path)) is shown with autosaved work that is not saved")
        }
        reportOutsideCommits(of: document, argument.path)
        reportMissingParts(document.store.missingParts, argument.path)
    }

    /// Reports what the store of a document lacks of its model.
    ///
    /// - Parameter path: The path of the document as it was typed.
    func reportMissingParts(_ parts: [String], _ path: String) {
        for part in parts {
            say(
                "note: \(Printable.line(path)): \(Printable.line(part)): what belongs there is not shown and can't be written"
            )
        }
    }

    func reportOutsideCommits(_ count: Int, _ path: String) {
        reportWorkOnOtherStates(path)
        guard count > 0 else { return }
        let commits = count == 1 ? "a commit of another program" : "\(count) commits of other programs"
        say(
            "note: the journal of \(Printable.line(path)) has \(commits), which no save of the document made; what they changed is part of it"
        )
    }
}

extension Console {
    /// Tells of work that is not that of the archive as it is now.
    private func reportWorkOnOtherStates(_ path: String) {
        // The command itself reports errors of reading the document.
        for folder in (try? DocumentVerifier.workOnOtherStates(of: URL(fileURLWithPath: path))) ?? [] {
            say(
                "note: work was autosaved on another state of \(Printable.line(path)), which was replaced since: it is in \(Printable.line(folder.path)); put that state back to recover it, or remove the folder"
            )
        }
    }
}

/// Collects errors of work after a commit and reports them at the end of the command.
final class UnfinishedNotes: Sendable {
    private let errors = Mutex<[any Error]>([])

    func add(_ error: any Error) { errors.withLock { $0.append(error) } }

    func say(to console: Console) { for error in errors.withLock({ $0 }) { console.reportUnfinished(error) } }
}
