import Query

/// Columns of dictionaries.
enum FetchColumns {
    static func column(_ value: Any) throws -> FetchColumn {
        switch value {
        case let description as NSExpressionDescription: .expression(try description.column())
        case let property as NSPropertyDescription: .keyPath(property.name)
        case let name as String: .keyPath(name)
        default: preconditionFailure("A column is a name or a description, not a \(type(of: value))")
        }
    }
}
