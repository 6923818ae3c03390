/// What happens to the objects at the other end when an object is deleted; the raw values are those
/// of compiled models.
public enum DeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// Nothing: their references to the deleted object are left dangling.
    case noAction = 0
    /// Their inverse is cleared.
    case nullify = 1
    /// They are deleted too.
    case cascade = 2
    /// The deletion is refused while there are any.
    case deny = 3
}

/// A relationship as a model declares it. Entities are named, not referenced: a description means
/// the same in every model.
///
/// ```swift
/// RelationshipDescription("books", to: "Book", inverse: "author", maxCount: 0, deleteRule: .cascade)
/// ```
public struct RelationshipDescription: Sendable, Hashable {
    /// A legal name: a letter or underscore, then letters, digits and underscores.
    public var name: String
    /// The entity of the objects it leads to; those of sub-entities are some too.
    public var destinationEntityName: String
    /// The relationship of the destination that leads back and is kept in step; nil for none.
    public var inverseName: String?
    /// The smallest number of objects; checked by validation only.
    public var minCount: Int
    /// The greatest number of objects, 0 (or −1) for any number. The relationship is to-one if and
    /// only if this is 1.
    public var maxCount: Int
    /// Whether an object can be saved without any.
    public var isOptional: Bool
    /// Whether a to-many relationship keeps the order of its objects.
    public var isOrdered: Bool
    /// Kept in memory and by undo, never in a store.
    public var isTransient: Bool
    /// What becomes of its objects when the owner is deleted.
    public var deleteRule: DeleteRule
    /// The old way of asking for an index, before Xcode 9.
    public var isIndexed: Bool
    /// The relationship's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// Changes the version hash without changing the relationship.
    public var versionHashModifier: String?
    /// What its authors noted with it; stores don't depend on it.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
    public var extraMarkup: [String: String]

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

    /// Whether its value is many objects.
    public var isToMany: Bool { maxCount != 1 }
}
