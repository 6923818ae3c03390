/// What happens to the objects at the other end when an object is deleted; the raw values are those of compiled models.
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

/// A relationship as a model declares it. Entities are named, not referenced: a description means the same in every model.
///
/// ```swift
/// RelationshipDescription("books", to: "Book", inverse: "author", maxCount: 0, deleteRule: .cascade)
/// ```
public struct RelationshipDescription: Sendable, Hashable {
    public var name: String
    public var destinationEntityName: String
    public var inverseName: String?
    /// The smallest number of objects; checked by validation only.
    public var minCount: Int
    /// The greatest number of objects, 0 (or −1) for any number. The relationship is to-one if and only if this is 1.
    public var maxCount: Int
    public var isOptional: Bool
    public var isOrdered: Bool
    public var isTransient: Bool
    public var deleteRule: DeleteRule
    public var isIndexed: Bool
    /// The relationship's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String]
    /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
    public var extraMarkup: [String: String]

    public init(
        _ name: String, to destinationEntityName: String, inverse inverseName: String? = nil, minCount: Int = 0, maxCount: Int = 1,
        isOptional: Bool = true, isOrdered: Bool = false, isTransient: Bool = false, deleteRule: DeleteRule = .nullify, isIndexed: Bool = false,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: String] = [:], extraMarkup: [String: String] = [:]
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

    public var isToMany: Bool { maxCount != 1 }
}
