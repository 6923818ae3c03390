package import Foundation
package import Schema

extension Derivation {
    /// The value for an object, converted to the attribute's type. The count and sum of no values
    /// are 0; their minimum, maximum and average are nil.
    package func value(for object: any QueryObject, now: Date) throws -> PropertyValue {
        guard let type = property.attribute?.type else { return .null }
        return try plainValue(for: object, now: now).asDerived(type)
    }

    private func plainValue(for object: any QueryObject, now: Date) throws -> PropertyValue {
        if case .now = form { return .date(now) }
        var end: (any QueryObject)? = object
        for step in steps {
            guard let current = end, case .object(let next) = try current.queryValue(at: step.index) else {
                end = nil
                break
            }
            end = next
        }
        switch form {
        case .now: return .null
        case .copy(let source, let function):
            let value = try end?.queryValue(at: source.index).scalar() ?? .null
            guard let function else { return value }
            return try ScalarRules.apply(function, [value], now: now)
        case .aggregate(let function, let relation, let source):
            var accumulator = AggregateAccumulator(function)
            for member in try end?.queryValue(at: relation.index).elements ?? [] {
                guard case .object(let member) = member else { continue }
                try accumulator.add(try source.map { try member.queryValue(at: $0.index).scalar() } ?? .bool(true))
            }
            return accumulator.result
        }
    }
}

extension PropertyValue {
    /// Converts a number to another numeric type; returns other values unchanged.
    fileprivate func asDerived(_ type: AttributeType) -> PropertyValue {
        guard type.isNumeric else { return self }
        switch (type, self) {
        case (.decimal, .int(let number)): return .decimal(Decimal(number))
        case (.decimal, .double(let number)):
            return Decimal(string: number.description).map(PropertyValue.decimal) ?? .null
        case (.decimal, .float(let number)):
            return Decimal(string: number.description).map(PropertyValue.decimal) ?? .null
        case (.decimal, _): return self
        default: break
        }
        let fraction: Double
        switch self {
        case .int(let number):
            if type.isInteger { return self }
            fraction = Double(number)
        case .double(let number): fraction = number
        case .float(let number): fraction = Double(number)
        case .decimal(let number): fraction = NSDecimalNumber(decimal: number).doubleValue
        default: return self
        }
        switch type {
        case .double: return .double(fraction)
        case .float: return .float(Float(fraction))
        default: return Int64(exactly: fraction.rounded(.towardZero)).map(PropertyValue.int) ?? .null
        }
    }
}
