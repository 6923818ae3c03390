import Foundation

extension PropertyValue {
    /// The value at the end of `path` in a composite; null if there is none.
    package func part(at path: some Collection<String>) -> PropertyValue {
        var value = self
        for name in path {
            guard case .composite(let parts) = value else { return .null }
            value = parts[name] ?? .null
        }
        return value
    }

    /// A copy of the composite with the value at the end of `path` set.
    package func setting(_ value: PropertyValue, at path: ArraySlice<String>) -> PropertyValue {
        guard let name = path.first else { return value }
        var parts: [String: PropertyValue] = [:]
        if case .composite(let own) = self { parts = own }
        parts[name] = (parts[name] ?? .null).setting(value, at: path.dropFirst())
        return .composite(parts)
    }

    /// Whether this is NaN, in any numeric type or as a date.
    package var isNotANumber: Bool {
        switch self {
        case .double(let value): value.isNaN
        case .float(let value): value.isNaN
        case .decimal(let value): value.isNaN
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}
