public import Schema

/// A condition on objects, represented as a tree.
///
/// ```swift
/// let recent = try FetchPredicate(format: "author.name BEGINSWITH[c] %@ AND year > %d", "h", 1960)
/// let titled = FetchPredicate.comparison(
///     ComparisonPredicate(.keyPath("title"), .equal, .constant(.string("Dune"))))
/// request.predicate = .and([recent, .not(titled)])
/// ```
/// Stores and in-memory evaluation give the same result. Comparisons are either true or false: nil
/// equals nil only, other comparisons with nil are false, and `NOT p` is exactly the complement of
/// `p`, unlike in SQL.
public indirect enum FetchPredicate: Sendable, Hashable {
    /// Always true or always false: TRUEPREDICATE, FALSEPREDICATE.
    case constant(Bool)
    /// The complement of a predicate.
    case not(FetchPredicate)
    /// True if all predicates are true; an empty array is true.
    case and([FetchPredicate])
    /// True if any of the predicates is true; an empty array is false.
    case or([FetchPredicate])
    /// A comparison of two expressions.
    case comparison(ComparisonPredicate)
}

/// A comparison of two expressions.
public struct ComparisonPredicate: Sendable, Hashable {
    /// The operator of a comparison.
    public enum Operator: Sendable, Hashable, CaseIterable {
        /// `==`: the values are equal. Nil equals nil only.
        case equal
        /// `!=`: the complement of ``equal``, so nil differs from every other value.
        case notEqual
        /// `<`; false if a side is nil.
        case less
        /// `<=`; false if a side is nil.
        case lessOrEqual
        /// `>`; false if a side is nil.
        case greater
        /// `>=`; false if a side is nil.
        case greaterOrEqual
        /// BETWEEN: the value is between the two values on the right, inclusive.
        case between
        /// IN: the value is an element of the collection on the right.
        case `in`
        /// CONTAINS: the text on the left contains the one on the right, or the collection on the
        /// left contains the value on the right.
        case contains
        /// BEGINSWITH: the text on the left begins with the one on the right.
        case beginsWith
        /// ENDSWITH: the text on the left ends with the one on the right.
        case endsWith
        /// LIKE: the whole text matches a pattern in which `*` matches any characters and `?` one
        /// character.
        case like
        /// MATCHES: the whole text matches a regular expression.
        case matches
        /// SEARCH: the text contains the words, phrases and prefixes of a query, regardless of case
        /// and accents.
        ///
        /// Examples are `title SEARCH "desert planet"` and `{title, summary} SEARCH "dune* -film"`.
        /// An object on the left (SELF or a relationship) means all its attributes with
        /// ``AttributeDescription/isFullTextIndexed``. Other strings can be searched, too, but are
        /// scanned without an index. The right side is a constant and consists of `word`,
        /// `"a phrase"`, `prefix*`, `-excluded` and `OR`.
        case search
    }

    /// The treatment of a left side with many values. NONE is represented as `.not` of `.any`, and
    /// SOME as `.any`.
    public enum Modifier: Sendable, Hashable {
        /// The left side has a single value.
        case direct
        /// True if the comparison holds for at least one value.
        case any
        /// True if the comparison holds for every value; true if there is none.
        case all
    }

    /// Options of the comparison of strings.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// `[c]`: ignores case.
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`: ignores accents and other diacritics.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings are already normalized and are compared as they are; overrides `c`
        /// and `d`.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: compares by the rules of the current locale.
        public static let localeSensitive = Options(rawValue: 8)
    }

    /// The left side.
    public var left: QueryExpression
    /// The operator.
    public var `operator`: Operator
    /// The right side.
    public var right: QueryExpression
    /// The treatment of a left side with many values.
    public var modifier: Modifier
    /// The options for comparing strings.
    public var options: Options

    /// Creates a comparison; wrap it in ``FetchPredicate/comparison(_:)`` to use it as a predicate.
    public init(
        _ left: QueryExpression, _ operator: Operator, _ right: QueryExpression, modifier: Modifier = .direct,
        options: Options = []
    ) {
        self.left = left
        self.operator = `operator`
        self.right = right
        self.modifier = modifier
        self.options = options
    }
}

/// An expression with a value, in a predicate, a computed column or a property mapping.
public indirect enum QueryExpression: Sendable, Hashable {
    /// The element of a collection that an expression selects: `e[2]`, `e[FIRST]`, `e[LAST]`,
    /// `e[SIZE]`, `e['key']`.
    public enum Index: Sendable, Hashable {
        /// The element at an index, or with a key: `e[2]`, `e['key']`.
        case at(QueryExpression)
        /// The first element: `e[FIRST]`.
        case first
        /// The last element: `e[LAST]`.
        case last
        /// The number of elements: `e[SIZE]`.
        case size
    }

    /// A constant value.
    case constant(PropertyValue)
    /// The object that the predicate is evaluated for: SELF.
    case evaluatedObject
    /// A key path such as `a.b.@count`. Its components are names of properties and `@` operators;
    /// it starts at `base`, or at SELF if that is nil.
    case keyPath(base: QueryExpression?, components: [String])
    /// A variable, `$NAME`: replaced before the predicate is executed, or bound by a subquery.
    case variable(String)
    /// A collection of expressions: `{a, b}`.
    case aggregate([QueryExpression])
    /// A call of a built-in function by name, such as `add:to:` for `+`, `lowercase:`, `now` or
    /// `count:`.
    case function(String, [QueryExpression])
    /// A function call with a target: `FUNCTION(target, 'selector:', …)`.
    case call(target: QueryExpression, selector: String, arguments: [QueryExpression])
    /// The elements of a collection that satisfy a predicate:
    /// `SUBQUERY(collection, $variable, predicate)`.
    case subquery(collection: QueryExpression, variable: String, predicate: FetchPredicate)
    /// One of two expressions, depending on a predicate: `TERNARY(condition, then, else)`.
    case conditional(FetchPredicate, QueryExpression, QueryExpression)
    /// A conversion to another type: `CAST(e, 'NSDate')`.
    case cast(QueryExpression, String)
    /// An element of a collection.
    case element(of: QueryExpression, Index)

    /// A key path from SELF, given as names separated by dots.
    public static func keyPath(_ text: String) -> QueryExpression {
        .keyPath(base: nil, components: text.split(separator: ".").map(String.init))
    }
}
