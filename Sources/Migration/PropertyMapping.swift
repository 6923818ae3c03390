public import Query

/// Describes the value of a property of destination objects.
public struct PropertyMapping: Sendable, Hashable {
    /// The name of the property of the destination entity.
    public var name: String
    /// The expression of the value, which can refer to `$source`, `$destination`, `$manager`,
    /// `$entityMapping`, `$propertyMapping` and `$entityPolicy`; nil keeps the initial value of a
    /// new object.
    public var valueExpression: QueryExpression?
    /// Free-form values for use by policies.
    public var userInfo: [String: String]

    /// Creates a property mapping.
    public init(_ name: String, valueExpression: QueryExpression? = nil, userInfo: [String: String] = [:]) {
        self.name = name
        self.valueExpression = valueExpression
        self.userInfo = userInfo
    }
}
