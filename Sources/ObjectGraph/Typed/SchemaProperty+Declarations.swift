import Foundation
public import Schema

// The declarations of properties that `@Model` generates.

extension _TypedAttribute {
    /// The declaration of the attribute, as `@Model` generates it.
    public func _declaration(
        isOptional: Bool, isTransient: Bool = false, defaultValue: Value? = nil,
        _ options: _AttributeOptions = _AttributeOptions()
    ) -> _SchemaProperty {
        var attribute = AttributeDescription(
            name, Value.attributeType, isOptional: isOptional, isTransient: isTransient)
        if let defaultValue {
            attribute.defaultValue = (PropertyValue(defaultValue) ?? PropertyValue(defaultValue.stored))?.converted(
                to: attribute)
        }
        return _SchemaProperty(attribute, options)
    }
}

extension _TypedCodable {
    /// The declaration of the attribute, as `@Model` generates it.
    public func _declaration(
        isOptional: Bool, isTransient: Bool = false, defaultValue: Value? = nil,
        _ options: _AttributeOptions = _AttributeOptions()
    ) -> _SchemaProperty {
        var attribute = AttributeDescription(
            name, .transformable, isOptional: isOptional, isTransient: isTransient,
            valueTransformerName: Self.valueTransformerName)
        attribute.attributeValueClassName = "\(Value.self)"
        attribute.defaultValue = defaultValue.flatMap { try? Self.encode($0) }.map { .data($0) }
        return _SchemaProperty(attribute, options)
    }
}

extension _TypedToOne {
    /// The declaration of the relationship, as `@Model` generates it.
    public func _declaration(
        isOptional: Bool, isTransient: Bool = false, _ options: _RelationshipOptions = _RelationshipOptions()
    ) -> _SchemaProperty {
        let relationship = RelationshipDescription(
            name, to: "", minCount: options.minimumModelCount, isOptional: isOptional, isTransient: isTransient,
            deleteRule: options.deleteRule,
            renamingIdentifier: options.originalName, versionHashModifier: options.hashModifier)
        return _SchemaProperty(
            content: .relationship(relationship, destination: Destination.self, inverse: options.inverse),
            isUnique: false)
    }
}

extension _TypedToMany {
    /// The declaration of the relationship, as `@Model` generates it. It is always optional: it may
    /// have no objects.
    public func _declaration(
        isOptional: Bool, isTransient: Bool = false, defaultValue: Members? = nil,
        _ options: _RelationshipOptions = _RelationshipOptions()
    ) -> _SchemaProperty {
        let relationship = RelationshipDescription(
            name, to: "", minCount: options.minimumModelCount, maxCount: options.maximumModelCount,
            isOptional: options.minimumModelCount == 0,
            isOrdered: options.isOrdered, isTransient: isTransient, deleteRule: options.deleteRule,
            renamingIdentifier: options.originalName,
            versionHashModifier: options.hashModifier)
        return _SchemaProperty(
            content: .relationship(relationship, destination: Members.Member.self, inverse: options.inverse),
            isUnique: false)
    }
}

extension AttributeValue {
    /// The attribute type of the model for this Swift type. For `Int` and for types that are stored
    /// as integers it is `Integer 64`.
    public static var attributeType: AttributeType {
        if Self.self == Int16.self { return .integer16 }
        if Self.self == Int32.self { return .integer32 }
        if Self.self == Date.self { return .date }
        if Self.self == URL.self { return .uri }
        return attributeType(storedAs: Stored.self)
    }

    private static func attributeType(storedAs type: Any.Type) -> AttributeType {
        switch type {
        case is Int64.Type: .integer64
        case is Bool.Type: .boolean
        case is Double.Type: .double
        case is Float.Type: .float
        case is String.Type: .string
        case is UUID.Type: .uuid
        case is Decimal.Type: .decimal
        case is Data.Type, is LargeValue.Type: .binary
        default: .undefined
        }
    }
}
