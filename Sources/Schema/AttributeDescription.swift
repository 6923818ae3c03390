/// An attribute, as a model declares it.
///
/// ```swift
/// AttributeDescription("title", .string, isOptional: false, defaultValue: .string("Untitled"))
/// ```
public struct AttributeDescription: Sendable, Hashable {
    /// The attribute's name: a letter or underscore, followed by letters, digits and underscores.
    public var name: String
    /// The type of the attribute's values; part of the version hash.
    public var type: AttributeType
    /// Whether an object can be saved without a value.
    public var isOptional: Bool
    /// Whether the value is kept in memory and by undo only, and never written to a store.
    public var isTransient: Bool
    /// The value of the attribute in a new object; nil for none.
    public var defaultValue: PropertyValue?
    /// The smallest valid number or the earliest valid date, inclusive; for a string, its minimum
    /// length in UTF-16 code units.
    public var minimumValue: PropertyValue?
    /// The largest valid number or the latest valid date, inclusive; for a string, its maximum
    /// length in UTF-16 code units.
    public var maximumValue: PropertyValue?
    /// A regular expression that must match the whole string.
    public var regularExpression: String?
    /// The name of the transformer of a transformable attribute, as registered with
    /// ``AttributeTransformers``; nil for ``SecureArchiveTransformer``.
    public var valueTransformerName: String?
    /// The class of a transformable attribute's values; informative only.
    public var attributeValueClassName: String?
    /// Whether large values may be stored in files beside the store.
    public var allowsExternalBinaryDataStorage: Bool
    /// Whether the value is kept in the history's tombstone when the object is deleted.
    public var preservesValueInHistoryOnDeletion: Bool
    /// The format text of a derived attribute's expression, such as `items.@count`; nil if the
    /// attribute is not derived.
    public var derivationExpression: String?
    /// The name of the ``CompositeDescription`` that a composite attribute consists of.
    public var compositeName: String?
    /// Whether the attribute has an index of its own, as models from before Xcode 9 ask for it;
    /// later models use ``EntityDefinition/indexes``.
    public var isIndexed: Bool
    /// Whether Apple's Spotlight indexes the attribute. Folio keeps the setting and does not use
    /// it.
    public var isIndexedBySpotlight: Bool
    /// Whether CloudKit encrypts the attribute. Folio keeps the setting and does not use it.
    public var allowsCloudEncryption: Bool
    /// Whether generated code declares the property with a scalar type. Stored values are the same.
    public var usesScalarValueType: Bool
    /// The attribute's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// A text that changes the version hash without changing the attribute otherwise.
    public var versionHashModifier: String?
    /// Free-form keys and values of the model's author; not part of the version hash.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio does not interpret, kept so that it can be written back.
    public var extraMarkup: [String: String]

    /// Creates a description of an attribute.
    ///
    /// Only the name and the type are required. The parameters have the meaning of the properties
    /// of the same name. Nothing is checked here; ``ManagedObjectModel/init(_:)`` checks the model
    /// as a whole.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = true, isTransient: Bool = false,
        defaultValue: PropertyValue? = nil,
        minimumValue: PropertyValue? = nil, maximumValue: PropertyValue? = nil, regularExpression: String? = nil,
        valueTransformerName: String? = nil, attributeValueClassName: String? = nil,
        allowsExternalBinaryDataStorage: Bool = false,
        preservesValueInHistoryOnDeletion: Bool = false, derivationExpression: String? = nil,
        compositeName: String? = nil,
        isIndexed: Bool = false, isIndexedBySpotlight: Bool = false, allowsCloudEncryption: Bool = false,
        usesScalarValueType: Bool = false,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: String] = [:],
        extraMarkup: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.defaultValue = defaultValue
        self.minimumValue = minimumValue
        self.maximumValue = maximumValue
        self.regularExpression = regularExpression
        self.valueTransformerName = valueTransformerName
        self.attributeValueClassName = attributeValueClassName
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.derivationExpression = derivationExpression
        self.compositeName = compositeName
        self.isIndexed = isIndexed
        self.isIndexedBySpotlight = isIndexedBySpotlight
        self.allowsCloudEncryption = allowsCloudEncryption
        self.usesScalarValueType = usesScalarValueType
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.extraMarkup = extraMarkup
    }

    /// Whether the value is computed by the store from other values, by ``derivationExpression``.
    public var isDerived: Bool { derivationExpression != nil }
}
