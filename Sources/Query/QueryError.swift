/// An error in a predicate, a sort order or a fetch request, found when it is parsed, validated or
/// executed.
///
/// ```swift
/// do { request.predicate = try FetchPredicate(format: text) } catch {
///     print(error.message, error.markedText ?? "", separator: "\n")
/// }
/// ```
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a query error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case syntax, unknownKey, type, unsupported, unboundVariable, argument, limit
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }
        /// The text can't be parsed; `offset` and `expected` tell where, and what was expected
        /// there.
        public static let syntax = Code(.syntax)
        /// An entity has no property with this name.
        public static let unknownKey = Code(.unknownKey)
        /// Values have types that can't be compared or computed with.
        public static let type = Code(.type)
        /// The query is valid, but can be executed neither by the store nor in memory.
        public static let unsupported = Code(.unsupported)
        /// A variable has no value.
        public static let unboundVariable = Code(.unboundVariable)
        /// The arguments are too few for the placeholders of a format, or of the wrong type.
        public static let argument = Code(.argument)
        /// A limit was exceeded: a predicate is nested too deep, a MATCHES pattern is too long or
        /// takes too long, or a path goes through too many to-many relationships or leads to too
        /// many objects.
        public static let limit = Code(.limit)

        /// The name of the code, such as `syntax`.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// A description for people.
    public var message: String
    /// The text of the predicate; nil if the error is not about text.
    public var text: String?
    /// The position of the error in ``text``, in characters.
    public var offset: Int?
    /// What the parser expected at the position.
    public var expected: String?
    /// The name of the entity that the error concerns.
    public var entity: String?
    /// The name of the property that the error concerns.
    public var key: String?
    /// Existing names similar to the unknown one, the most similar first.
    public var suggestions: [String]

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, text: String? = nil, offset: Int? = nil, expected: String? = nil,
        entity: String? = nil, key: String? = nil,
        suggestions: [String] = []
    ) {
        self.code = code
        self.message = message
        self.text = text
        self.offset = offset
        self.expected = expected
        self.entity = entity
        self.key = key
        self.suggestions = suggestions
    }

    public var description: String { message }
}
