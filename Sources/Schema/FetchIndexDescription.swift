/// An index that a model declares.
///
/// ```swift
/// FetchIndexDescription(
///     "byTitle", elements: [.init(propertyName: "title"), .init(propertyName: "year", isAscending: false)])
/// ```
public struct FetchIndexDescription: Sendable, Hashable {
    /// The kind of an index. The raw values are those of compiled models.
    ///
    /// SQLite stores create an ordinary index for either kind. Stores that Folio creates have an
    /// R-tree in addition if all elements are `rTree` and are numbers or dates.
    public enum Kind: Int, Sendable, Hashable {
        /// An ordinary (B-tree) index.
        case binary = 0
        /// An index for range queries over several numbers or dates.
        case rTree = 1
    }

    /// One element of an index: the name of a property, or the format text of an expression.
    public struct Element: Sendable, Hashable {
        /// The name of the property; nil if the element is an expression.
        public var propertyName: String?
        /// The format text of the expression; nil if the element is a property.
        public var expression: String?
        /// The kind of the element.
        public var kind: Kind
        /// Whether the index sorts values in ascending order.
        public var isAscending: Bool
        /// Markup of the model file that Folio does not interpret, kept so that it can be written
        /// back.
        public var extraMarkup: [String: String]

        /// Creates an element; give it either a property's name or an expression.
        public init(
            propertyName: String?, expression: String? = nil, kind: Kind = .binary, isAscending: Bool = true,
            extraMarkup: [String: String] = [:]
        ) {
            self.propertyName = propertyName
            self.expression = expression
            self.kind = kind
            self.isAscending = isAscending
            self.extraMarkup = extraMarkup
        }
    }

    /// The name of the index, unique in its entity.
    public var name: String
    /// The elements of the index, in order.
    public var elements: [Element]
    /// The format text of a predicate that limits the index to some rows; nil for all rows.
    public var partialIndexPredicate: String?

    /// Creates a description of an index.
    public init(_ name: String, elements: [Element], partialIndexPredicate: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
    }
}

/// A named group of attributes that a composite attribute consists of.
///
/// ```swift
/// CompositeDescription("Position", attributes: [.init("latitude", .double), .init("longitude", .double)])
/// AttributeDescription("position", .composite, compositeName: "Position")
/// ```
public struct CompositeDescription: Sendable, Hashable {
    /// The name by which composite attributes refer to the group.
    public var name: String
    /// The attributes of the group. Composites may be nested up to 16 deep.
    public var attributes: [AttributeDescription]

    /// Creates a description of a composite.
    public init(_ name: String, attributes: [AttributeDescription]) {
        self.name = name
        self.attributes = attributes
    }
}
