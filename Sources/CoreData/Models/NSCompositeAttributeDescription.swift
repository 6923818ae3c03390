import Schema

/// An attribute that is a group of others.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes of the group.
    open var elements: [NSAttributeDescription] = [] {
        didSet { willEdit() }
    }

    /// Creates a description of a group without attributes.
    public override init() {
        super.init()
        attribute.type = .composite
    }

    override init(_ attribute: AttributeDescription) { super.init(attribute) }

    override func take(_ other: NSPropertyDescription) {
        super.take(other)
        elements = (other as? NSCompositeAttributeDescription)?.elements ?? []
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSCompositeAttributeDescription(attribute)
        copy.elements = elements.compactMap { $0.duplicate() as? NSAttributeDescription }
        copyCommon(to: copy)
        return copy
    }
}
