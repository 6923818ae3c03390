/// Why a predicate, a sort order or a request can't be understood or run.
public struct QueryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a stable word.
    public struct Code: Sendable, Hashable {
        private enum Reason: Sendable { case syntax, unknownKey, type, unsupported, unboundVariable, argument, limit }
        private let reason: Reason
        private init(_ reason: Reason) { self.reason = reason }
        /// The text does not parse; `offset` and `expected` say where and what was expected.
        public static let syntax = Code(.syntax)
        /// An entity has no such property.
        public static let unknownKey = Code(.unknownKey)
        /// Values that can't be compared or computed with.
        public static let type = Code(.type)
        /// Understood, but neither the store nor memory can run it.
        public static let unsupported = Code(.unsupported)
        public static let unboundVariable = Code(.unboundVariable)
        /// Too few or unsuitable arguments for the placeholders of a format.
        public static let argument = Code(.argument)
        /// A pattern of MATCHES that would take too long on a text.
        public static let limit = Code(.limit)
    }

    public var code: Code
    public var message: String
    /// The predicate text, where there was one.
    public var text: String?
    /// Where in `text`, in characters.
    public var offset: Int?
    /// What could have stood there.
    public var expected: String?
    /// An entity and key that were meant, for messages and suggestions.
    public var entity: String?
    public var key: String?
    /// Known names that are close to the one that is not known, nearest first.
    public var suggestions: [String]

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
