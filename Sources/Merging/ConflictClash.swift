import DocumentFiles
import Foundation
import ObjectGraph
public import Schema

/// Contradicting changes by two sides since their common state.
public struct ConflictClash: Sendable {
    /// The object as `Entity/p7`.
    public var object: String
    /// The name of the property; nil if one side has deleted the object.
    public var property: String?
    /// The value in the common state; `.null` if there was no such object.
    public var saved = PropertyValue.null
    /// The value of this side; `.null` if it has no such object.
    public var mine = PropertyValue.null
    /// The value of the other side; `.null` if it has no such object.
    public var theirs = PropertyValue.null
    /// Whether the change made here was kept.
    public var isMineKept: Bool
}
