public import Foundation
import Query
import Schema

/// A property of an entity, as a model declares it.
///
/// Descriptions can be changed until a coordinator uses their model.
open class NSPropertyDescription: NSObject, NSSecureCoding {
    /// The entity that declares the property; nil as long as none does.
    weak var owner: NSEntityDescription?
    /// The entity that declares the property; one without a name as long as none does.
    open var entity: NSEntityDescription { owner ?? NSEntityDescription() }

    public override init() { super.init() }

    /// The model of a property that was read from an archive, which nobody else holds.
    var heldModel: NSManagedObjectModel?

    /// Reads a property with its entity and model from an archive; nil for an archive that has
    /// none.
    public required convenience init?(coder: NSCoder) {
        self.init()
        guard decode(from: coder) else { return nil }
    }

    /// Archives the property with its entity and model. Traps for one that is not valid.
    open func encode(with coder: NSCoder) { archive(with: coder) }

    func decode(from coder: NSCoder) -> Bool { fill(from: coder) }

    open class var supportsSecureCoding: Bool { true }

    /// Takes over what another description of the same kind has.
    func take(_ other: NSPropertyDescription) { other.copyCommon(to: self) }

    /// Checks that the model can still be changed, and forgets what was made of it.
    func willEdit() { owner?.willEdit() }

    /// A copy that belongs to no entity.
    func duplicate() -> NSPropertyDescription { preconditionFailure("\(type(of: self)) makes its own copies") }

    private var plain = PlainDeclaration()
    /// The part of the declaration that all kinds of properties have. Setting it does not check
    /// whether the model can be changed.
    var declaration: any PropertyDeclaration {
        get { plain }
        set { if let newValue = newValue as? PlainDeclaration { plain = newValue } }
    }

    private func edit(_ change: (inout any PropertyDeclaration) -> Void) {
        willEdit()
        change(&declaration)
    }

    /// The name of the property, unique in its entity.
    open var name: String {
        get { declaration.name }
        set { edit { $0.name = newValue } }
    }
    /// Whether an object can be saved without a value.
    open var isOptional: Bool {
        get { declaration.isOptional }
        set { edit { $0.isOptional = newValue } }
    }
    /// Whether the value is kept in memory only. Fetched properties always are: setting it has no
    /// effect on them.
    open var isTransient: Bool {
        get { declaration.isTransient }
        set { edit { $0.isTransient = newValue } }
    }
    /// Free-form keys and values of the model's author. Only texts are kept in model files.
    open var userInfo: [AnyHashable: Any]? {
        get { declaration.userInfo }
        set { edit { $0.userInfo = UserInfo.texts(newValue) } }
    }
    /// A text that changes the version hash.
    open var versionHashModifier: String? {
        get { declaration.versionHashModifier }
        set { edit { $0.versionHashModifier = newValue } }
    }
    /// The name in earlier versions of the model; the present name where nothing else was set.
    open var renamingIdentifier: String? {
        get { declaration.renamingIdentifier ?? name }
        set { edit { $0.renamingIdentifier = newValue } }
    }
    /// Whether models from before 2017 ask for an index. Setting it has no effect on fetched
    /// properties.
    open var isIndexed: Bool {
        get { declaration.isIndexed }
        set { edit { $0.isIndexed = newValue } }
    }
    /// Whether Spotlight indexes the property. It is kept of attributes, and not used.
    open var isIndexedBySpotlight: Bool {
        get { false }
        set { willEdit() }
    }
    /// Whether Spotlight's store holds the property, which there is not here. It is not kept.
    open var isStoredInExternalRecord: Bool {
        get { false }
        set { willEdit() }
    }
    /// The hash of what decides about compatibility: of the name, whether there must be a value,
    /// the modifier, and the type or the destination and the counts.
    open var versionHash: Data {
        FetchedPropertyDescription(
            name, fetchRequest: FetchRequestTemplate("", entityName: ""), isOptional: isOptional,
            versionHashModifier: versionHashModifier
        ).versionHash
    }
    /// The predicates that were set, with their warnings; nil as long as none were.
    var ownRules: [PropertyRule]?
    /// What values must satisfy: what was set, or what the model's file says.
    var rules: [PropertyRule] { ownRules ?? [] }
    /// The predicates that values must satisfy.
    open var validationPredicates: [NSPredicate] { rules.map(\.predicate) }
    /// The warnings for values that do not satisfy a predicate, in the order of the predicates: a
    /// text, or the number of an error for a bound that a model file has.
    open var validationWarnings: [Any] { rules.compactMap(\.warning) }

