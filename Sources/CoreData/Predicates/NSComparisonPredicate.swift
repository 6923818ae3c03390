public import Foundation
import Query

/// A comparison of two expressions.
///
/// Foundation has an empty class of this name on Linux. A file that imports Foundation, too, and
/// names this type rather than calling its initializers needs
/// `import class CoreData.NSComparisonPredicate`.
open class NSComparisonPredicate: NSPredicate {
    /// The operator of a comparison. The raw values are Apple's.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan = 0
        /// `<=`
        case lessThanOrEqualTo
        /// `>`
        case greaterThan
        /// `>=`
        case greaterThanOrEqualTo
        /// `==`
        case equalTo
        /// `!=`
        case notEqualTo
        /// MATCHES
        case matches
        /// LIKE
        case like
        /// BEGINSWITH
        case beginsWith
        /// ENDSWITH
        case endsWith
        /// IN
        case `in`
        /// A function of the application's, which Folio does not have.
        case customSelector
        /// CONTAINS
        case contains = 99
        /// BETWEEN
        case between
    }

    /// How a left side of many values is treated.
    public enum Modifier: UInt, Sendable {
        /// It has one value.
        case direct = 0
        /// The comparison holds for every value.
        case all
        /// The comparison holds for at least one value.
        case any
    }

    /// Options of the comparison of strings. The raw values are Apple's.
    public struct Options: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Ignores case.
        public static let caseInsensitive = Options(rawValue: 1)
        /// Ignores accents.
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// Compares strings as they are.
        public static let normalized = Options(rawValue: 4)
    }

    let comparison: ComparisonPredicate

    init(_ comparison: ComparisonPredicate) {
        self.comparison = comparison
        super.init(value: true)
    }

    /// Creates a comparison. Traps for `customSelector`.
    public init(
        leftExpression: NSExpression, rightExpression: NSExpression, modifier: Modifier, type: Operator,
        options: Options = []
    ) {
        var own: ComparisonPredicate.Options = []
        if options.contains(.caseInsensitive) { own.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { own.insert(.diacriticInsensitive) }
        if options.contains(.normalized) { own.insert(.normalized) }
        guard let known = Self.operators.first(where: { $0.own == type })?.query else {
            preconditionFailure("A comparison by a selector can't be run: use a predicate of the format language")
        }
        comparison = ComparisonPredicate(
            leftExpression.query, known, rightExpression.query,
            modifier: modifier == .all ? .all : modifier == .any ? .any : .direct, options: own)
        super.init(value: true)
    }

    private static let operators: [(own: Operator, query: ComparisonPredicate.Operator)] = [
        (.lessThan, .less), (.lessThanOrEqualTo, .lessOrEqual), (.greaterThan, .greater),
        (.greaterThanOrEqualTo, .greaterOrEqual), (.equalTo, .equal), (.notEqualTo, .notEqual), (.matches, .matches),
        (.like, .like), (.beginsWith, .beginsWith), (.endsWith, .endsWith), (.in, .in), (.contains, .contains),
        (.between, .between),
    ]

    /// The left side.
    open var leftExpression: NSExpression { NSExpression(comparison.left) }
    /// The right side.
    open var rightExpression: NSExpression { NSExpression(comparison.right) }
    /// The operator; `customSelector` for SEARCH, which is Folio's own.
    open var predicateOperatorType: Operator {
        Self.operators.first { $0.query == comparison.operator }?.own ?? .customSelector
    }
    /// How a left side of many values is treated.
    open var comparisonPredicateModifier: Modifier {
        switch comparison.modifier {
        case .direct: .direct
        case .any: .any
        case .all: .all
        }
    }
    /// The options of the comparison.
    open var options: Options {
        var options: Options = []
        if comparison.options.contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if comparison.options.contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        if comparison.options.contains(.normalized) { options.insert(.normalized) }
        return options
    }

    /// The predicate in the format language.
    open override var predicateFormat: String { FetchPredicate.comparison(comparison).predicateFormat }

    /// The predicate in the format language, as it is printed.
    open override var description: String { predicateFormat }

    /// Whether an object fulfills the predicate. `bindings` has the values of variables.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        FetchPredicate.comparison(comparison).holds(for: object, bindings)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSComparisonPredicate else { return false }
        // Numbers of two types are one constant, as those of `NSNumber` are.
        return other.comparison == comparison || other.predicateFormat == predicateFormat
    }

    open override var hash: Int { predicateFormat.hashValue }

    open override func copy(with zone: NSZone? = nil) -> Any { self }
}
