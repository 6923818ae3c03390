import Foundation
public import Schema

/// A property as a class declares it, on the way to a model.
public struct SchemaProperty {
    enum Content {
        case attribute(AttributeDescription)
        /// The destination is named by its class, the inverse by its key path, until all classes of
        /// the model are known.
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

/// What an attribute is beside its type, in SwiftData's words.
public struct AttributeOption: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case unique, externalStorage, preserveValueOnDeletion, ephemeral, spotlight, allowsCloudEncryption, fullText
        case transformable(String)
    }

    let content: Content

    /// No two objects of the entity have the same value.
    public static let unique = AttributeOption(content: .unique)
    /// Large values are kept in files beside the store. The property's type is `LargeValue`.
    public static let externalStorage = AttributeOption(content: .externalStorage)
    /// The history's tombstone of a deleted object has the value.
    public static let preserveValueOnDeletion = AttributeOption(content: .preserveValueOnDeletion)
    /// Kept in memory and by undo, never in a store.
    public static let ephemeral = AttributeOption(content: .ephemeral)
    /// SEARCH finds the attribute's words by an index; see
    /// ``AttributeDescription/isFullTextIndexed``.
    public static let fullText = AttributeOption(content: .fullText)
    public static let spotlight = AttributeOption(content: .spotlight)
    public static let allowsCloudEncryption = AttributeOption(content: .allowsCloudEncryption)
    /// The model names the value transformer that made the attribute's bytes.
    public static func transformable(by name: String) -> AttributeOption {
        AttributeOption(content: .transformable(name))
    }
}

/// The arguments of `@Attribute`.
public struct AttributeOptions: Sendable {
    var options: [AttributeOption]
    var originalName: String?
    var hashModifier: String?
    var range: (PropertyValue?, PropertyValue?)
    var pattern: String?

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
public struct RelationshipOptions {
    var deleteRule: DeleteRule
    var minimumModelCount: Int
    var maximumModelCount: Int
    var originalName: String?
    var inverse: AnyKeyPath?
    var hashModifier: String?
    var isOrdered: Bool

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

extension SchemaProperty {
    init(_ attribute: AttributeDescription, _ options: AttributeOptions) {
        var attribute = attribute
        var isUnique = false
        attribute.renamingIdentifier = options.originalName
        attribute.versionHashModifier = options.hashModifier
        attribute.minimumValue = options.range.0?.converted(to: attribute)
        attribute.maximumValue = options.range.1?.converted(to: attribute)
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
        self.init(content: .attribute(attribute), isUnique: isUnique)
    }
}