    /// Sets predicates that values must satisfy before a save, with a text for each, which becomes
    /// the error's description.
    ///
    /// A value that there is not, of an optional property, is asked for by no predicate.
    open func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        willEdit()
        let warnings = validationWarnings ?? []
        ownRules = (validationPredicates ?? []).enumerated().map { index, predicate in
            PropertyRule(predicate: predicate, warning: index < warnings.count ? warnings[index] : nil)
        }
    }

    /// Copies what every kind has to another description of the same kind.
    func copyCommon(to other: NSPropertyDescription) {
        other.declaration = declaration
        other.ownRules = ownRules
    }

    open override var description: String { "<\(type(of: self)) \(name)>" }
}

extension NSPropertyDescription: NSCopying {
    /// A description of its own, which belongs to no entity.
    public func copy(with zone: NSZone? = nil) -> Any { duplicate() }
}

/// An attribute, as a model declares it.
open class NSAttributeDescription: NSPropertyDescription {
    var attribute = AttributeDescription("", .undefined)

    /// Creates a description of an optional attribute without a type.
    public override init() { super.init() }

    init(_ attribute: AttributeDescription) {
        self.attribute = attribute
        super.init()
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSAttributeDescription(attribute)
        copyCommon(to: copy)
        return copy
    }

    override func copyCommon(to other: NSPropertyDescription) {
        super.copyCommon(to: other)
        (other as? NSAttributeDescription)?.ownClassName = ownClassName
        (other as? NSAttributeDescription)?.ownDefault = ownDefault
    }

    override var declaration: any PropertyDeclaration {
        get { attribute }
        set { if let newValue = newValue as? AttributeDescription { attribute = newValue } }
    }

    private func edit(_ change: (inout AttributeDescription) -> Void) {
        willEdit()
        change(&attribute)
    }

    open override var versionHash: Data { attribute.versionHash }
    open override var isIndexedBySpotlight: Bool {
        get { attribute.isIndexedBySpotlight }
        set { edit { $0.isIndexedBySpotlight = newValue } }
    }
    /// The type of the values.
    open var attributeType: NSAttributeType {
        get { NSAttributeType(rawValue: UInt(attribute.type.rawValue)) ?? .undefinedAttributeType }
        set { edit { $0.type = Schema.AttributeType(rawValue: Int(newValue.rawValue)) ?? .undefined } }
    }

    /// The type of the values, by its newer name.
    open var type: AttributeType {
        get { AttributeType(rawValue: attributeType) }
        set { attributeType = newValue.rawValue }
    }

    /// The type of an attribute, by its newer names.
    public struct AttributeType: RawRepresentable, Sendable, Hashable {
        public let rawValue: NSAttributeType
        public init(rawValue: NSAttributeType) { self.rawValue = rawValue }
        /// No declared type.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A signed integer of 16 bits.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A signed integer of 32 bits.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A signed integer of 64 bits.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A floating-point number of 64 bits.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A floating-point number of 32 bits.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// Text.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// A truth value.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URL.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// A value that a transformer converts.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// The ID of an object.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// A group of attributes.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }

    /// The name of the class of the values.
    open var attributeValueClassName: String? {
        get { ownClassName ?? attribute.attributeValueClassName ?? Self.classNames[attributeType] }
        set {
            ownClassName = newValue
            edit { $0.attributeValueClassName = $0.type == .transformable ? newValue : nil }
        }
    }
    private var ownClassName: String?

    private static let classNames: [NSAttributeType: String] = [
        .integer16AttributeType: "NSNumber", .integer32AttributeType: "NSNumber", .integer64AttributeType: "NSNumber",
        .decimalAttributeType: "NSDecimalNumber", .doubleAttributeType: "NSNumber", .floatAttributeType: "NSNumber",
        .stringAttributeType: "NSString", .booleanAttributeType: "NSNumber", .dateAttributeType: "NSDate",
        .binaryDataAttributeType: "NSData", .UUIDAttributeType: "NSUUID", .URIAttributeType: "NSURL",
        .objectIDAttributeType: "NSManagedObjectID",
    ]

    /// The default value of a transformable attribute, as it was set.
    private var ownDefault: Any?

    /// The value in a new object. A model traps as it comes into use for a value that no attribute
    /// can have, and for one that the attribute's transformer refuses.
    open var defaultValue: Any? {
        get {
            if let ownDefault { return ownDefault }
            guard attribute.type == .transformable, case .data(let data)? = attribute.defaultValue else {
                return attribute.defaultValue.flatMap { BridgedValue.plain($0, in: nil) }
            }
            return TransformableValue.value(of: data, attribute)
        }
        set {
            // What is kept of a transformable value depends on the transformer, which may be named
            // later.
            let value = attribute.type == .transformable ? nil : BridgedValue.propertyValue(newValue)
            ownDefault = value == nil ? newValue : nil
            edit { $0.defaultValue = value == .null ? nil : value }
        }
    }

