public import Foundation
import Query
import Schema

/// The type of an attribute's values. The raw values are part of version hashes.
public enum NSAttributeType: UInt, Sendable, Hashable {
    /// No declared type; for transient attributes only.
    case undefinedAttributeType = 0
    /// A signed integer of 16 bits.
    case integer16AttributeType = 100
    /// A signed integer of 32 bits.
    case integer32AttributeType = 200
    /// A signed integer of 64 bits.
    case integer64AttributeType = 300
    /// A decimal number.
    case decimalAttributeType = 400
    /// A floating-point number of 64 bits.
    case doubleAttributeType = 500
    /// A floating-point number of 32 bits.
    case floatAttributeType = 600
    /// Text.
    case stringAttributeType = 700
    /// A truth value.
    case booleanAttributeType = 800
    /// A point in time.
    case dateAttributeType = 900
    /// Bytes.
    case binaryDataAttributeType = 1000
    /// A UUID.
    case UUIDAttributeType = 1100
    /// A URL.
    case URIAttributeType = 1200
    /// A value that a transformer converts to data.
    case transformableAttributeType = 1800
    /// The ID of an object.
    case objectIDAttributeType = 2000
    /// A group of attributes.
    case compositeAttributeType = 2100
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
    }

    override var declaration: any PropertyDeclaration {
        get { attribute }
        set { if let newValue = newValue as? AttributeDescription { attribute = newValue } }
    }

    private func edit(_ change: (inout AttributeDescription) -> Void) {
        willEdit()
        change(&attribute)
    }

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

    /// The value in a new object. Traps for a value that no attribute can have.
    open var defaultValue: Any? {
        get { attribute.defaultValue.flatMap { BridgedValue.plain($0, in: nil) } }
        set {
            guard let newValue else { return edit { $0.defaultValue = nil } }
            if attribute.type == .transformable {
                do {
                    let data = try TransformableValue.data(of: newValue, attribute)
                    return edit { $0.defaultValue = .data(data) }
                } catch {
                    preconditionFailure("\(name) can't have this default value: \(error)")
                }
            }
            guard let value = BridgedValue.propertyValue(newValue) else {
                preconditionFailure("An attribute can't have a default value of the type \(Swift.type(of: newValue))")
            }
            edit { $0.defaultValue = value }
        }
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
        edit { attribute in
            (attribute.minimumValue, attribute.maximumValue, attribute.regularExpression) = (nil, nil, nil)
            for predicate in validationPredicates ?? [] { Self.take(predicate, into: &attribute) }
        }
    }

    /// The bounds that models keep as values: `SELF >= 1`, `length <= 20`, `SELF MATCHES "…"`.
    private static func take(_ predicate: NSPredicate, into attribute: inout AttributeDescription) {
        guard case .comparison(let comparison)? = try? predicate.fetchPredicate(),
            case .constant(let value) = comparison.right
        else { return }
        switch (comparison.left, comparison.operator) {
        case (.evaluatedObject, .greaterOrEqual), (.keyPath(_, ["length"]), .greaterOrEqual):
            attribute.minimumValue = value
        case (.evaluatedObject, .lessOrEqual), (.keyPath(_, ["length"]), .lessOrEqual): attribute.maximumValue = value
        case (.evaluatedObject, .matches):
            if case .string(let pattern) = value { attribute.regularExpression = pattern }
        default: break
        }
    }
}

/// An attribute that the store computes from others.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The expression that computes the value.
    open var derivationExpression: NSExpression? {
        get {
            attribute.derivationExpression.flatMap { text in
                (try? QueryExpression(format: text)).map { NSExpression($0) }
            }
        }
        set {
            willEdit()
            attribute.derivationExpression = newValue?.query.expressionFormat
        }
    }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSDerivedAttributeDescription(attribute)
        copyCommon(to: copy)
        return copy
    }
}

/// An attribute that is a group of others.
open class NSCompositeAttributeDescription: NSAttributeDescription {
    /// The attributes of the group.
    open var elements: [NSAttributeDescription] = [] {
        didSet { willEdit() }
    }

    /// Creates a description of a group without attributes.
    public override init() {
        super.init()
        attribute.type = .composite
    }

    override init(_ attribute: AttributeDescription) { super.init(attribute) }

    override func duplicate() -> NSPropertyDescription {
        let copy = NSCompositeAttributeDescription(attribute)
        copy.elements = elements.compactMap { $0.duplicate() as? NSAttributeDescription }
        copyCommon(to: copy)
        return copy
    }
}
