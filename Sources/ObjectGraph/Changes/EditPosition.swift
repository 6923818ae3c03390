internal import Synchronization

/// Where a context's edits stand, to be compared with where they stood when the document was saved: equal positions have equal content.
package struct EditPosition: Sendable, Hashable {
    /// The position of the undo manager; every position has another number.
    fileprivate var undo: UInt64 = 0
    /// Another number after each change that undo does not know of.
    fileprivate var unrecorded: UInt64 = 0

    private static let last = Atomic<UInt64>(0)

    static func fresh() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

/// Follows the edits of a context over undo managers that come and go.
struct EditHistory {
    /// Where the edits stood at the last commit; rollback leads there.
    var committed = EditPosition()
    /// Counts for as long as the manager stands at `attached`, or there is none.
    private var base = EditPosition()
    private var attached: UInt64 = 0

    func position(_ manager: UndoManager?) -> EditPosition {
        var position = base
        if let manager, manager.position != attached { position.undo = manager.position }
        return position
    }

    mutating func attach(_ manager: UndoManager) { attached = manager.position }

    mutating func detach(_ manager: UndoManager) { base = position(manager) }

    mutating func noteUnrecorded() { base.unrecorded = EditPosition.fresh() }

    mutating func returnToCommitted(_ manager: UndoManager?) { goBack(to: committed, manager) }

    mutating func goBack(to position: EditPosition, _ manager: UndoManager?) {
        base = position
        attached = manager?.position ?? 0
    }
}

extension ManagedObjectContext {
    /// Where the edits stand; nil while changes are pending that no event has ended yet.
    package var editPosition: EditPosition? {
        changes.hasEvent || !eventLog.isEmpty || !pendingDeletions.isEmpty || !postponedDeletions.isEmpty ? nil : edits.position(undoManager)
    }

    /// Counts a change that lies outside the objects and that undo does not know of.
    package func noteUnrecordedEdit() { edits.noteUnrecorded() }

    /// Runs `body`, whose changes to objects are no edits: they are saved with the next edit, can't be undone, and don't move the position.
    package func withoutEditing<Result>(_ body: () throws -> Result) rethrows -> Result {
        processPendingChanges()
        let history = edits
        undoManager?.disableUndoRegistration()
        defer {
            processPendingChanges()
            undoManager?.enableUndoRegistration()
            edits = history
        }
        return try body()
    }
}
