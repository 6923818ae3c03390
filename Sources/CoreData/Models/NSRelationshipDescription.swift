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
        let copy = NSRelationshipDescription(named)
        copyCommon(to: copy)
        return copy
    }

    /// The description with the names of what it leads to.
    var named: RelationshipDescription {
        var relationship = relationship
        if let target { relationship.destinationEntityName = target.name ?? "" }
        if let inverse { relationship.inverseName = inverse.name }
        return relationship
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

    open override var name: String {
        get { relationship.name }
        set { edit { $0.name = newValue } }
    }
    open override var isOptional: Bool {
        get { relationship.isOptional }
        set { edit { $0.isOptional = newValue } }
    }
    open override var isTransient: Bool {
        get { relationship.isTransient }
        set { edit { $0.isTransient = newValue } }
    }
    open override var versionHashModifier: String? {
        get { relationship.versionHashModifier }
        set { edit { $0.versionHashModifier = newValue } }
    }
    open override var renamingIdentifier: String? {
        get { relationship.renamingIdentifier ?? relationship.name }
        set { edit { $0.renamingIdentifier = newValue } }
    }
    open override var isIndexed: Bool {
        get { relationship.isIndexed }
        set { edit { $0.isIndexed = newValue } }
    }
    override var texts: [String: String] {
        get { relationship.userInfo }
        set { edit { $0.userInfo = newValue } }
    }

    /// The entity that the relationship leads to.
    open var destinationEntity: NSEntityDescription? {
        get { target }
        set {
            willEdit()
            target = newValue
        }
    }
    /// The relationship at the other end, which follows.
    open var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set {
            willEdit()
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

    init(_ property: FetchedPropertyDescription) {
        self.property = property
        super.init()
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription(named)
        copyCommon(to: copy)
        return copy
    }

    /// The description with the request as it is now.
    var named: FetchedPropertyDescription {
        var property = property
        if let request { property.fetchRequest = request.template(named: property.name) }
        return property
    }

    private func edit(_ change: (inout FetchedPropertyDescription) -> Void) {
        willEdit()
        change(&property)
    }

    open override var name: String {
        get { property.name }
        set { edit { $0.name = newValue } }
    }
    open override var isOptional: Bool {
        get { property.isOptional }
        set { edit { $0.isOptional = newValue } }
    }
    open override var renamingIdentifier: String? {
        get { property.renamingIdentifier ?? property.name }
        set { edit { $0.renamingIdentifier = newValue } }
    }
    open override var versionHashModifier: String? {
        get { property.versionHashModifier }
        set { edit { $0.versionHashModifier = newValue } }
    }
    override var texts: [String: String] {
        get { property.userInfo }
        set { edit { $0.userInfo = newValue } }
    }

    /// The request; its variable `$FETCH_SOURCE` is the object that has the property.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { request ?? (property.fetchRequest.entityName.isEmpty ? nil : NSFetchRequest(property.fetchRequest)) }
        set {
            willEdit()
            request = newValue
        }
    }
}
