internal import Synchronization

/// A position in the edit history of a context. Equal positions mean equal content: comparing the
/// current position with that of the last save tells whether a document has unsaved edits.
package struct EditPosition: Sendable, Hashable {
    /// The position of the undo manager. No two positions have the same number.
    var undo: UInt64 = 0
    /// A number that changes with each edit that is not recorded for undo.
    var unrecorded: UInt64 = 0

    private static let last = Atomic<UInt64>(0)

    static func fresh() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
