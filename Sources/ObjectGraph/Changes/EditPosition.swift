internal import Synchronization

/// Where a context's edits stand, to be compared with where they stood when the document was saved:
/// equal positions have equal content.
package struct EditPosition: Sendable, Hashable {
    /// The position of the undo manager; every position has another number.
    var undo: UInt64 = 0
    /// Another number after each change that undo does not know of.
    var unrecorded: UInt64 = 0

    private static let last = Atomic<UInt64>(0)

    static func fresh() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
