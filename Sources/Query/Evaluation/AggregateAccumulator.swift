package import Schema

/// The state of an aggregate that is computed value by value, by rule 12 of ``ScalarRules``.
///
/// Integers need no memory of their own. Each Double of a sum or an average is kept: eight bytes.
package struct AggregateAccumulator {
    private let function: QueryFunction
    private var count = 0
    private var wholes: Int128 = 0
    private var fractions: [Double] = []
    private var best = PropertyValue.null

    package init(_ function: QueryFunction) {
        self.function = function
    }

    /// - Throws: ``QueryError`` with code `type` for a value that can't be added or has no order,
    ///   `unsupported` if the function is not an aggregate.
    package mutating func add(_ value: PropertyValue) throws(QueryError) {
        if ScalarRules.isNull(value) { return }
        switch function {
        case .count: break
        case .sum, .average:
            switch try ScalarRules.number(value, for: function) {
            case .int(let number): wholes += Int128(number)
            case .double(let number): fractions.append(number)
            }
        case .min, .max:
            if count > 0 {
                guard let order = try ScalarRules.order(value, best), function == .min ? order < 0 : order > 0 else {
                    break
                }
            }
            best = value
        default: throw QueryError(.unsupported, "\(function.rawValue) is no aggregate")
        }
        count += 1
    }

    package var result: PropertyValue {
        switch function {
        case .count: .int(Int64(count))
        case .sum:
            fractions.isEmpty
                ? Int64(exactly: wholes).map(PropertyValue.int) ?? .double(Double(wholes)) : ScalarRules.result(sum)
        case .average: count == 0 ? .null : ScalarRules.result(sum / Double(count))
        default: best
        }
    }

    private var sum: Double { fractions.sorted().reduce(Double(wholes), +) }
}
