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
