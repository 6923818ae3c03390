/// An index that a model asks for.
public struct FetchIndexDescription: Sendable, Hashable {
    /// How an index finds values; the raw values are those of compiled models. SQLite stores make a
    /// plain index of either; those that Folio makes have an R-tree besides where all elements are
    /// `rTree` and numbers or dates.
    public enum Kind: Int, Sendable, Hashable {
        case binary = 0
        case rTree = 1
    }

    /// One column of an index: a property by name, or an expression as format text.
    public struct Element: Sendable, Hashable {
        /// The property; nil where the element is an expression.
        public var propertyName: String?
        /// Format text; nil where the element is a property.
        public var expression: String?
        /// How values are found.
        public var kind: Kind
        /// The order in which the index holds values.
        public var isAscending: Bool
        /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
        public var extraMarkup: [String: String]

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

    public var name: String
    /// The columns, in order.
    public var elements: [Element]
    /// Format text of a predicate that limits the index to some rows.
    public var partialIndexPredicate: String?

    public init(_ name: String, elements: [Element], partialIndexPredicate: String? = nil) {
        self.name = name
        self.elements = elements
        self.partialIndexPredicate = partialIndexPredicate
    }
}

/// A named group of attributes that composite attributes take as their type.
public struct CompositeDescription: Sendable, Hashable {
    public var name: String
    /// The parts; one may be a composite again, up to 16 deep.
    public var attributes: [AttributeDescription]

    public init(_ name: String, attributes: [AttributeDescription]) {
        self.name = name
        self.attributes = attributes
    }
}
