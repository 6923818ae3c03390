/// What a fetch of values gives of each object, or of each group of objects: a property by its key
/// path, or something computed.
///
/// ```swift
/// request.propertiesToFetch = ["author.name", .expression(try ExpressionDescription("pages", format: "sum:(pages)"))]
/// ```
public enum FetchColumn: Sendable, Hashable {
    /// A property's name, or a path to one through to-one relationships; `objectID` for the object
    /// itself.
    case keyPath(String)
    case expression(ExpressionDescription)

    /// The name under which the value stands in a row.
    public var name: String {
        switch self {
        case .keyPath(let path): path
        case .expression(let description): description.name
        }
    }
}

extension FetchColumn: ExpressibleByStringLiteral {
    public init(stringLiteral path: String) {
        self = .keyPath(path)
    }
}
