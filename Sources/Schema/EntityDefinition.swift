/// An entity, as a model declares it: its own properties, with other entities referred to by name.
///
/// Use descriptions to build models and to read the declarations of a model file. Inherited
/// properties and sub-entities are found at the model's ``EntityDescription``.
///
/// ```swift
/// EntityDefinition("Book", attributes: [.init("title", .string)], relationships: [.init("author", to: "Author", inverse: "books")])
/// ```
public struct EntityDefinition: Sendable, Hashable {
    /// The entity's name: a letter or underscore, followed by letters, digits and underscores.
    public var name: String
    /// The name of the class of the entity's objects; nil for ``ManagedObject``.
    public var managedObjectClassName: String?
    /// The name of the entity that this one inherits from; nil for the root of a hierarchy.
    public var superentityName: String?
    /// Whether only sub-entities of this entity have objects.
    public var isAbstract: Bool
    /// The attributes that this entity declares, without inherited ones.
    public var attributes: [AttributeDescription]
    /// The relationships that this entity declares, without inherited ones.
    public var relationships: [RelationshipDescription]
    /// The fetched properties that this entity declares, without inherited ones.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// Lists of attribute names; the values of a list together are unique in a store.
    public var uniquenessConstraints: [[String]]
    /// The indexes that stores create. They affect speed only.
    public var indexes: [FetchIndexDescription]
    /// Indexes over several properties in the form of models from before Xcode 9.
    public var compoundIndexes: [[String]]
    /// The entity's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// A text that changes the version hash without changing the entity otherwise.
    public var versionHashModifier: String?
    /// Free-form keys and values of the model's author; not part of the version hash.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio does not interpret, kept so that it can be written back.
    public var extraMarkup: [String: String]

    /// Creates a description of an entity.
    ///
    /// Only the name is required. The parameters have the meaning of the properties of the same
    /// name. Nothing is checked here; ``ManagedObjectModel/init(_:)`` checks the model as a whole.
    public init(
        _ name: String, managedObjectClassName: String? = nil, superentityName: String? = nil, isAbstract: Bool = false,
        attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
        fetchedProperties: [FetchedPropertyDescription] = [],
        uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [], compoundIndexes: [[String]] = [],
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: String] = [:],
        extraMarkup: [String: String] = [:]
    ) {
        self.name = name
        self.managedObjectClassName = managedObjectClassName
        self.superentityName = superentityName
        self.isAbstract = isAbstract
        self.attributes = attributes
        self.relationships = relationships
        self.fetchedProperties = fetchedProperties
        self.uniquenessConstraints = uniquenessConstraints
        self.indexes = indexes
        self.compoundIndexes = compoundIndexes
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.extraMarkup = extraMarkup
    }
}
