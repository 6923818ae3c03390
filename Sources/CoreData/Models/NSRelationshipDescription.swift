import Foundation
import Schema

/// What deleting an object does to those at the other end. The raw values are those of models.
public enum NSDeleteRule: UInt, Sendable, Hashable {
    /// Nothing.
    case noActionDeleteRule = 0
    /// They lead to nothing any more.
    case nullifyDeleteRule
    /// They are deleted, too.
    case cascadeDeleteRule
    /// The object can't be deleted while there are any.
    case denyDeleteRule
}

/// A relationship, as a model declares it.
open class NSRelationshipDescription: NSPropertyDescription {
    var relationship = RelationshipDescription("", to: "", minCount: 0, maxCount: 0, deleteRule: .nullify)
    private weak var target: NSEntityDescription?
    private weak var inverse: NSRelationshipDescription?

    /// Creates a description of an optional to-many relationship without a destination.
    public override init() { super.init() }

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
        super.init()
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSRelationshipDescription(relationship)
        copyCommon(to: copy)
        copy.relationship = named
        return copy
    }

    /// The description with the names of what it leads to.
    var named: RelationshipDescription {
        var relationship = relationship
        if let target { relationship.destinationEntityName = target.name ?? "" }
        if let inverse { relationship.inverseName = inverse.name }
        return relationship
    }

    override var declaration: any PropertyDeclaration {
        get { relationship }
        set { if let newValue = newValue as? RelationshipDescription { relationship = newValue } }
    }

    private func edit(_ change: (inout RelationshipDescription) -> Void) {
        willEdit()
        change(&relationship)
    }

    /// Finds what the names lead to.
    func resolve(_ entities: [String: NSEntityDescription]) {
        if target == nil { target = entities[relationship.destinationEntityName] }
        if inverse == nil, let name = relationship.inverseName {
            inverse = target?.propertiesByName[name] as? NSRelationshipDescription
        }
    }

    /// The entity that the relationship leads to.
    open var destinationEntity: NSEntityDescription? {
        get { target }
        set {
            edit { $0.destinationEntityName = newValue?.name ?? "" }
            target = newValue
        }
    }
    /// The relationship at the other end, which follows.
    open var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set {
            edit { $0.inverseName = newValue?.name }
            inverse = newValue
        }
    }
    /// The greatest number of objects; 0 for no limit, 1 for a to-one relationship.
    open var maxCount: Int {
        get { relationship.maxCount }
        set { edit { $0.maxCount = newValue } }
    }
    /// The smallest number of objects.
    open var minCount: Int {
        get { relationship.minCount }
        set { edit { $0.minCount = newValue } }
    }
    /// What deleting an object does to those at the other end.
    open var deleteRule: NSDeleteRule {
        get { NSDeleteRule(rawValue: UInt(relationship.deleteRule.rawValue)) ?? .nullifyDeleteRule }
        set { edit { $0.deleteRule = DeleteRule(rawValue: Int(newValue.rawValue)) ?? .nullify } }
    }
    /// Whether there can be several objects.
    open var isToMany: Bool { relationship.isToMany }
    /// Whether the objects have an order.
    open var isOrdered: Bool {
        get { relationship.isOrdered }
        set { edit { $0.isOrdered = newValue } }
    }
}

/// A property whose value is the result of a fetch request.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var property = FetchedPropertyDescription("", fetchRequest: FetchRequestTemplate("", entityName: ""))
    private var request: NSFetchRequest<any NSFetchRequestResult>?

    /// Creates a description without a request.
    public override init() { super.init() }

    /// - Throws: Errors of a request that can't be parsed.
    init(_ property: FetchedPropertyDescription) throws {
        self.property = property
        request = property.fetchRequest.entityName.isEmpty ? nil : try NSFetchRequest(property.fetchRequest)
        super.init()
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription()
        copyCommon(to: copy)
        copy.property = property
        copy.request = request?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        return copy
    }

    override var declaration: any PropertyDeclaration {
        get { property }
        set { if let newValue = newValue as? FetchedPropertyDescription { property = newValue } }
    }

    /// The description with the request as it is now.
    ///
    /// - Throws: `QueryError` for a request with a closure, which no model can keep.
    func named() throws -> FetchedPropertyDescription {
        var property = property
        property.fetchRequest =
            try request?.template(named: property.fetchRequest.name) ?? FetchRequestTemplate("", entityName: "")
        return property
    }

    /// The request; its variable `$FETCH_SOURCE` is the object that has the property.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { request }
        set {
            willEdit()
            request = newValue
        }
    }
}
