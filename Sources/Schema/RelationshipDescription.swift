/// The effect of deleting an object on the objects at the other end of a relationship. The raw
/// values are those of compiled models.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// No effect. Their references to the deleted object are left dangling.
    case noAction = 0
    /// Their inverse relationship is set to nil, or the object is removed from it.
    case nullify = 1
    /// They are deleted, too.
    case cascade = 2
    /// The object can't be deleted while the relationship has any object.
    case deny = 3
}

/// A relationship, as a model declares it. Entities are referred to by name.
///
/// ```swift
/// RelationshipDescription("books", to: "Book", inverse: "author", maxCount: 0, deleteRule: .cascade)
/// ```
public struct RelationshipDescription: Sendable, Hashable {
    /// The relationship's name: a letter or underscore, followed by letters, digits and
    /// underscores.
    public var name: String
    /// The name of the destination entity; objects of its sub-entities are allowed, too.
    public var destinationEntityName: String
    /// The name of the inverse relationship at the destination, which is kept consistent; nil for
    /// none.
    public var inverseName: String?
    /// The inverse that a model file names and that is not one, such as a relationship with another
    /// inverse. It counts for the version hash only, and is written back.
    package var unmatchedInverseName: String?
    /// The minimum number of objects, checked by validation only.
    public var minCount: Int
    /// The maximum number of objects; 0 or −1 for no limit. The relationship is to-one if and only
    /// if this is 1.
    public var maxCount: Int
    /// Whether an object can be saved without an object at the other end.
    public var isOptional: Bool
    /// Whether a to-many relationship is ordered.
    public var isOrdered: Bool
    /// Whether the relationship is kept in memory and by undo only, and never written to a store.
    public var isTransient: Bool
    /// The effect of deleting the owner on the objects of the relationship.
    public var deleteRule: DeleteRule
    /// Whether models from before Xcode 9 ask for an index. It has no effect: stores index foreign
    /// keys anyway.
    public var isIndexed: Bool
    /// The relationship's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// A text that changes the version hash without changing the relationship otherwise.
    public var versionHashModifier: String?
    /// Free-form keys and values of the model's author; not part of the version hash.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio does not interpret, kept so that it can be written back.
    public var extraMarkup: [String: String]

    /// Creates a description of a relationship.
    ///
    /// The name and the destination are required; the default is a to-one relationship. The other
    /// parameters have the meaning of the properties of the same name. Nothing is checked here;
    /// ``ManagedObjectModel/init(_:)`` checks the model as a whole.
    public init(
        _ name: String, to destinationEntityName: String, inverse inverseName: String? = nil, minCount: Int = 0,
        maxCount: Int = 1,
        isOptional: Bool = true, isOrdered: Bool = false, isTransient: Bool = false, deleteRule: DeleteRule = .nullify,
        isIndexed: Bool = false,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: String] = [:],
        extraMarkup: [String: String] = [:]
    ) {
        self.name = name
        self.destinationEntityName = destinationEntityName
        self.inverseName = inverseName
        self.minCount = minCount
        self.maxCount = maxCount
        self.isOptional = isOptional
        self.isOrdered = isOrdered
        self.isTransient = isTransient
        self.deleteRule = deleteRule
        self.isIndexed = isIndexed
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.extraMarkup = extraMarkup
    }

    /// Whether the relationship is to-many.
    public var isToMany: Bool { maxCount != 1 }
}
