public import Foundation
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

    // An expression stands in no model.
    open override func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "FolioName")
        coder.encode(expression.map { $0.query.expressionFormat as NSString }, forKey: "FolioExpression")
        coder.encode(Int64(expressionResultType.rawValue), forKey: "FolioResultType")
    }

    override func decode(from coder: NSCoder) -> Bool {
        name = coder.text("FolioName") ?? ""
        expressionResultType =
            NSAttributeType(rawValue: UInt(truncatingIfNeeded: coder.decodeInt64(forKey: "FolioResultType")))
            ?? .undefinedAttributeType
        guard let format = coder.text("FolioExpression") else {
            return true
        }
        guard let query = try? QueryExpression(format: format) else { return false }
        expression = NSExpression(query)
        return true
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
