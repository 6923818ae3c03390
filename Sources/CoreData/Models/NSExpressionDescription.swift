import Foundation
import Query
import Schema

/// A column of a fetch of dictionaries that is computed by an expression.
open class NSExpressionDescription: NSPropertyDescription {
    private var ownName = ""
    /// The expression.
    open var expression: NSExpression?
    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType

    /// Creates a description without an expression.
    public override init() { super.init() }

    open override var name: String {
        get { ownName }
        set { ownName = newValue }
    }

    /// The type of the result, by its newer name.
    open var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSExpressionDescription()
        copy.ownName = ownName
        copy.expression = expression
        copy.expressionResultType = expressionResultType
        return copy
    }

    /// The column for Folio's requests.
    var column: ExpressionDescription {
        let type = AttributeType(rawValue: Int(expressionResultType.rawValue))
        return ExpressionDescription(
            ownName, expression?.query ?? .constant(.null),
            expressionResultType: type == .undefined || type == .objectID ? nil : type)
    }
}
