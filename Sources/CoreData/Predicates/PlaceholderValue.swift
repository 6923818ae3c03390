import Query
import Schema

/// Values for placeholders.
enum PlaceholderValue {
    static func arguments(_ values: [Any?]) -> [(any PredicateArgument)?] {
        values.map { value in
            // What was an optional of its own inside of `Any`.
            if let expression = value as? NSExpression { return expression.query }
            guard let constant = BridgedValue.propertyValue(flat(value)) else {
                preconditionFailure("A predicate can't have a value of the type \(type(of: value))")
            }
            if case .bool(let flag) = constant { return flag }
            return constant.isNull ? nil : constant
        }
    }

    /// A value without optionals around it.
    static func flat(_ value: Any?) -> Any? {
        guard let value else { return nil }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return flat(mirror.children.first?.value)
    }
}
