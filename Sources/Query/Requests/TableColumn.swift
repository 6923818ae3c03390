import Foundation
package import Schema

/// A column of a table request, validated against an entity.
package struct TableColumn: Sendable {
    package let name: String
    package let expression: QueryExpression
    /// The statically known type of the values.
    package let type: StaticType
    private let resultType: AttributeType?
    /// Whether the values are those of a stored property, or the minimum or maximum of such values.
    /// Other values are computed.
    package let isStored: Bool

    init(_ name: String, _ expression: QueryExpression, _ type: StaticType, resultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.type = type
        self.resultType = resultType
        let source =
            expression.rowAggregate.map { $0.function == .min || $0.function == .max ? $0.argument : expression }
            ?? expression
        switch source {
        case .evaluatedObject: isStored = true
        case .keyPath(nil, let components): isStored = !components.contains { $0.hasPrefix("@") }
        default: isStored = false
        }
    }

    /// Whether values can be compared for equality and sorted, as DISTINCT and groups require.
    package var isComparable: Bool {
        switch type {
        case .opaque, .composite, .collection: false
        case .binary(let isExternal): !isExternal
        default: true
        }
    }

    /// A computed value in the form that rows contain: numbers become Int64 or Double, then the
    /// requested type.
    package func value(_ computed: PropertyValue) -> PropertyValue {
        let value = isStored ? (ScalarRules.isNull(computed) ? .null : computed) : plain(computed)
        guard let resultType, !value.isNull else { return value }
        if resultType == .string, !isStored, case .double(let number) = value, let whole = Int64(exactly: number) {
            // The text must not depend on whether a number was computed as an integer or as a
            // Double: the sum of no values is an integer.
            return .string(String(whole))
        }
        return Self.convert(value, to: resultType) ?? .null
    }

    private func plain(_ value: PropertyValue) -> PropertyValue {
        if ScalarRules.isNull(value) { return .null }
        switch value {
        case .bool, .float, .decimal: return ScalarRules.number(value).map(PropertyValue.init) ?? .null
        case .uri(let url): if case .string = type { return .string(url.absoluteString) }
        case .string: if case .uri = type { return CastType.uri.convert(value) ?? value }
        default: break
        }
        return value
    }

    private static func convert(_ value: PropertyValue, to type: AttributeType) -> PropertyValue? {
        switch type {
        case .integer16, .integer32, .integer64:
            return ScalarRules.double(value).flatMap { number in
                if case .int = value { return value }
                return Int64(exactly: number.rounded(.towardZero)).map(PropertyValue.int)
            }
        case .double: return ScalarRules.double(value).map(PropertyValue.double)
        case .float: return ScalarRules.double(value).map { .float(Float($0)) }
        case .boolean: return ScalarRules.double(value).map { .bool($0 != 0) }
        case .decimal: return CastType.decimal.convert(value)
        case .string: return CastType.string.convert(value)
        case .date: return CastType.date.convert(value)
        case .uuid: return CastType.uuid.convert(value)
        case .uri: return CastType.uri.convert(value)
        case .binary: return CastType.data.convert(value)
        case .objectID, .transformable, .composite, .undefined: return value
        }
    }
}

extension PropertyValue {
    fileprivate init(_ number: ScalarRules.Number) {
        switch number {
        case .int(let value): self = .int(value)
        case .double(let value): self = .double(value)
        }
    }
}
