internal import DocumentFiles
internal import Storage

/// Writes the changes of an open document in pieces, so that a save of any size needs only the
/// memory of one piece.
///
/// Nothing is committed before ``PersistentDocument/save()``, which commits all pieces in one
/// transaction. Only the document's context reads the pieces before that. The caller validates each
/// piece before writing it, and uses the document for nothing else until it is saved.
package struct PieceWriter {
    let document: OpenDocument
    let saver: DocumentSaver

    /// Whether the document's store supports saves in pieces. Stores that are in memory and write
    /// their file as a whole do not.
    package var isSupported: Bool { document.state.isEditing && document.state.store.takesPieces }

    /// Writes the changes of the context, without validation, as a piece of the next save.
    /// - Throws: The errors of the store. If this or the save fails, all pieces are rolled back,
    ///   and the context shows objects that exist nowhere: call ``abandon()`` and close the
    ///   document.
    package func write() throws { try saver.writePiece() }

    /// Rolls back the pieces that were written since the last save.
    package func abandon() { try? document.performInline { $0.abandonPieces() } }
}
