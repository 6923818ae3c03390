import Foundation
import Schema

/// Applies one comparison operator with its options to values, by ``ScalarRules`` and rule 4 of
/// ``CompiledPredicate``.
struct ValueMatcher {
    private let comparisonOperator: ComparisonPredicate.Operator
    private let options: ComparisonPredicate.Options
    private let patterns = PatternCache()

    init(_ comparisonOperator: ComparisonPredicate.Operator, _ options: ComparisonPredicate.Options) {
        self.comparisonOperator = comparisonOperator
        self.options = TextFolding.effective(options)
    }

    /// Compares a left side with a right side that is not constant.
    func matches(_ left: QueryValue, _ right: QueryValue) throws -> Bool {
        switch comparisonOperator {
        case .in:
            if case .scalar(let text) = right, ScalarRules.text(text) != nil {
                return try compareTexts(text, try left.scalar())
            }
            guard let elements = right.elements else {
                throw Self.error("IN takes a collection or a string on its right side", right)
            }
            return try contains(try left.scalar(), elements)
        case .contains:
            if let elements = left.elements, !left.isNull { return try contains(try right.scalar(), elements) }
            return try compareTexts(try left.scalar(), try right.scalar())
        case .search:
            guard let query = ScalarRules.text(try right.scalar()) else { return false }
            return SearchQuery(query).matches(try Self.texts(left))
        case .between:
            guard let bounds = right.elements, bounds.count == 2 else {
                if right.isNull { return false }
                throw Self.error("BETWEEN takes two bounds", right)
            }
            let value = try left.scalar()
            guard let low = try order(value, try bounds[0].scalar()),
                let high = try order(value, try bounds[1].scalar())
            else { return false }
            return low >= 0 && high <= 0
        default:
            return try compare(try left.scalar(), try right.scalar())
        }
    }

    /// The texts of one object; several texts come as a collection.
    private static func texts(_ value: QueryValue) throws -> [String?] {
        guard case .collection(let elements, _) = value else { return [ScalarRules.text(try value.scalar())] }
        return try elements.map { ScalarRules.text(try $0.scalar()) }
    }

    private func compare(_ left: PropertyValue, _ right: PropertyValue) throws -> Bool {
        switch comparisonOperator {
        case .equal: return try equal(left, right)
        case .notEqual: return try !equal(left, right)
        case .less: return try order(left, right).map { $0 < 0 } ?? false
        case .lessOrEqual: return try order(left, right).map { $0 <= 0 } ?? false
        case .greater: return try order(left, right).map { $0 > 0 } ?? false
        case .greaterOrEqual: return try order(left, right).map { $0 >= 0 } ?? false
        default: return try compareTexts(left, right)
        }
    }

    private func equal(_ left: PropertyValue, _ right: PropertyValue) throws -> Bool {
        if !options.isEmpty, let a = ScalarRules.text(left), let b = ScalarRules.text(right) {
            return TextOrder.compare(a, b, options: options) == 0
        }
        return ScalarRules.equal(try Self.loaded(left, for: right), try Self.loaded(right, for: left))
    }

    private func order(_ left: PropertyValue, _ right: PropertyValue) throws -> Int? {
        if !options.isEmpty, let a = ScalarRules.text(left), let b = ScalarRules.text(right) {
            return TextOrder.compare(a, b, options: options)
        }
        return try ScalarRules.order(try Self.loaded(left, for: right), try Self.loaded(right, for: left))
    }

    /// Loads the bytes of a large value if they are needed for the comparison.
    private static func loaded(_ value: PropertyValue, for other: PropertyValue) throws -> PropertyValue {
        guard case .large(let large) = value else { return value }
        switch other {
        case .data: return .data(try large.data())
        case .large(let otherLarge): return large == otherLarge ? value : .data(try large.data())
        default: return value
        }
    }

    private func contains(_ value: PropertyValue, _ elements: [QueryValue]) throws -> Bool {
        for element in elements where try equal(value, try element.scalar()) { return true }
        return false
    }

