/// An attribute as a model declares it.
///
/// ```swift
/// AttributeDescription("title", .string, isOptional: false, defaultValue: .string("Untitled"))
/// ```
public struct AttributeDescription: Sendable, Hashable {
    /// A legal name: a letter or underscore, then letters, digits and underscores.
    public var name: String
    /// The type of its values; it enters the version hash.
    public var type: AttributeType
    /// Whether an object can be saved without a value.
    public var isOptional: Bool
    /// Kept in memory and by undo, never in a store.
    public var isTransient: Bool
    /// What a new object starts with; nil for none.
    public var defaultValue: PropertyValue?
    /// The smallest valid number or date, inclusive; for a string its smallest length in UTF-16
    /// units.
    public var minimumValue: PropertyValue?
    /// The largest valid number or date, inclusive; for a string its greatest length in UTF-16
    /// units.
    public var maximumValue: PropertyValue?
    /// A pattern that a string must match as a whole.
    public var regularExpression: String?
    /// The name of the value transformer of a transformable attribute; nil is the default one.
    public var valueTransformerName: String?
    /// The class of a transformable's values, as free text.
    public var attributeValueClassName: String?
    /// Large values may be kept in files beside the store.
    public var allowsExternalBinaryDataStorage: Bool
    /// The value is kept in the history's tombstone when the object is deleted.
    public var preservesValueInHistoryOnDeletion: Bool
    /// The format text of a derived attribute's expression, such as `items.@count`; nil if the
    /// attribute is not derived.
    public var derivationExpression: String?
    /// The name of the composite that a composite attribute's value is an instance of.
    public var compositeName: String?
    /// The old way of asking for an index, before Xcode 9.
    public var isIndexed: Bool
    /// Kept for Apple's Spotlight; Folio gives it no meaning.
    public var isIndexedBySpotlight: Bool
    /// Kept for CloudKit; Folio gives it no meaning.
    public var allowsCloudEncryption: Bool
    /// Code generation uses the scalar type; has no effect on stored values.
    public var usesScalarValueType: Bool
    /// The attribute's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// Changes the version hash without changing the attribute.
    public var versionHashModifier: String?
    /// What its authors noted with it; stores don't depend on it.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
    public var extraMarkup: [String: String]

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

    /// Whether the model says that the value is computed from others; the triggers of Apple's
    /// stores do it.
    public var isDerived: Bool { derivationExpression != nil }
}
