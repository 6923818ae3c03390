/// A key of a sort order. Nil sorts before all values, in stores and in memory.
///
/// ```swift
/// request.sortDescriptors = [SortKey("author.name", collation: .localized), SortKey("year", ascending: false)]
/// ```
public struct SortKey: Sendable, Hashable {
    /// The comparison of strings. Values of other types are compared by value.
    public enum Collation: Sendable, Hashable {
        /// By Unicode code units.
        case binary
        /// By Unicode code units, without regard to case.
        case caseInsensitive
        /// By the rules of the current locale.
        case localized
        /// By the rules of the current locale, without regard to case.
        case localizedCaseInsensitive
        /// As file managers sort: by the rules of the locale, with numbers compared by their value.
        case localizedStandard
    }

    /// Names of properties separated by dots; all but the last are to-one relationships. `objectID`
    /// refers to the object itself unless its entity has a property with that name; see
    /// ``objectID``.
    public var keyPath: String
    /// Whether small values come first.
    public var isAscending: Bool
    /// The comparison of strings.
    public var collation: Collation
    /// The search query by whose relevance objects are sorted; nil for a key that sorts by values.
    /// See ``relevance(to:in:ascending:)``.
    public internal(set) var relevanceQuery: String?
    /// Whether the order is that of the objects themselves; see ``objectID``.
    package internal(set) var ordersObjects = false

    /// Creates a sort key.
    public init(_ keyPath: String, ascending: Bool = true, collation: Collation = .binary) {
        self.keyPath = keyPath
        isAscending = ascending
        self.collation = collation
    }
}
