public import DocumentFiles
public import Foundation
public import ObjectGraph
public import Schema

/// What becomes of unsaved edits when another program has put another state in the document's
/// place. Neither is ever overwritten.
///
/// Where the document is a package, what is open here becomes one of its versions first, unsaved
/// edits included (reason ``DocumentVersion/Reason/conflict``), so that nothing is lost by any
/// choice. An archive and a store by itself keep no such version: there `takeTheirs` gives the
/// edits up for good.
public enum ConflictResolution: Sendable, Hashable {
    /// What is open here is written to a place of its own, valid or not, then the document shows
    /// the other state. Nil for a free name beside the document.
    case keepMineAsCopy(at: URL?)
    /// The edits here are given up.
    case takeTheirs
    /// The edits since the last save here are made once more on the other state, and are unsaved
    /// edits then. Property by property: what only one side has changed stands, members of to-many
    /// relationships come and go as on both sides, and where both have changed one property, or one
    /// has deleted what the other has changed, the policy decides. With `error` nothing is done
    /// where anything clashes.
    case merge(MergePolicyType)
}

/// How a conflict was settled.
public struct ResolvedConflict: Sendable {
    /// Where the copy of what was open here is, if one was made.
    public var copy: URL?
    /// The version that keeps what was open here, where the document keeps versions.
    public var version: DocumentVersion?
    /// What both sides had changed, each in its own way, and the policy of a merge has decided:
    /// objects by entity and number.
    public var clashes: [ConflictClash] = []
    /// Why the edits of a merge that ``PersistentDocument/conflictResolution()`` asked for could
    /// not be made on the other state, which the document shows now. They are kept in ``version``
    /// or ``copy``.
    public var failure: DocumentError?
}

/// What two sides have changed, each in its own way, since the state that both came from.
public struct ConflictClash: Sendable {
    /// `Entity/p7`
    public var object: String
    /// Nil where one side has deleted the object.
    public var property: String?
    /// The value of the state that both came from, and those of the two sides; `.null` where the
    /// side has no such object.
    public var saved = PropertyValue.null
    public var mine = PropertyValue.null
    public var theirs = PropertyValue.null
    /// Whether the edit here stands.
    public var isMineKept: Bool
}
