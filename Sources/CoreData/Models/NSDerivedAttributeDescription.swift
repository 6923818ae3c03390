import Query
import Schema

/// An attribute that the store computes from others.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The expression that computes the value.
    open var derivationExpression: NSExpression? {
        get {
            attribute.derivationExpression.flatMap { text in
                (try? QueryExpression(format: text)).map { NSExpression($0) }
            }
        }
        set {
            willEdit()
            attribute.derivationExpression = newValue?.query.expressionFormat
        }
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSDerivedAttributeDescription(attribute)
        copyCommon(to: copy)
        return copy
    }
}
