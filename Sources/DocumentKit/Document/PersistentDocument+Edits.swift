internal import DocumentFiles
public import ObjectGraph

extension PersistentDocument {
    /// Whether there is anything that `save()` would save: edits since the last save, in the context or autosaved.
    ///
    /// With an undo manager this goes by its position: undoing past a save makes the document unsaved again, and undoing or redoing back to where it was saved makes it
    /// clean. Changes that undo does not know of can't be taken back.
    public var hasUnsavedChanges: Bool { opened.hasUnsavedChanges }

    /// Notes a change outside the objects that has to be saved, such as one of the application's own files.
    public func noteChange() { opened.noteChange() }

    /// Makes changes to objects that are worth no save: what is selected, where a window stands.
    ///
    /// ```swift
    /// document.makeDiscardableChanges { _ in settings["selection"] = row }
    /// ```
    /// They don't make the document unsaved and can't be undone; the next save takes them along, a close without one drops them.
    public func makeDiscardableChanges<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        opened.edits.willMakeDiscardableChange()
        return try context.withoutEditing { try body(context) }
    }
}
