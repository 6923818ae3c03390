import Foundation
import Query
import Schema

/// A column of a fetch of dictionaries that is computed by an expression.
open class NSExpressionDescription: NSPropertyDescription {
    /// The expression.
    open var expression: NSExpression?
    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType

    /// Creates a description without an expression.
    public override init() { super.init() }

    /// The type of the result, by its newer name.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSExpressionDescription()
        copyCommon(to: copy)
        copy.expression = expression
        copy.expressionResultType = expressionResultType
        return copy
    }

    /// The column for Folio's requests.
    ///
    /// - Throws: `QueryError` for a description without an expression; errors of an
    ///   ``NSFetchRequestExpression``.
    func column() throws -> ExpressionDescription {
        guard let expression else { throw QueryError(.unsupported, "The column \(name) has no expression") }
        let type = AttributeType(rawValue: Int(expressionResultType.rawValue))
        return ExpressionDescription(
            name, try expression.currentQuery(),
            expressionResultType: type == .undefined || type == .objectID ? nil : type)
    }
}
