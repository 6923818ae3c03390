public import DocumentFiles
public import Foundation

/// What another program did to a document that is open here, and what was done about it.
public enum OutsideChange: Sendable, Equatable {
    /// It was moved or renamed. The document goes on there; its lock moved along.
    case moved(to: URL)
    /// Another state took its place while nothing was unsaved here. It was read: objects show it at
    /// their next use.
    case reloaded
    /// Another state took its place while there are unsaved edits here. Nothing was done: saves
    /// fail until ``PersistentDocument/resolveConflict(_:)`` was called.
    case conflict
    /// A conflict that was settled at once, as ``PersistentDocument/conflictResolution()`` said.
    case resolved(ResolvedConflict)
    /// It was deleted, or thrown into the trash. What is open is still there; it can be written to
    /// another place with `save(as:)`.
    case deleted
    /// It could not be followed, or what came to its place could not be read. The document is as it
    /// was; saves fail.
    case unreadable(DocumentError)

    public static func == (first: OutsideChange, second: OutsideChange) -> Bool {
        switch (first, second) {
        case (.moved(let first), .moved(let second)): first.path == second.path
        case (.resolved(let first), .resolved(let second)):
            first.copy?.path == second.copy?.path && first.version == second.version
                && first.clashes.count == second.clashes.count
        case (.reloaded, .reloaded), (.conflict, .conflict), (.deleted, .deleted): true
        case (.unreadable(let first), .unreadable(let second)): first.code == second.code && first.path == second.path
        default: false
        }
    }
}
