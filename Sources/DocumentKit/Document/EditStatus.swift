internal import Foundation
internal import ObjectGraph

/// Tracks which edits of an open document are saved and which are autosaved. Only the events that
/// its methods name change it.
///
/// Edits are identified by the context's edit position, which undo and redo move back and forth.
struct EditStatus {
    /// The edit positions of the last save and of the last commit of either kind; nil if that
    /// happened in another session.
    private var savedPosition: EditPosition?
    private var committedPosition: EditPosition?
    /// The edit position at the last check by the background saver.
    private var lookedAtPosition: EditPosition?
    /// Whether there are changes outside the objects that a save has to write.
    private(set) var hasNotedChanges = false
    /// Denied deletions that were committed by autosaves, which do not validate.
    private(set) var deniedDeletions: [DeniedDeletion] = []
    /// The number of discardable changes that no save has written.
    private(set) var discardableChangeCount = 0
    /// The autosaved work that was recovered when the session began; nil once it is saved or
    /// discarded.
    private(set) var recovered: SessionState.RecoveredWork?

    /// The state that one save writes. Later edits belong to the next save.
    struct Save {
        fileprivate let position: EditPosition?
        fileprivate let hasNotedChanges: Bool
        fileprivate let discardableChangeCount: Int
    }

    /// Whether edits at `position` have to be saved. True for nil, which is a position in the
    /// middle of an event.
    func isUnsaved(at position: EditPosition?) -> Bool {
        guard let position else { return true }
        return position != savedPosition || hasNotedChanges
    }

    /// Whether the last save or autosave has written the edits at `position`.
    func isCommitted(at position: EditPosition?) -> Bool { position == committedPosition }

    // MARK: Edits

    mutating func didNoteChange() { hasNotedChanges = true }

    mutating func willMakeDiscardableChange() { discardableChangeCount += 1 }

    /// Whether the edit position has changed since the last check by the background saver.
    func isEditedSinceLook(at position: EditPosition?) -> Bool { position == nil || position != lookedAtPosition }

    mutating func didLook(at position: EditPosition?) { lookedAtPosition = position }

    // MARK: Reading

    /// Resets the status after the objects were read from the session's files. Only autosaved work
    /// in the files is unsaved then.
    mutating func didRead(_ state: SessionState, at position: EditPosition?) {
        hasNotedChanges = false
        discardableChangeCount = 0
        deniedDeletions = state.deniedDeletions
        recovered = state.recoveredWork
        committedPosition = position
        savedPosition = state.hasAutosavedWork ? nil : position
    }

    /// Called when a document that was open for reading is open for editing. Edits made before are
    /// preserved.
    mutating func didBeginEditing(_ state: SessionState, with earlier: EditStatus) {
        savedPosition = state.hasAutosavedWork ? nil : earlier.savedPosition
        committedPosition = earlier.committedPosition
    }

    mutating func didClose() { recovered = nil }

    // MARK: Saving

    /// Called when neither the context nor anything else has unsaved changes.
    mutating func didFindNothingToSave(at position: EditPosition?) {
        savedPosition = position
        committedPosition = position
    }

    /// Starts a save of the objects that were captured at `position`.
    mutating func beginSave(at position: EditPosition?) -> Save {
        defer { hasNotedChanges = false }
        return Save(
            position: position, hasNotedChanges: hasNotedChanges, discardableChangeCount: discardableChangeCount)
    }

    /// Called when the changes of the save are committed as autosaved work.
    mutating func didStage(_ save: Save) { committedPosition = save.position }

    /// - Parameter isPartial: Whether files of the application could not be written, so that the
    ///   next save has to capture and write them again.
    mutating func didSave(_ save: Save, isPartial: Bool = false) {
        if isPartial { hasNotedChanges = true }
        discardableChangeCount -= save.discardableChangeCount
        deniedDeletions = []
        savedPosition = save.position
        committedPosition = save.position
        recovered = nil
    }

    mutating func didFail(_ save: Save) { hasNotedChanges = hasNotedChanges || save.hasNotedChanges }

    /// - Parameter denied: All denied deletions that are committed.
    mutating func didAutosave(at position: EditPosition?, denied: [DeniedDeletion]) {
        deniedDeletions = denied
        committedPosition = position
    }
}
