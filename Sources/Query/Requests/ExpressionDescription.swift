public import Schema

/// A column that is computed by an expression.
///
/// An aggregate of something that has one value for each object, such as `sum:(pages)` or
/// `count:(SELF)`, is taken over all selected objects or, where the request groups them, over those
/// of a group; one of a path through a to-many relationship, such as `books.@count`, over the
/// members of each object.
public struct ExpressionDescription: Sendable, Hashable {
    /// The name under which the value stands in a row.
    public var name: String
    public var expression: QueryExpression
    /// The type that values are converted to; nil leaves them as they are computed. Of a number
    /// that becomes an integer the fraction is cut off.
    public var expressionResultType: AttributeType?

    public init(_ name: String, _ expression: QueryExpression, expressionResultType: AttributeType? = nil) {
        self.name = name
        self.expression = expression
        self.expressionResultType = expressionResultType
    }

    /// Reads the expression from format text, with values for its placeholders: `sum:(price * %d)`.
    /// - Throws: what ``QueryExpression/init(format:_:)`` throws.
    public init(
        _ name: String, format: String, arguments: [(any PredicateArgument)?] = [],
        expressionResultType: AttributeType? = nil
    ) throws(QueryError) {
        self.init(
            name, try PredicateParser.expression(format, arguments: arguments),
            expressionResultType: expressionResultType)
    }
}
