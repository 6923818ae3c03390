/// Tracks the position of a context's edits across changes of the undo manager.
struct EditHistory {
    /// The position of the last commit, to which rollback returns.
    var committed = EditPosition()
    /// The position while the undo manager is at `attached`, or while there is none.
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