    /// The string operators, including CONTAINS; false if a side is nil.
    private func compareTexts(_ left: PropertyValue, _ right: PropertyValue) throws -> Bool {
        if ScalarRules.isNull(left) || ScalarRules.isNull(right) { return false }
        guard let text = ScalarRules.text(left) else {
            throw Self.error("\(PredicatePrinter.name(of: comparisonOperator)) compares strings", .scalar(left))
        }
        guard let other = ScalarRules.text(right) else {
            throw Self.error("\(PredicatePrinter.name(of: comparisonOperator)) compares strings", .scalar(right))
        }
        switch comparisonOperator {
        case .like: return patterns.like(other, options).matches(text)
        case .matches: return try patterns.regex(other, options).matches(text)
        default: return TextSearch(other, comparisonOperator, options).matches(text)
        }
    }

    private static func error(_ message: String, _ value: QueryValue) -> QueryError {
        guard case .scalar(let scalar) = value else { return QueryError(.type, message) }
        return QueryError(.type, "\(message), not a \(ScalarRules.kind(of: scalar))")
    }
}

extension ValueMatcher {
    /// The comparison with a constant right side, with all possible work done in advance.
    static func prepared(
        _ comparisonOperator: ComparisonPredicate.Operator, _ right: PropertyValue,
        _ options: ComparisonPredicate.Options
    ) throws -> (QueryValue) throws -> Bool {
        let matcher = ValueMatcher(comparisonOperator, options)
        let constant = QueryValue.scalar(right)
        let general: (QueryValue) throws -> Bool = { try matcher.matches($0, constant) }
        switch (comparisonOperator, right) {
        case (.equal, _) where ScalarRules.isNull(right):
            return { if case .collection = $0 { try general($0) } else { $0.isNull } }
        case (.notEqual, _) where ScalarRules.isNull(right):
            return { if case .collection = $0 { try general($0) } else { !$0.isNull } }
        case (.search, .string(let text)):
            let query = SearchQuery(text)
            return { query.matches(try texts($0)) }
        case (_, .int(let number)):
            guard let accepts = orders(comparisonOperator) else { return general }
            return { value in
                guard case .scalar(.int(let own)) = value else { return try general(value) }
                return accepts(own < number ? -1 : (own == number ? 0 : 1))
            }
        case (_, .double(let number)) where !number.isNaN:
            guard let accepts = orders(comparisonOperator) else { return general }
            return { value in
                guard case .scalar(.double(let own)) = value, !own.isNaN else { return try general(value) }
                return accepts(own < number ? -1 : (own == number ? 0 : 1))
            }
        case (_, .string(let text)) where matcher.options.isEmpty:
            if let accepts = orders(comparisonOperator) {
                return { value in
                    guard case .scalar(.string(let own)) = value else { return try general(value) }
                    return accepts(TextOrder.binary(own, text))
                }
            }
            return try preparedSearch(matcher, text, general)
        case (_, .string(let text)): return try preparedSearch(matcher, text, general)
        case (.in, .list(let values)) where values.count > 8 && matcher.options.isEmpty:
            let set = ConstantSet(values)
            return { set.contains(try $0.scalar()) }
        default: return general
        }
    }

    private static func preparedSearch(
        _ matcher: ValueMatcher, _ text: String, _ general: @escaping (QueryValue) throws -> Bool
    ) throws -> (QueryValue) throws -> Bool {
        switch matcher.comparisonOperator {
        case .beginsWith, .endsWith, .contains:
            let search = TextSearch(text, matcher.comparisonOperator, matcher.options)
            return { value in
                guard case .scalar(.string(let own)) = value else { return try general(value) }
                return search.matches(own)
            }
        case .like:
            let pattern = LikePattern(text, options: matcher.options)
            return { value in
                guard case .scalar(.string(let own)) = value else { return try general(value) }
                return pattern.matches(own)
            }
        case .matches:
            let pattern = try RegexPattern(text, options: matcher.options)
            return { value in
                guard case .scalar(.string(let own)) = value else { return try general(value) }
                return try pattern.matches(own)
            }
        default: return general
        }
    }

    /// The orders of two values that an operator accepts; nil for operators that don't order.
    private static func orders(_ comparisonOperator: ComparisonPredicate.Operator) -> ((Int) -> Bool)? {
        switch comparisonOperator {
        case .equal: { $0 == 0 }
        case .notEqual: { $0 != 0 }
        case .less: { $0 < 0 }
        case .lessOrEqual: { $0 <= 0 }
        case .greater: { $0 > 0 }
        case .greaterOrEqual: { $0 >= 0 }
        default: nil
        }
    }
}
