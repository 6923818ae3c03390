internal import Foundation
internal import ObjectGraph

/// Which edits of an open document are saved and which are autosaved. It changes by the events that
/// its methods name, and in no other way.
///
/// Edits are known by the context's `editPosition`, which undo and redo move back and forth.
struct EditStatus {
    /// Where the edits stood at the last save and at the last commit of either kind; nil where that
    /// was in another session.
    private var savedPosition: EditPosition?
    private var committedPosition: EditPosition?
    /// Where the edits stood when the background looked last.
    private var lookedAtPosition: EditPosition?
    /// Whether there are changes outside the objects that a save has to write.
    private(set) var hasNotedChanges = false
    /// Deletions that autosaves have committed though they are denied.
    private(set) var deniedDeletions: [DeniedDeletion] = []
    /// How many changes were made that are worth no save.
    private(set) var discardableChangeCount = 0
    /// The autosaved work that the session began with; nil once it is saved or given up.
    private(set) var recovered: SessionState.RecoveredWork?

    /// What a save writes. Whatever is edited after it began is left to the next one.
    struct Save {
        fileprivate let position: EditPosition?
        fileprivate let hasNotedChanges: Bool
        fileprivate let discardableChangeCount: Int
    }

    /// Whether edits that stand at `position` have to be saved; nil for edits in the middle of an
    /// event.
    func isUnsaved(at position: EditPosition?) -> Bool {
        guard let position else { return true }
        return position != savedPosition || hasNotedChanges
    }

    /// Whether the last save or autosave has written the edits that stand at `position`.
    func isCommitted(at position: EditPosition?) -> Bool { position == committedPosition }

    // MARK: Edits

    mutating func didNoteChange() { hasNotedChanges = true }

    mutating func willMakeDiscardableChange() { discardableChangeCount += 1 }

    /// Whether the edits stood elsewhere when the background looked last.
    func isEditedSinceLook(at position: EditPosition?) -> Bool { position == nil || position != lookedAtPosition }

    mutating func didLook(at position: EditPosition?) { lookedAtPosition = position }

    // MARK: Reading

    /// The objects are as the session's files are: nothing is unsaved but the autosaved work in
    /// these.
    mutating func didRead(_ state: SessionState, at position: EditPosition?) {
        hasNotedChanges = false
        discardableChangeCount = 0
        deniedDeletions = state.deniedDeletions
        recovered = state.recoveredWork
        committedPosition = position
        savedPosition = state.hasAutosavedWork ? nil : position
    }

    /// The document, which was open for reading, is open for editing, with the edits that were made
    /// before.
    mutating func didBeginEditing(_ state: SessionState, with earlier: EditStatus) {
        savedPosition = state.hasAutosavedWork ? nil : earlier.savedPosition
        committedPosition = earlier.committedPosition
    }

    mutating func didClose() { recovered = nil }

    // MARK: Saving

    /// The context has nothing to write, and nothing else is unsaved.
    mutating func didFindNothingToSave(at position: EditPosition?) {
        savedPosition = position
        committedPosition = position
    }

    /// Takes what a save is to write, whose objects were captured at `position`.
    mutating func beginSave(at position: EditPosition?) -> Save {
        defer { hasNotedChanges = false }
        return Save(
            position: position, hasNotedChanges: hasNotedChanges, discardableChangeCount: discardableChangeCount)
    }

    /// What the save is to write is committed as autosaved work.
    mutating func didStage(_ save: Save) { committedPosition = save.position }

    /// - Parameter isPartial: Whether files of the application are to be captured and written
    ///   again.
    mutating func didSave(_ save: Save, isPartial: Bool = false) {
        if isPartial { hasNotedChanges = true }
        discardableChangeCount -= save.discardableChangeCount
        deniedDeletions = []
        savedPosition = save.position
        committedPosition = save.position
        recovered = nil
    }

    mutating func didFail(_ save: Save) { hasNotedChanges = hasNotedChanges || save.hasNotedChanges }

    /// - Parameter denied: All deletions that are committed though they are denied.
    mutating func didAutosave(at position: EditPosition?, denied: [DeniedDeletion]) {
        deniedDeletions = denied
        committedPosition = position
    }
}
