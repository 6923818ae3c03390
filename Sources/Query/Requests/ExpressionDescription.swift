public import Schema

/// A column of a fetch of values that is computed by an expression.
///
/// An aggregate of an attribute or of the object, such as `sum:(pages)` or `count:(SELF)`, is
/// computed over all selected objects or, if the request groups them, over the objects of a group.
/// An aggregate of a to-many relationship, such as `books.@count`, is computed over the members of
/// each object.
public struct ExpressionDescription: Sendable, Hashable {
    /// The name of the column in the result.
    public var name: String
    /// The expression that computes the value.
    public var expression: QueryExpression
    /// The type that values are converted to; nil for no conversion. Conversion to an integer
    /// truncates.
    public var expressionResultType: AttributeType?

    /// Creates a computed column.
    public init(_ name: String, _ expression: QueryExpression, expressionResultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.expressionResultType = expressionResultType
    }

    /// Creates a computed column from format text and values for its placeholders:
    /// `sum:(price * %d)`.
    ///
    /// - Throws: The errors of ``QueryExpression/init(format:_:)``.
    public init(
        _ name: String, format: String, arguments: [(any PredicateArgument)?] = [],
        expressionResultType: AttributeType? = nil
    ) throws(QueryError) {
        self.init(
            name, try PredicateParser.expression(format, arguments: arguments),
            expressionResultType: expressionResultType)
    }
}
