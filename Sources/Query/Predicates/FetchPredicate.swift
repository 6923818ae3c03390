public import Schema

/// A condition on objects, as a tree.
///
/// Made from text (`try FetchPredicate(format: "author.name BEGINSWITH[c] %@ AND year > 1960",
/// "h")`) or built from its cases. The same tree is run by stores and in memory, with the same
/// result: `NOT p` is exactly the complement of `p`, and a nil is different from every value.
public indirect enum FetchPredicate: Sendable, Hashable {
    /// TRUEPREDICATE and FALSEPREDICATE.
    case constant(Bool)
    case not(FetchPredicate)
    case and([FetchPredicate])
    case or([FetchPredicate])
    case comparison(Comparison)
}

/// A comparison of two expressions.
public struct Comparison: Sendable, Hashable {
    public enum Operator: Sendable, Hashable, CaseIterable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
        case between, `in`, contains, beginsWith, endsWith, like, matches
        /// SEARCH: whether texts hold words, phrases and beginnings of words, whatever their case
        /// and accents.
        ///
        /// `title SEARCH "desert planet"`, `{title, summary} SEARCH "dune* -film"`; an object on
        /// the left (SELF, a relationship) stands for all its attributes that the model chooses for
        /// full text (``AttributeDescription/isFullTextIndexed``). A string that is no constant, or
        /// an attribute that is not chosen, can be searched too: it is read through. What the right
        /// side, a constant, may say: `word`, `"a phrase"`, `begin*`, `-unwanted`, `OR`.
        case search
    }

    /// How a left side with many values is meant. NONE is `.not` of `.any`, SOME is `.any`.
    public enum Modifier: Sendable, Hashable {
        case direct, any, all
    }

    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// `[c]`
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: text that is known to be folded already; overrides c and d.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`
        public static let localeSensitive = Options(rawValue: 8)
    }

    public var left: QueryExpression
    public var `operator`: Operator
    public var right: QueryExpression
    public var modifier: Modifier
    public var options: Options

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

/// Something in a predicate, a computed column or a mapping that has a value.
public indirect enum QueryExpression: Sendable, Hashable {
    /// How an element of a collection is named: `e[2]`, `e[FIRST]`, `e[LAST]`, `e[SIZE]`,
    /// `e['key']`.
    public enum Index: Sendable, Hashable {
        case at(QueryExpression)
        case first, last, size
    }

    case constant(PropertyValue)
    /// The object itself, SELF.
    case evaluatedObject
    /// `a.b.@count`: components are property names and `@` operators. Begins at SELF, or at `base`.
    case keyPath(base: QueryExpression?, components: [String])
    /// `$NAME`, replaced before the predicate is run or bound by a subquery.
    case variable(String)
    /// `{a, b}`
    case aggregate([QueryExpression])
    /// A function by its plain name, such as `add:to:` for `+`, `lowercase:`, `now`, `count:`.
    case function(String, [QueryExpression])
    /// `FUNCTION(target, 'selector:', …)`
    case call(target: QueryExpression, selector: String, arguments: [QueryExpression])
    /// `SUBQUERY(collection, $variable, predicate)`
    case subquery(collection: QueryExpression, variable: String, predicate: FetchPredicate)
    /// `TERNARY(condition, then, else)`
    case conditional(FetchPredicate, QueryExpression, QueryExpression)
    /// `CAST(e, 'NSDate')`
    case cast(QueryExpression, String)
    case element(of: QueryExpression, Index)

    /// A key path in dotted text.
    public static func keyPath(_ text: String) -> QueryExpression {
        .keyPath(base: nil, components: text.split(separator: ".").map(String.init))
    }
}