    /// The declaration with the default value as it is stored.
    var declared: AttributeDescription {
        guard let ownDefault, !(ownDefault is NSNull) else { return attribute }
        var attribute = attribute
        if attribute.type == .transformable {
            do { attribute.defaultValue = .data(try TransformableValue.data(of: ownDefault, attribute)) } catch {
                preconditionFailure("\(name) can't have this default value: \(error)")
            }
            return attribute
        }
        guard let value = BridgedValue.propertyValue(ownDefault) else {
            preconditionFailure(
                "\(name) can't have a default value of the type \(Swift.type(of: ownDefault))")
        }
        attribute.defaultValue = value
        return attribute
    }

    /// The name of the transformer of a transformable attribute.
    open var valueTransformerName: String? {
        get { attribute.valueTransformerName }
        set { edit { $0.valueTransformerName = newValue } }
    }
    /// Whether large values may be kept in files of their own.
    open var allowsExternalBinaryDataStorage: Bool {
        get { attribute.allowsExternalBinaryDataStorage }
        set { edit { $0.allowsExternalBinaryDataStorage = newValue } }
    }
    /// Whether the history keeps the value of a deleted object.
    open var preservesValueInHistoryOnDeletion: Bool {
        get { attribute.preservesValueInHistoryOnDeletion }
        set { edit { $0.preservesValueInHistoryOnDeletion = newValue } }
    }
    /// Whether CloudKit encrypts the value. It is kept, and not used.
    open var allowsCloudEncryption: Bool {
        get { attribute.allowsCloudEncryption }
        set { edit { $0.allowsCloudEncryption = newValue } }
    }

    open override func setValidationPredicates(
        _ validationPredicates: [NSPredicate]?, withValidationWarnings validationWarnings: [String]?
    ) {
        super.setValidationPredicates(validationPredicates, withValidationWarnings: validationWarnings)
        edit { $0.takeBounds(of: validationPredicates ?? []) }
    }

    override var rules: [PropertyRule] { ownRules ?? attribute.boundRules }
}

/// A relationship, as a model declares it.
open class NSRelationshipDescription: NSPropertyDescription {
    var relationship = RelationshipDescription("", to: "", minCount: 0, maxCount: 0, deleteRule: .nullify)
    private weak var target: NSEntityDescription?
    private weak var inverse: NSRelationshipDescription?

    /// Creates a description of an optional to-many relationship without a destination.
    public override init() { super.init() }

    init(_ relationship: RelationshipDescription) {
        self.relationship = relationship
        super.init()
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSRelationshipDescription(relationship)
        copyCommon(to: copy)
        copy.relationship = named
        return copy
    }

    /// The description with the names of what it leads to.
    var named: RelationshipDescription {
        var relationship = relationship
        if let target { relationship.destinationEntityName = target.name ?? "" }
        if let inverse { relationship.inverseName = inverse.name }
        return relationship
    }

    override var declaration: any PropertyDeclaration {
        get { relationship }
        set { if let newValue = newValue as? RelationshipDescription { relationship = newValue } }
    }

    private func edit(_ change: (inout RelationshipDescription) -> Void) {
        willEdit()
        change(&relationship)
    }

    /// Finds what the names lead to.
    func resolve(_ entities: [String: NSEntityDescription]) {
        if target == nil { target = entities[relationship.destinationEntityName] }
        if inverse == nil, let name = relationship.inverseName {
            inverse = target?.propertiesByName[name] as? NSRelationshipDescription
        }
    }

    open override var versionHash: Data { named.versionHash }
    /// The entity that the relationship leads to.
    open var destinationEntity: NSEntityDescription? {
        get { target }
        set {
            edit { $0.destinationEntityName = newValue?.name ?? "" }
            target = newValue
        }
    }
    /// The relationship at the other end, which follows.
    open var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set {
            edit { $0.inverseName = newValue?.name }
            inverse = newValue
        }
    }
    /// The greatest number of objects; 0 for no limit, 1 for a to-one relationship.
    open var maxCount: Int {
        get { relationship.maxCount }
        set { edit { $0.maxCount = newValue } }
    }
    /// The smallest number of objects.
    open var minCount: Int {
        get { relationship.minCount }
        set { edit { $0.minCount = newValue } }
    }
    /// What deleting an object does to those at the other end.
    open var deleteRule: NSDeleteRule {
        get { NSDeleteRule(rawValue: UInt(relationship.deleteRule.rawValue)) ?? .nullifyDeleteRule }
        set { edit { $0.deleteRule = DeleteRule(rawValue: Int(newValue.rawValue)) ?? .nullify } }
    }
    /// Whether there can be several objects.
    open var isToMany: Bool { relationship.isToMany }
    /// Whether the objects have an order.
    open var isOrdered: Bool {
        get { relationship.isOrdered }
        set { edit { $0.isOrdered = newValue } }
    }
}
