internal import DocumentFiles
public import Foundation
public import ObjectGraph

extension PersistentDocument {
    /// Saves the document: validates all changes, commits them in one transaction, and makes them
    /// its saved state. Does nothing without unsaved changes.
    ///
    /// ```swift
    /// try await document.save()
    /// ```
    /// The values to write are taken when the save begins. They are written outside of the caller's
    /// isolation domain, which may continue to edit; changes made meanwhile stay unsaved. If
    /// another save is in progress, this one begins after it. When the method returns, the save
    /// survives a power failure. If it throws, the document on disk is unchanged, and the changes
    /// are still unsaved.
    ///
    /// - Parameter progress: Receives the progress. Cancelling it, or the task, before the commit
    ///   ends the save with `CancellationError`.
    /// - Throws: `ValidationError` with all validation failures; `GraphError` for conflicts;
    ///   `DocumentError` with the stage and the cause, with code `changed` if another program has
    ///   moved, replaced or deleted the document.
    public func save(progress: Progress?) async throws {
        try await opened.exclusively { try await WorkProgress.with(progress) { try await operations.saver.save() } }
    }

    /// Saves the document without reporting progress; see ``save(progress:)``.
    public func save() async throws { try await save(progress: nil) }

    /// Protects unsaved changes against crashes and power failures without saving them: the next
    /// opening recovers them, and ``revert()`` discards them. Does nothing without changes.
    ///
    /// It takes about a millisecond and a few kilobytes, regardless of the size of the document.
    /// Changes need not be valid: values that violate a uniqueness constraint are kept separately,
    /// see ``pendingUniqueValues``.
    ///
    /// - Throws: `DocumentError` with code `unsupported` for a bare store, which can't be
    ///   autosaved; `CancellationError` if the task was cancelled before the commit.
    public func autosave() async throws {
        try await opened.exclusively { try await operations.saver.autosave() }
    }

    /// Whether there are changes since the last save, in the context or autosaved.
    ///
    /// With an undo manager, its position decides: undoing beyond the last save makes the document
    /// unsaved again, and undoing or redoing to the saved state makes it clean. Changes that undo
    /// does not record can't become clean this way.
    public var hasUnsavedChanges: Bool { opened.hasUnsavedChanges }

    /// Marks the document as changed by something other than its objects, such as a file of the
    /// application.
    public func noteChange() { opened.noteChange() }

    /// Changes objects without marking the document as changed, for example to store a selection or
    /// the position of a window.
    ///
    /// ```swift
    /// document.makeDiscardableChanges { _ in settings["selection"] = row }
    /// ```
    /// These changes can't be undone. The next save includes them; closing without a save discards
    /// them.
    public func makeDiscardableChanges<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        opened.edits.willMakeDiscardableChange()
        return try context.edits.withoutEditing { try body(context) }
    }

    /// Discards all changes since the last save, in the context and autosaved. Autosaved work is
    /// set aside until the next save.
    ///
    /// Objects are preserved; they have the saved values at their next use, and objects that the
    /// last save does not contain are deleted.
    public func revert() async throws { try await opened.exclusively { try operations.versions.revertToSaved() } }

    /// Closes the document and releases its lock, after pending operations.
    ///
    /// Unsaved work is treated by the policy of ``startBackgroundTasks(_:isolation:)``. Without a
    /// policy it is kept (``UnsavedWork/keep``): autosaved, so that the next opening throws
    /// `DocumentError` with code `recoverable` or recovers it. Changes in a document that is open
    /// for reading are discarded.
    ///
    /// - Parameter discarding: Whether unsaved work is discarded instead, including autosaved work.
    /// - Throws: The errors of ``close(_:)``.
    public func close(discardingUnsavedWork discarding: Bool = false) async throws {
        try await close(discarding ? .discard : unsavedWorkOnClose ?? .keep)
    }

    /// Closes the document and releases its lock, after pending operations. Changes made while
    /// unsaved work is being written are treated in the same way. Does nothing if the document is
    /// closed.
    ///
    /// ```swift
    /// try await document.close(.save)
    /// ```
    /// - Throws: Errors of saving or autosaving, and `DocumentError` with code `unsavedChanges` for
    ///   work that can't be kept; the document stays open then. `DocumentError` if files could not
    ///   be closed properly; the document is closed then.
    public func close(_ work: UnsavedWork) async throws {
        try await opened.exclusively { try await operations.closer.close(work) }
    }

    /// Reads a file of the application, as it was last saved; nil if it does not exist.
    ///
    /// - Parameter path: The path relative to `extra/`.
    /// - Throws: `DocumentError`.
    public func extraFile(_ path: String) async throws -> Data? {
        try await opened.performInBackground { try $0.part(path, in: PackageLayout.extra) }
    }

    /// Reads a preview, as it was last saved; nil if it does not exist.
    ///
    /// - Parameter path: The path relative to `preview/`.
    /// - Throws: `DocumentError`.
    public func previewFile(_ path: String) async throws -> Data? {
        try await opened.performInBackground { try $0.part(path, in: PackageLayout.preview) }
    }
}
