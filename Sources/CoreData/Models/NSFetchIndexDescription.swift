public import Foundation
import Query
import Schema

/// The kind of an element of an index.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// An ordinary index.
    case binary = 0
    /// An index for ranges.
    case rTree
}

/// An index that a model declares.
open class NSFetchIndexDescription: NSObject, NSSecureCoding {
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

    /// Reads an index from an archive. Its elements have the names of their properties; the entity
    /// that gets the index has the properties.
    public required convenience init?(coder: NSCoder) {
        guard let name = coder.text("FolioName") else { return nil }
        let elements = coder.decodeObject(
            of: [NSArray.self, NSFetchIndexElementDescription.self], forKey: "FolioElements")
        self.init(name: name, elements: elements as? [NSFetchIndexElementDescription])
        guard let format = coder.text("FolioPredicate") else { return }
        guard let predicate = try? FetchPredicate(format: format) else { return nil }
        partialIndexPredicate = FormatPredicate.make(predicate)
    }

    /// Archives the index. A predicate of a closure is left out, as no store can use it.
    open func encode(with coder: NSCoder) {
        coder.encode(name as NSString, forKey: "FolioName")
        coder.encode(NSArray(array: elements), forKey: "FolioElements")
        let format = (try? partialIndexPredicate?.fetchPredicate().predicateFormat).flatMap { $0 }
        coder.encode(format.map { $0 as NSString }, forKey: "FolioPredicate")
    }

    open class var supportsSecureCoding: Bool { true }
}

/// An element of an index: a property or an expression.
open class NSFetchIndexElementDescription: NSObject, NSSecureCoding {
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

    /// Reads an element from an archive, with the name of its property.
    public required init?(coder: NSCoder) {
        text = coder.text("FolioName")
        collationType =
            NSFetchIndexElementType(rawValue: UInt(truncatingIfNeeded: coder.decodeInt64(forKey: "FolioType")))
            ?? .binary
        isAscending = coder.decodeBool(forKey: "FolioAscending")
    }

    /// Archives the element with the name of its property.
    open func encode(with coder: NSCoder) {
        coder.encode(propertyName.map { $0 as NSString }, forKey: "FolioName")
        coder.encode(Int64(collationType.rawValue), forKey: "FolioType")
        coder.encode(isAscending, forKey: "FolioAscending")
    }

    open class var supportsSecureCoding: Bool { true }
}
