public import DocumentFiles
public import Foundation

/// A change by another program of a document that is open here.
public enum OutsideChange: Sendable, Equatable {
    /// The document was moved or renamed. It stays open at the new location, with its lock.
    case moved(to: URL)
    /// The document was replaced while there were no unsaved changes here. Objects have the new
    /// values at their next use.
    case reloaded
    /// The document was replaced while there are unsaved changes here. Saves fail until
    /// ``PersistentDocument/resolveConflict(_:)`` was called.
    case conflict
    /// The document was replaced while there were unsaved changes here, and
    /// ``PersistentDocument/conflictResolution()`` has resolved the conflict.
    case resolved(ResolvedConflict)
    /// The document was deleted, or moved to the trash. Its content is still open and can be
    /// written to another location with `save(as:)`.
    case deleted
    /// The document was moved or replaced, and the new location or state can't be read. It is
    /// unchanged here, and saves fail.
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
