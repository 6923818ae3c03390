public import Query

/// Where the value of one property of new objects comes from.
public struct PropertyMapping: Sendable, Hashable {
    /// The property of the destination entity.
    public var name: String
    /// What gives the value, with `$source`, `$destination`, `$manager`, `$entityMapping`,
    /// `$propertyMapping` and `$entityPolicy`; nil leaves what a new object starts with.
    public var valueExpression: QueryExpression?
    /// For policies to read.
    public var userInfo: [String: String]

    public init(_ name: String, valueExpression: QueryExpression? = nil, userInfo: [String: String] = [:]) {
        self.name = name
        self.valueExpression = valueExpression
        self.userInfo = userInfo
    }
}
