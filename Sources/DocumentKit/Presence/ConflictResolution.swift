public import Merging
public import DocumentFiles
public import Foundation
public import ObjectGraph
import Schema

/// The resolution of a conflict: another program has replaced the document while there are unsaved
/// changes here. The saved state of the other program is never overwritten.
///
/// In a package, the state that is open here, including unsaved changes, is first kept as a version
/// with the reason ``DocumentVersion/Reason/conflict``, so no resolution loses data. Archives and
/// bare stores don't keep such a version: there, `takeTheirs` discards the changes for good.
public enum ConflictResolution: Sendable, Hashable {
    /// The state that is open here is written to another location, even if it is not valid, and the
    /// document shows the other state. Nil for an unused name beside the document.
    case keepMineAsCopy(at: URL?)
    /// The changes made here are discarded.
    case takeTheirs
    /// The changes made here since the last save are applied to the other state, as unsaved
    /// changes. Properties that only one side has changed get that value, and to-many relationships
    /// are merged as additions and removals. If both sides have changed a property, or one side has
    /// deleted what the other has changed, the policy decides; with `error`, nothing is done.
    case merge(MergePolicyType)
}

/// The result of resolving a conflict.
public struct ResolvedConflict: Sendable {
    /// The location of the copy of the state that was open here, if one was written.
    public var copy: URL?
    /// The version that keeps the state that was open here, if the document keeps versions.
    public var version: DocumentVersion?
    /// The changes of both sides that contradicted each other, which the policy of a merge has
    /// decided, by entity and primary key.
    public var clashes: [ConflictClash] = []
    /// The reason why changes could not be merged as ``PersistentDocument/conflictResolution()``
    /// requested. The document shows the other state, and the changes are kept in ``version`` or
    /// ``copy``.
    public var failure: DocumentError?
}
