internal import Coding
internal import Foundation
internal import Schema

extension ContentsReader {
    mutating func attribute(_ element: XMLTree, of owner: String) -> AttributeDescription {
        var fields = MarkupFields(element)
        let name = fields.take("name") ?? ""
        var type = AttributeType.undefined
        if let text = fields.text("attributeType") {
            if let known = AttributeType(name: text) {
                type = known
            } else {
                report("the attribute type “\(text)” is not known", owner, name)
            }
        }
        var attribute = AttributeDescription(
            name, type, isOptional: fields.flag("optional"), isTransient: fields.flag("transient"))
        attribute.defaultValue = value("default", type, &fields, owner, name)
        // The limits of a string are lengths.
        let boundType = type == .string ? .integer64 : type
        attribute.minimumValue = value("min", boundType, &fields, owner, name)
        attribute.maximumValue = value("max", boundType, &fields, owner, name)
        attribute.regularExpression = fields.text("regularExpressionString")
        attribute.valueTransformerName = fields.text("valueTransformerName")
        attribute.attributeValueClassName = fields.text("customClassName")
        attribute.allowsExternalBinaryDataStorage = fields.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = fields.flag("preserveAfterDeletion")
        let isDerived = fields.flag("derived")
        attribute.derivationExpression = fields.text("derivationExpression")
        if isDerived, attribute.derivationExpression == nil {
            warn("a derived attribute without an expression: it is an attribute like others", owner, name)
        }
        attribute.compositeName = fields.text("composite")
        attribute.isIndexed = fields.flag("indexed")
        attribute.isIndexedBySpotlight = fields.flag("spotlightIndexingEnabled")
        attribute.allowsCloudEncryption = fields.flag("allowsCloudEncryption")
        attribute.usesScalarValueType = fields.flag("usesScalarValueType")
        attribute.renamingIdentifier = fields.text("elementID").flatMap { $0 == name ? nil : $0 }
        attribute.versionHashModifier = fields.text("versionHashModifier")
        attribute.userInfo = element.children(named: "userInfo").first.map { userInfo($0) } ?? [:]
        attribute.extraMarkup = fields.rest
        return attribute
    }

    /// What a prefix stands for, in warnings.
    private static let words = ["default": "default value", "min": "smallest value", "max": "greatest value"]

    /// The value of the attribute `<prefix>ValueString`. For a date, `<prefix>DateTimeInterval`
    /// takes precedence.
    private mutating func value(
        _ prefix: String, _ type: AttributeType, _ fields: inout MarkupFields, _ owner: String, _ name: String
    ) -> PropertyValue? {
        if type == .date, let text = fields.text("\(prefix)DateTimeInterval") {
            _ = fields.take("\(prefix)ValueString")
            if let value = ValueText.value(text, .date) { return value }
            warn("“\(text)” is no time interval: there is no \(Self.words[prefix] ?? prefix)", owner, name)
            return nil
        }
        let key = "\(prefix)ValueString"
        // An empty string is a value only for the type string; for other types it means no value.
        guard let text = fields.rest[key], type == .string || !text.isEmpty else {
            _ = fields.take(key)
            return nil
        }
        if let value = ValueText.value(text, type) {
            _ = fields.take(key)
            return value
        }
        // For types without a textual form, the text remains in the extra markup.
        if ![.undefined, .transformable, .objectID, .composite].contains(type) {
            _ = fields.take(key)
            warn(
                "“\(text)” is no value of type \(type.name): there is no \(Self.words[prefix] ?? prefix)", owner, name)
        }
        return nil
    }
}
