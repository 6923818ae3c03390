package import Foundation
package import Schema

/// A restriction of a model on the values of an attribute.
package enum ValueDemand: Sendable, Hashable {
    case value
    case number(least: Double?, greatest: Double?)
    case decimal(least: Decimal?, greatest: Decimal?)
    case date(earliest: Double?, latest: Double?)
    /// Lengths are in UTF-16 code units. The pattern must match the whole string.
    case string(shortest: Int?, longest: Int?, pattern: String?)

    /// The kind of a violation.
    package enum Problem: Sendable, Hashable {
        case missing, tooSmall, tooLarge, tooSoon, tooLate, tooShort, tooLong, unlikePattern
    }

    package typealias Violation = (problem: Problem, why: String)

    /// The text for a missing value.
    package static let missing: Violation = (.missing, "is required")

    /// The demands of an attribute on the values that it has, without those of the parts of a
    /// composite, and without ``value``.
    package static func demands(onValuesOf attribute: AttributeDescription) -> [ValueDemand] {
        var demands: [ValueDemand] = []
        let least = attribute.minimumValue, greatest = attribute.maximumValue
        switch attribute.type {
        case .integer16:
            demands.append(
                .number(least: max(least?.number ?? -32768, -32768), greatest: min(greatest?.number ?? 32767, 32767)))
        case .integer32:
            demands.append(
                .number(
                    least: max(least?.number ?? Double(Int32.min), Double(Int32.min)),
                    greatest: min(greatest?.number ?? Double(Int32.max), Double(Int32.max))))
        case .integer64, .double, .float:
            if least != nil || greatest != nil {
                demands.append(.number(least: least?.number, greatest: greatest?.number))
            }
        case .decimal:
            if least != nil || greatest != nil {
                demands.append(.decimal(least: least?.decimalNumber, greatest: greatest?.decimalNumber))
            }
        case .date:
            if least != nil || greatest != nil {
                demands.append(.date(earliest: least?.number, latest: greatest?.number))
            }
        case .string:
            let pattern = attribute.regularExpression.flatMap { $0.isEmpty ? nil : $0 }
            let shortest = least?.number.flatMap(length), longest = greatest?.number.flatMap(length)
            if shortest != nil || longest != nil || pattern != nil {
                demands.append(.string(shortest: shortest, longest: longest, pattern: pattern))
            }
        default: break
        }
        return demands
    }

    /// A limit for lengths; nil if the value is not a limit.
    private static func length(_ bound: Double) -> Int? { bound.isNaN ? nil : Int(max(-1, min(bound, 1e15))) }

    // MARK: Checking

    /// The violation by a number or by the seconds of a date; nil if there is none.
    package func violation(of value: Double) -> Violation? {
        switch self {
        case .number(let least, let greatest):
            if let least, value < least { return (.tooSmall, "is less than \(Self.text(least))") }
            if let greatest, value > greatest { return (.tooLarge, "is greater than \(Self.text(greatest))") }
        case .date(let earliest, let latest):
            if let earliest, value < earliest {
                return (.tooSoon, "is before \(Date(timeIntervalSinceReferenceDate: earliest))")
            }
            if let latest, value > latest {
                return (.tooLate, "is after \(Date(timeIntervalSinceReferenceDate: latest))")
            }
        default: break
        }
        return nil
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    package func violation(of value: Decimal) -> Violation? {
        guard case .decimal(let least, let greatest) = self else { return nil }
        if let least, value < least { return (.tooSmall, "is less than \(least)") }
        if let greatest, value > greatest { return (.tooLarge, "is greater than \(greatest)") }
        return nil
    }

    /// - Parameter compiled: The pattern, compiled at its first use.
    package func violation(of value: String, _ compiled: inout RegexPattern?) -> Violation? {
        guard case .string(let shortest, let longest, let pattern) = self else { return nil }
        let length = value.utf16.count
        if let shortest, length < shortest { return (.tooShort, "is shorter than \(shortest)") }
        if let longest, length > longest { return (.tooLong, "is longer than \(longest)") }
        guard let pattern else { return nil }
        do {
            let expression = try compiled ?? RegexPattern(pattern)
            compiled = expression
            return try expression.matches(value) ? nil : (.unlikePattern, "does not match \(pattern)")
        } catch {
            // An invalid pattern matches nothing, and a match that takes too long is aborted.
            return (.unlikePattern, "can't be checked: \((error as? QueryError)?.message ?? "\(error)")")
        }
    }
}

extension PropertyValue {
    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): (value as NSDecimalNumber).doubleValue
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    fileprivate var decimalNumber: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .decimal(let value): value
        default: number.map { Decimal($0) }
        }
    }
}
