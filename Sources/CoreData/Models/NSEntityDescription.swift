public import Foundation
import ObjectGraph
import Schema

/// An entity, as a model declares it.
///
/// Descriptions can be changed until a coordinator uses their model.
open class NSEntityDescription: NSObject, NSSecureCoding {
    /// What descriptions of one entity share.
    final class Content {
        var entity = EntityDefinition("")
        var properties: [NSPropertyDescription] = []
        var subentities: [NSEntityDescription] = []
        weak var superentity: NSEntityDescription?
        weak var model: NSManagedObjectModel?
        /// As they were set; nil for those of ``entity``.
        var constraints: [[Any]]?
        var indexes: [NSFetchIndexDescription] = []
        /// Once the model can't be changed any more.
        var propertiesWithPredicates: [NSPropertyDescription]?
    }

    let content: Content
    /// What an object is made of, while a context makes one.
    let seed: ManagedObjectSeed?

    /// Creates a description of an entity without properties.
    public override init() {
        (content, seed, heldModel) = (Content(), nil, nil)
        super.init()
    }

    /// The model, where nobody else may hold it.
    private let heldModel: NSManagedObjectModel?

    init(_ content: Content, seed: ManagedObjectSeed? = nil, of model: NSManagedObjectModel? = nil) {
        self.content = content
        self.seed = seed
        heldModel = model
        super.init()
    }

    /// Reads an entity with its model from an archive; nil for an archive that has none.
    public required convenience init?(coder: NSCoder) {
        guard let (entity, model) = Self.archived(in: coder) else { return nil }
        self.init(entity.content, of: model)
    }

    /// Archives the entity with its model. Traps for one that is not valid.
    open func encode(with coder: NSCoder) { archive(with: coder) }

    open class var supportsSecureCoding: Bool { true }

    func willEdit() { content.model?.willEdit() }

    // MARK: Finding and inserting

    /// The entity with this name in a context's model; nil if there is none.
    open class func entity(forEntityName name: String, in context: NSManagedObjectContext) -> NSEntityDescription? {
        context.managedObjectModel?.entitiesByName[name]
    }

    /// Inserts a new object of the entity with this name. Traps if the context's model has no such
    /// entity, or an abstract one.
    open class func insertNewObject(forEntityName name: String, into context: NSManagedObjectContext) -> NSManagedObject
    {
        guard let entity = entity(forEntityName: name, in: context) else {
            preconditionFailure("The context's model has no entity named \(name)")
        }
        return context.insertNewObject(of: entity)
    }

    // MARK: The entity

    /// The model that has the entity; nil as long as none does.
    open var managedObjectModel: NSManagedObjectModel {
        guard let model = content.model else {
            preconditionFailure("The entity \(content.entity.name) is of no model yet")
        }
        return model
    }

    /// The name of the entity.
    open var name: String? {
        get { content.entity.name.isEmpty ? nil : content.entity.name }
        set {
            willEdit()
            content.entity.name = newValue ?? ""
        }
    }
    /// The name of the class of the entity's objects, with its module; `NSManagedObject` for those
    /// without a class of their own.
    open var managedObjectClassName: String! {
        get { content.entity.managedObjectClassName ?? "NSManagedObject" }
        set {
            willEdit()
            content.entity.managedObjectClassName = newValue == "NSManagedObject" ? nil : newValue
        }
    }
    /// Whether only sub-entities have objects.
    open var isAbstract: Bool {
        get { content.entity.isAbstract }
        set {
            willEdit()
            content.entity.isAbstract = newValue
        }
    }
    /// Free-form keys and values of the model's author. Only texts are kept in model files.
    open var userInfo: [AnyHashable: Any]? {
        get { content.entity.userInfo }
        set {
            willEdit()
            content.entity.userInfo = UserInfo.texts(newValue)
        }
    }
    /// A text that changes the version hash.
    open var versionHashModifier: String? {
        get { content.entity.versionHashModifier }
        set {
            willEdit()
            content.entity.versionHashModifier = newValue
        }
    }
    /// The name in earlier versions of the model.
    open var renamingIdentifier: String? {
        get { content.entity.renamingIdentifier ?? name }
        set {
            willEdit()
            content.entity.renamingIdentifier = newValue
        }
    }
    /// The hash of what decides about the compatibility of stores.
    open var versionHash: Data {
        if let model = content.model, model.isFrozen, let name, let known = model.entityVersionHashesByName[name] {
            return known
        }
        var definition = content.entity
        definition.uniquenessConstraints = uniquenessConstraints.map { $0.map(Self.propertyName) }
        let persistent = properties.filter { !$0.isTransient && !($0.declaration is FetchedPropertyDescription) }
        return definition.versionHash(
            superentityHash: superentity?.versionHash, properties: persistent.map { ($0.name, $0.versionHash) })
    }
    /// The text that Spotlight shows. It is not kept: there is no Spotlight here.
    open var coreSpotlightDisplayNameExpression: NSExpression {
        get { NSExpression(forConstantValue: name) }
        set { willEdit() }
    }

