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
