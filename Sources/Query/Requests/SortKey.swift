/// What results are ordered by. Nil sorts smallest, in every store and in memory.
public struct SortKey: Sendable, Hashable {
    /// How strings compare; anything but strings compares by value whatever this says.
    public enum Collation: Sendable, Hashable {
        /// By Unicode code units.
        case binary
        case caseInsensitive
        case localized
        case localizedCaseInsensitive
        /// As a file manager sorts: localized, digits by their value.
        case localizedStandard
    }

    /// Property names joined by dots; all but the last are to-one relationships. `objectID` stands
    /// for the object itself, unless its entity has a property of that name: see ``objectID``.
    public var keyPath: String
    public var isAscending: Bool
    public var collation: Collation
    /// Where there is one, the order is by how well the text at `keyPath` fits it; see
    /// ``relevance(to:in:ascending:)``.
    public internal(set) var relevanceQuery: String?
    /// Whether the order is that of the objects themselves; see ``objectID``.
    package internal(set) var ordersObjects = false

    public init(_ keyPath: String, ascending: Bool = true, collation: Collation = .binary) {
        self.keyPath = keyPath
        isAscending = ascending
        self.collation = collation
    }
}
