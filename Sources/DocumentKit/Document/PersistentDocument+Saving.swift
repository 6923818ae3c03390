internal import DocumentFiles
public import Foundation
public import ObjectGraph

extension PersistentDocument {
    /// Saves: validates, commits everything in one step, and makes it the document's state on the
    /// disk. Does nothing where nothing is unsaved.
    ///
    /// ```swift
    /// try await document.save()
    /// ```
    /// What is to be written is taken when the save begins; the writing is done off the caller, who
    /// may go on editing: changes that are made meanwhile stay unsaved. A save that is called while
    /// another one runs begins when that has ended. When it returns, the save survives a power cut.
    /// When it throws, the document on the disk is as it was, and the changes are still there to be
    /// saved.
    /// - Parameter progress: Told how far the save has come. Cancelling it, or the task, before the
    ///   commit ends the save with `CancellationError`.
    /// - Throws: `ValidationError` with every violated rule, `GraphError` for conflicts;
    ///   `DocumentError` naming the stage and the cause, `changed` where another program has moved,
    ///   replaced or deleted the document.
    public func save(progress: Progress?) async throws {
        try await opened.exclusively { try await WorkProgress.with(progress) { try await saver.save() } }
    }

    /// Saves without telling how far it has come: ``save(progress:)``.
    public func save() async throws { try await save(progress: nil) }

    /// Keeps the changes safe from crashes and power cuts, without saving them: the next opening
    /// finds them, `revert()` gives them up. Costs a few kilobytes and a millisecond or so whatever
    /// the document's size. An invalid state is legal here: unique values that two objects have are
    /// kept apart, see ``pendingUniqueValues``. Does nothing where nothing changed.
    /// - Throws: `DocumentError` with code `unsupported` for a store by itself, which has no such
    ///   level. `CancellationError` where the task was cancelled before the commit.
    public func autosave() async throws {
        try await opened.exclusively { try await saver.autosave() }
    }

    /// Whether there is anything that `save()` would save: edits since the last save, in the
    /// context or autosaved.
    ///
    /// With an undo manager this goes by its position: undoing past a save makes the document
    /// unsaved again, and undoing or redoing back to where it was saved makes it clean. Changes
    /// that undo does not know of can't be taken back.
    public var hasUnsavedChanges: Bool { opened.hasUnsavedChanges }

    /// Notes a change outside the objects that has to be saved, such as one of the application's
    /// own files.
    public func noteChange() { opened.noteChange() }

    /// Makes changes to objects that are worth no save: what is selected, where a window stands.
    ///
    /// ```swift
    /// document.makeDiscardableChanges { _ in settings["selection"] = row }
    /// ```
    /// They don't make the document unsaved and can't be undone; the next save takes them along, a
    /// close without one drops them.
    public func makeDiscardableChanges<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        opened.edits.willMakeDiscardableChange()
        return try context.withoutEditing { try body(context) }
    }

    /// Gives up everything since the last save: changes in the context and autosaved work. The
    /// latter is set aside until the next save.
    ///
    /// Objects stay; they show the saved values at their next use, and those that the last save did
    /// not have are deleted.
    public func revert() async throws { try await opened.exclusively { try earlierStates.revertToSaved() } }

    /// Closes the document and gives its lock back, after the operations that are under way.
    ///
    /// Unsaved work is treated as the policy of ``startBackgroundTasks(_:isolation:)`` says.
    /// Without one it is kept (``UnsavedWork/keep``): autosaved, so that the next opening finds it
    /// and says so by `DocumentError` `recoverable`. A document that is open for reading has
    /// nothing to keep: changes in its context are dropped.
    /// - Parameter discarding: Whether unsaved work is given up instead, autosaved work too.
    /// - Throws: As ``close(_:)``.
    public func close(discardingUnsavedWork discarding: Bool = false) async throws {
        try await close(discarding ? .discard : unsavedWorkOnClose ?? .keep)
    }

    /// Closes the document and gives its lock back, after the operations that are under way.
    /// Changes that are made while unsaved work is written are treated as it is. Does nothing where
    /// the document is closed.
    ///
    /// ```swift
    /// try await document.close(.save)
    /// ```
    /// - Throws: What saving or autosaving throws, and `DocumentError` with code `unsavedChanges`
    ///   for work that can't be kept; then the document stays open. `DocumentError` where the files
    ///   could not be closed as they should; then it is closed.
    public func close(_ work: UnsavedWork) async throws {
        try await opened.exclusively {
            guard isOpen else { return }
            switch work {
            case .save: try await closer.save()
            case .keep: try await closer.keepUnsavedWork()
            case .discard: break
            }
            try await closer.close(discarding: work == .discard)
        }
    }

    /// Reads a file of the application's own as it was last saved; nil where there is none.
    /// - Throws: `DocumentError`.
    public func extraFile(_ path: String) async throws -> Data? {
        try await opened.performInBackground { try $0.part(path, in: PackageLayout.extra) }
    }

    /// Reads a preview of the document as it was last saved; nil where there is none.
    /// - Throws: `DocumentError`.
    public func previewFile(_ path: String) async throws -> Data? {
        try await opened.performInBackground { try $0.part(path, in: PackageLayout.preview) }
    }
}
