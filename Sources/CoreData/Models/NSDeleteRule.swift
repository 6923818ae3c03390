/// What deleting an object does to those at the other end. The raw values are those of models.
public enum NSDeleteRule: UInt, Sendable, Hashable {
    /// Nothing.
    case noActionDeleteRule = 0
    /// They lead to nothing any more.
    case nullifyDeleteRule
    /// They are deleted, too.
    case cascadeDeleteRule
    /// The object can't be deleted while there are any.
    case denyDeleteRule
}
