package import Foundation
package import Schema

// Scalar functions and aggregates, rules 7 to 12.
extension ScalarRules {
    /// The value of a scalar function.
    /// - Throws: ``QueryError`` with code `type` if the function does not take an argument of this
    ///   kind, `unsupported` for aggregates.
    package static func apply(_ function: QueryFunction, _ arguments: [PropertyValue], now: Date) throws(QueryError)
        -> PropertyValue
    {
        if function == .now { return .date(now) }
        guard arguments.count == function.argumentCount, !function.isAggregate else {
            throw QueryError(.unsupported, "\(function.rawValue) is no function of \(arguments.count) single values")
        }
        if function == .indexed { return arguments[0] }
        if function == .relevance {
            let query = isNull(arguments[1]) ? "" : try text(arguments[1], for: function)
            return .double(
                SearchQuery(query).relevance(of: isNull(arguments[0]) ? nil : try text(arguments[0], for: function)))
        }
        if arguments.contains(where: isNull) { return .null }
        if function.argumentCount == 2 { return try apply(function, arguments[0], arguments[1]) }
        let argument = arguments[0]
        if function.isDatePart { return try datePart(function, of: argument) }
        switch function {
        case .noIndex: return argument
        case .lowercase: return .string(try text(argument, for: function).lowercased())
        case .uppercase: return .string(try text(argument, for: function).uppercased())
        case .canonical: return .string(TextFolding.canonical(try text(argument, for: function)))
        case .length:
            if case .data(let bytes) = argument { return .int(Int64(bytes.count)) }
            return .int(Int64(try text(argument, for: function).utf16.count))
        default: break
        }
        let number = try number(argument, for: function)
        switch (function, number) {
        case (.abs, .int(let value)): return value == .min ? .double(0x1p63) : .int(Swift.abs(value))
        case (.ceiling, .int(let value)), (.floor, .int(let value)), (.truncate, .int(let value)): return .int(value)
        case (.complement, _): return .int(~whole(number))
        default: break
        }
        let value = double(number)
        switch function {
        case .abs: return result(Swift.abs(value))
        case .ceiling: return result(value.rounded(.up))
        case .floor: return result(value.rounded(.down))
        case .truncate: return result(value.rounded(.towardZero))
        case .squareRoot: return result(value.squareRoot())
        case .exponential: return result(Foundation.exp(value))
        case .logarithm: return value > 0 ? result(Foundation.log10(value)) : .null
        case .naturalLogarithm: return value > 0 ? result(Foundation.log(value)) : .null
        default: throw QueryError(.unsupported, "\(function.rawValue) can't be computed")
        }
    }

    private static func apply(_ function: QueryFunction, _ a: PropertyValue, _ b: PropertyValue) throws(QueryError)
        -> PropertyValue
    {
        switch (function, a, b) {
        case (.local, _, _): return try local(a, in: zone(named: text(b, for: function)))
        case (.subtract, .date(let x), .date(let y)):
            return result(x.timeIntervalSinceReferenceDate - y.timeIntervalSinceReferenceDate)
        case (.add, .date(let date), let other), (.add, let other, .date(let date)):
            return .date(
                Date(
                    timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate
                        + double(try number(other, for: function))))
        case (.subtract, .date(let date), let other):
            return .date(
                Date(
                    timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate
                        - double(try number(other, for: function))))
        default: break
        }
        let left = try number(a, for: function)
        let right = try number(b, for: function)
        switch function {
        case .modulus:
            let divisor = whole(right)
            return divisor == 0 ? .null : .int(divisor == -1 ? 0 : whole(left) % divisor)
        case .bitAnd: return .int(whole(left) & whole(right))
        case .bitOr: return .int(whole(left) | whole(right))
        case .bitXor: return .int(whole(left) ^ whole(right))
        case .shiftLeft: return .int(whole(left) << whole(right))
        case .shiftRight: return .int(whole(left) >> whole(right))
        case .power: return result(Foundation.pow(double(left), double(right)))
        default: break
        }
        if case .int(let x) = left, case .int(let y) = right {
            if function == .divide, y == 0 { return .null }
            let (exact, overflow) =
                switch function {
                case .add: x.addingReportingOverflow(y)
                case .subtract: x.subtractingReportingOverflow(y)
                case .multiply: x.multipliedReportingOverflow(by: y)
                default: x.dividedReportingOverflow(by: y)
                }
            if !overflow { return .int(exact) }
        }
        let (x, y) = (double(left), double(right))
        switch function {
        case .add: return result(x + y)
        case .subtract: return result(x - y)
        case .multiply: return result(x * y)
        default: return y == 0 ? .null : result(x / y)
        }
    }

    /// The value of an aggregate over `values`, by rule 12.
    package static func aggregate(_ function: QueryFunction, _ values: [PropertyValue]) throws(QueryError)
        -> PropertyValue
    {
        var accumulator = AggregateAccumulator(function)
        for value in values { try accumulator.add(value) }
        return accumulator.result
    }

    // MARK: Arguments and results

    static func result(_ value: Double) -> PropertyValue { value.isNaN ? .null : .double(value) }

    private static func double(_ number: Number) -> Double {
        switch number {
        case .int(let value): Double(value)
        case .double(let value): value
        }
    }

    /// Truncates fractions and clamps values beyond 64 bits, like SQLite's CAST.
    private static func whole(_ number: Number) -> Int64 {
        switch number {
        case .int(let value): value
        case .double(let value): value >= 0x1p63 ? .max : (value <= -0x1p63 ? .min : Int64(value))
        }
    }

    static func number(_ value: PropertyValue, for function: QueryFunction) throws(QueryError) -> Number {
        guard let number = number(value) else {
            throw QueryError(.type, "\(function.rawValue) takes numbers, not a \(kind(of: value))")
        }
        return number
    }

    private static func text(_ value: PropertyValue, for function: QueryFunction) throws(QueryError) -> String {
        guard let text = text(value) else {
            throw QueryError(.type, "\(function.rawValue) takes strings, not a \(kind(of: value))")
        }
        return text
    }
}
