/// An index that a model asks for.
public struct FetchIndexDescription: Sendable, Hashable {
    public enum Kind: Int, Sendable, Hashable {
        case binary = 0
        case rTree = 1
    }

    /// One column of an index: a property by name, or an expression as format text.
    public struct Element: Sendable, Hashable {
        public var propertyName: String?
        public var expression: String?
        public var kind: Kind
        public var isAscending: Bool
        public var extraMarkup: [String: String]

        public init(
            propertyName: String?, expression: String? = nil, kind: Kind = .binary, isAscending: Bool = true, extraMarkup: [String: String] = [:]
        ) {
            self.propertyName = propertyName
            self.expression = expression
            self.kind = kind
            self.isAscending = isAscending
            self.extraMarkup = extraMarkup
        }
    }

    public var name: String
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
    public var attributes: [AttributeDescription]

    public init(_ name: String, attributes: [AttributeDescription]) {
        self.name = name
        self.attributes = attributes
    }
}
