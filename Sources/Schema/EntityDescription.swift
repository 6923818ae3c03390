/// An entity as a model declares it: its own properties, and other entities by name.
///
/// A value to build models from and to read what a model file says. What follows from the model as
/// a whole (inherited properties, sub-entities) is found at the model's ``Entity``.
///
/// ```swift
/// EntityDescription("Book", attributes: [.init("title", .string)], relationships: [.init("author", to: "Author", inverse: "books")])
/// ```
public struct EntityDescription: Sendable, Hashable {
    /// A legal name: a letter or underscore, then letters, digits and underscores.
    public var name: String
    /// The class of the entity's objects; nil is `ManagedObject`.
    public var managedObjectClassName: String?
    /// The entity that it inherits from; nil for the root of a hierarchy.
    public var superentityName: String?
    /// Whether there are objects of sub-entities only.
    public var isAbstract: Bool
    /// Its own; what it inherits stands in its ancestors.
    public var attributes: [AttributeDescription]
    /// Its own; what it inherits stands in its ancestors.
    public var relationships: [RelationshipDescription]
    /// Its own; what it inherits stands in its ancestors.
    public var fetchedProperties: [FetchedPropertyDescription]
    /// Each a list of attribute names whose values together occur once in a store.
    public var uniquenessConstraints: [[String]]
    /// What stores are to index; they affect speed alone.
    public var indexes: [FetchIndexDescription]
    /// The old form of indexes over several properties, before Xcode 9.
    public var compoundIndexes: [[String]]
    /// The entity's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// Changes the version hash without changing the entity.
    public var versionHashModifier: String?
    /// What its authors noted with it; stores don't depend on it.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
    public var extraMarkup: [String: String]

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
