public import Foundation
import Schema

/// The kind of an element of an index.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// An ordinary index.
    case binary = 0
    /// An index for ranges.
    case rTree
}

/// An index that a model declares.
open class NSFetchIndexDescription: NSObject {
    /// The name of the index.
    open var name: String { didSet { entity?.willEdit() } }
    /// The elements, in order.
    open var elements: [NSFetchIndexElementDescription] { didSet { entity?.willEdit() } }
    /// The entity that has the index.
    open internal(set) weak var entity: NSEntityDescription?
    /// The predicate that limits the index to some rows.
    open var partialIndexPredicate: NSPredicate? { didSet { entity?.willEdit() } }

    /// Creates a description of an index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        for element in self.elements { element.indexDescription = self }
    }
}

/// An element of an index: a property or an expression.
open class NSFetchIndexElementDescription: NSObject {
    /// The property; nil for an element of an expression alone.
    open private(set) var property: NSPropertyDescription?
    /// The name of the property.
    open var propertyName: String? { property?.name ?? text }
    /// The kind of the element.
    open var collationType: NSFetchIndexElementType { didSet { indexDescription?.entity?.willEdit() } }
    /// Whether values ascend.
    open var isAscending = true { didSet { indexDescription?.entity?.willEdit() } }
    /// The index that has the element.
    open internal(set) weak var indexDescription: NSFetchIndexDescription?
    private let text: String?

    /// Creates an element of a property, or of an `NSExpressionDescription`.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        text = nil
    }

    init(_ element: FetchIndexDescription.Element, _ property: NSPropertyDescription?) {
        self.property = property
        collationType = element.kind == .rTree ? .rTree : .binary
        isAscending = element.isAscending
        text = element.propertyName ?? element.expression
    }
}
