/// A column of a fetch of values: a property given by its key path, or a computed value.
///
/// ```swift
/// request.propertiesToFetch = ["author.name", .expression(try ExpressionDescription("pages", format: "sum:(pages)"))]
/// ```
public enum FetchColumn: Sendable, Hashable {
    /// The name of a property, or a key path to one through to-one relationships; `objectID` for
    /// the object's ID.
    case keyPath(String)
    /// A computed value.
    case expression(ExpressionDescription)

    /// The name of the column in the result.
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
