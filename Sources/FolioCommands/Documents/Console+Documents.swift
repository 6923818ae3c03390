import Folio
import Foundation
import Synchronization

extension Console {
    /// What a command that has done its work could not do after it.
    func reportUnfinished(_ error: any Error) {
        say("note: done, but what follows was left undone, and the next opening does it: \(Printable.line("\(error)"))")
    }

    /// That a save which failed left what it was to save as autosaved work, where it did: its
    /// clean-up failed as well.
    func reportKept(_ path: String) {
        guard (try? DocumentInfo(of: URL(fileURLWithPath: path), countsObjects: false).hasUnsavedChanges) == true else {
            return
        }
        say(
            "note: what was to be saved is kept as autosaved work: folio recover \(Printable.line(path)) --keep saves it, --discard drops it"
        )
    }

    /// That other programs have committed in a document's journal, where they have.
    func reportOutsideCommits(of document: PersistentDocument) {
        reportOutsideCommits(document.outsideCommits, document.url.path)
    }

    /// The same of a document that a command works on without opening it here, before it does.
    func reportOutsideCommits(at path: String) {
        // What can't be read is told by the work itself.
        guard let count = try? DocumentInfo.outsideCommits(of: URL(fileURLWithPath: path)) else { return }
        reportOutsideCommits(count, ResolvedPath(path).text)
    }

    func reportOutsideCommits(_ count: Int, _ path: String) {
        guard count > 0 else { return }
        let commits = count == 1 ? "a commit of another program" : "\(count) commits of other programs"
        say(
            "note: the journal of \(Printable.line(path)) has \(commits), which no save of the document made; what they changed is part of it"
        )
    }
}

/// Collects what operations leave undone after their commit, for telling it when they are done.
final class UnfinishedNotes: Sendable {
    private let errors = Mutex<[any Error]>([])

    func add(_ error: any Error) { errors.withLock { $0.append(error) } }

    func say(to console: Console) { for error in errors.withLock({ $0 }) { console.reportUnfinished(error) } }
}
