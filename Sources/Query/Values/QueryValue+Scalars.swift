package import Schema

extension QueryValue {
    /// The one value; an object counts as its ID.
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

    /// The values of a collection; nil where this is no collection. A list is one, a nil an empty
    /// one.
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
