package import Schema

extension QueryValue {
    /// The single value; an object becomes its ID.
    /// - Throws: ``QueryError`` with code `type` for a collection.
    package func scalar() throws -> PropertyValue {
        switch self {
        case .scalar(let value): value
        case .object(let object): .object(object.queryID)
        case .collection:
            throw QueryError(
                .type, "A collection stands where one value is needed: use ANY, ALL, IN or an operator such as @count")
        }
    }

    /// The elements of a collection; nil if the value is not a collection. A list is a collection,
    /// and nil an empty one.
    var elements: [QueryValue]? {
        switch self {
        case .collection(let elements, _): elements
        case .scalar(.list(let values)): values.map(QueryValue.scalar)
        case .scalar(.null): []
        default: nil
        }
    }

    var isNull: Bool {
        if case .scalar(let value) = self { ScalarRules.isNull(value) } else { false }
    }
}
