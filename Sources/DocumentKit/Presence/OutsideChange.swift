public import Foundation

/// What another program did to a document that is open here, and what was done about it.
public enum OutsideChange: Sendable, Equatable {
    /// It was moved or renamed. The document goes on there; its lock moved along.
    case moved(to: URL)
    /// Another state took its place while nothing was unsaved here. It was read: objects show it at their next use.
    case reloaded
    /// Another state took its place while there are unsaved edits here. Nothing was done: saves fail until ``PersistentDocument/resolveConflict(_:)`` was called.
    case conflict
    /// It was deleted, or thrown into the trash. What is open is still there; it can be written to another place with `save(as:)`.
    case deleted
    /// It could not be followed, or what came to its place could not be read. The document is as it was; saves fail.
    case unreadable(DocumentError)

    public static func == (first: OutsideChange, second: OutsideChange) -> Bool {
        switch (first, second) {
        case (.moved(let first), .moved(let second)): first.path == second.path
        case (.reloaded, .reloaded), (.conflict, .conflict), (.deleted, .deleted): true
        case (.unreadable(let first), .unreadable(let second)): first.code == second.code && first.path == second.path
        default: false
        }
    }
}

/// What becomes of unsaved edits when another program has put another state in the document's place. Neither is ever overwritten.
public enum ConflictResolution: Sendable, Hashable {
    /// What is open here is written to a place of its own, then the document shows the other state. Nil for a free name beside the document.
    case keepMineAsCopy(at: URL?)
    /// The edits here are given up.
    case takeTheirs
}
