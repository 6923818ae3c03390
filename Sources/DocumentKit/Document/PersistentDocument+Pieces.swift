internal import DocumentFiles
internal import ObjectGraph
internal import Storage

extension PersistentDocument {
    /// Whether the document's store takes a save in pieces. Those that write their file as a whole, and have it in memory, do not.
    package var takesPieces: Bool { state.isEditing && store.takesPieces }

    /// Writes the changes of the context, unchecked, as a piece of the next save: so that a save of any size takes the memory of one piece.
    ///
    /// Nothing is committed before ``save()``, which commits all pieces in one transaction, and nobody else sees any of it; this context reads it. Whoever writes pieces checks them
    /// first, and uses the document for nothing else until it is saved.
    /// - Throws: what the store throws. Then, and where the save fails, all pieces are undone, and the context shows objects that are nowhere: call ``abandonPieces()`` and close.
    package func writePiece() throws {
        try context.writeUnchecked { changes in try opened.performInline { session in try session.writePiece(changes) } }
        noteChange()
    }

    /// Undoes the pieces since the last save.
    package func abandonPieces() {
        try? opened.performInline { $0.abandonPieces() }
    }
}
