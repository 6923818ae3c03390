import Foundation
public import Schema

/// A property as a class declares it, from which the model is created.
public struct _SchemaProperty {
    enum Content {
        case attribute(AttributeDescription)
        /// The destination is given by its class and the inverse by its key path; names are
        /// determined when all classes of the model are known.
        case relationship(RelationshipDescription, destination: ManagedObject.Type, inverse: AnyKeyPath?)
    }

    let content: Content
    let isUnique: Bool

    var name: String {
        switch content {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship, _, _): relationship.name
        }
    }
}

/// An option of `@Attribute`, named as in SwiftData.
public struct AttributeOption: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case unique, externalStorage, preserveValueOnDeletion, ephemeral, spotlight, allowsCloudEncryption, fullText
        case transformable(String)
    }

    let content: Content

    /// The value is unique among the objects of the entity.
    public static let unique = AttributeOption(content: .unique)
    /// Large values are stored in files beside the store. The property has the type ``LargeValue``.
    public static let externalStorage = AttributeOption(content: .externalStorage)
    /// The value is kept in the history's tombstone when the object is deleted.
    public static let preserveValueOnDeletion = AttributeOption(content: .preserveValueOnDeletion)
    /// The value is kept in memory and by undo only, and never written to a store.
    public static let ephemeral = AttributeOption(content: .ephemeral)
    /// `SEARCH` finds the words of the attribute through a full-text index; see
    /// ``AttributeDescription/isFullTextIndexed``.
    public static let fullText = AttributeOption(content: .fullText)
    /// Marks the attribute for Apple's Spotlight. Folio keeps the setting and does not use it.
    public static let spotlight = AttributeOption(content: .spotlight)
    /// Marks the attribute for encryption by CloudKit. Folio keeps the setting and does not use it.
    public static let allowsCloudEncryption = AttributeOption(content: .allowsCloudEncryption)
    /// The attribute is transformable, with a transformer of this name.
    public static func transformable(by name: String) -> AttributeOption {
        AttributeOption(content: .transformable(name))
    }
}

/// The arguments of `@Attribute`.
public struct _AttributeOptions: Sendable {
    var options: [AttributeOption]
    var originalName: String?
    var hashModifier: String?
    var range: (PropertyValue?, PropertyValue?)
    var pattern: String?

    /// Creates the arguments; `@Model` generates the call.
    public init(
        _ options: AttributeOption..., originalName: String? = nil, hashModifier: String? = nil,
        minimum: PropertyValue? = nil, maximum: PropertyValue? = nil,
        pattern: String? = nil
    ) {
        self.options = options
        self.originalName = originalName
        self.hashModifier = hashModifier
        self.range = (minimum, maximum)
        self.pattern = pattern
    }
}

/// The arguments of `@Relationship`.
public struct _RelationshipOptions {
    var deleteRule: DeleteRule
    var minimumModelCount: Int
    var maximumModelCount: Int
    var originalName: String?
    var inverse: AnyKeyPath?
    var hashModifier: String?
    var isOrdered: Bool

    /// Creates the arguments; `@Model` generates the call.
    public init(
        deleteRule: DeleteRule = .nullify, minimumModelCount: Int = 0, maximumModelCount: Int = 0,
        originalName: String? = nil, inverse: AnyKeyPath? = nil,
        hashModifier: String? = nil, isOrdered: Bool = false
    ) {
        self.deleteRule = deleteRule
        self.minimumModelCount = minimumModelCount
        self.maximumModelCount = maximumModelCount
        self.originalName = originalName
        self.inverse = inverse
        self.hashModifier = hashModifier
        self.isOrdered = isOrdered
    }
}

extension _SchemaProperty {
    init(_ attribute: AttributeDescription, _ options: _AttributeOptions) {
        var attribute = attribute
        var isUnique = false
        attribute.renamingIdentifier = options.originalName
        attribute.versionHashModifier = options.hashModifier
        attribute.regularExpression = options.pattern
        for option in options.options {
            switch option.content {
            case .unique: isUnique = true
            case .externalStorage: attribute.allowsExternalBinaryDataStorage = true
            case .preserveValueOnDeletion: attribute.preservesValueInHistoryOnDeletion = true
            case .ephemeral: attribute.isTransient = true
            case .fullText: attribute.isFullTextIndexed = true
            case .spotlight: attribute.isIndexedBySpotlight = true
            case .allowsCloudEncryption: attribute.allowsCloudEncryption = true
            case .transformable(let name):
                attribute.type = .transformable
                attribute.valueTransformerName = name
            }
        }
        attribute.minimumValue = options.range.0.map { attribute.bound($0) }
        attribute.maximumValue = options.range.1.map { attribute.bound($0) }
        self.init(content: .attribute(attribute), isUnique: isUnique)
    }
}