    // MARK: The hierarchy

    /// The entity that this one inherits from.
    open var superentity: NSEntityDescription? { content.superentity }
    /// The entities that inherit from this one directly.
    open var subentities: [NSEntityDescription] {
        get { content.subentities }
        set {
            willEdit()
            for entity in content.subentities { entity.content.superentity = nil }
            content.subentities = newValue
            for entity in newValue {
                entity.content.superentity = self
                if entity.content.model == nil { entity.content.model = content.model }
            }
        }
    }
    /// The direct sub-entities by name.
    open var subentitiesByName: [String: NSEntityDescription] {
        Dictionary(subentities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether this is an entity or inherits from it.
    open func isKindOf(entity other: NSEntityDescription) -> Bool {
        var entity: NSEntityDescription? = self
        while let current = entity {
            if current.content === other.content || current.isEqual(other) { return true }
            entity = current.superentity
        }
        return false
    }

    // MARK: Properties

    /// All properties, inherited ones first. Setting it sets the entity's own.
    open var properties: [NSPropertyDescription] {
        get { (superentity?.properties ?? []) + content.properties }
        set {
            willEdit()
            let inherited = superentity?.properties ?? []
            content.properties = newValue.filter { property in !inherited.contains { $0 === property } }
            for property in content.properties { property.owner = self }
        }
    }
    /// All properties by name.
    open var propertiesByName: [String: NSPropertyDescription] {
        Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    }
    /// All attributes by name.
    open var attributesByName: [String: NSAttributeDescription] {
        propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
    }
    /// All relationships by name.
    open var relationshipsByName: [String: NSRelationshipDescription] {
        propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
    }
    /// The relationships that lead to an entity or what it inherits from.
    open func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter {
            $0.destinationEntity.map { entity.isKindOf(entity: $0) } ?? false
        }
    }

    /// The properties whose values have to satisfy predicates.
    var propertiesWithPredicates: [NSPropertyDescription] {
        if let known = content.propertiesWithPredicates { return known }
        // Bounds that a model file has are rules of Folio's model.
        let found = properties.filter { $0.ownRules?.isEmpty == false }
        if content.model?.isFrozen == true { content.propertiesWithPredicates = found }
        return found
    }

    /// Lists of attributes, or of their names, whose values together are unique in a store.
    open var uniquenessConstraints: [[Any]] {
        get { content.constraints ?? content.entity.uniquenessConstraints }
        set {
            willEdit()
            content.constraints = newValue
        }
    }
    /// The indexes that stores create.
    open var indexes: [NSFetchIndexDescription] {
        get { content.indexes }
        set {
            willEdit()
            content.indexes = newValue
            for index in newValue { index.entity = self }
        }
    }
    /// Indexes in the form of models from before 2017.
    open var compoundIndexes: [[Any]] {
        get { content.entity.compoundIndexes }
        set {
            willEdit()
            content.entity.compoundIndexes = newValue.map { $0.map(Self.propertyName) }
        }
    }

    static func propertyName(_ value: Any) -> String { (value as? NSPropertyDescription)?.name ?? "\(value)" }

    // MARK: Equality

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityDescription else { return false }
        if content === other.content { return true }
        guard name == other.name, let own = try? compiled(), let its = try? other.compiled() else { return false }
        return own == its
    }

    open override var hash: Int { content.entity.name.hashValue }

    open override var description: String { "<NSEntityDescription \(content.entity.name)>" }
}
