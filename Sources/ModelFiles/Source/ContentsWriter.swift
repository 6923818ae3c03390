internal import Coding
internal import Foundation
internal import Schema

/// Writes `contents` as Xcode does: entities and properties are sorted by name, and attributes of
/// elements are in Xcode's order, followed by extra markup.
struct ContentsWriter {
    static let type = "com.apple.IDECoreDataModeler.DataModel"
    static let documentVersion = "1.0"
    /// The attribute for further version identifiers of a merged model, because the format supports
    /// only one.
    static let furtherIdentifiers = "furtherVersionIdentifiers"

    private let model: ManagedObjectModel

    static func write(_ model: ManagedObjectModel) throws(ModelError) -> Data {
        do {
            return try ContentsWriter(model: model).root().write()
        } catch {
            throw ModelError(.invalid, "The model can't be written as XML: \(error)")
        }
    }

    private func root() -> XMLTree {
        let description = model.definition
        var fields = Fields(description.extraMarkup)
        fields.add("type", Self.type)
        fields.add("documentVersion", Self.documentVersion)
        for name in ["lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage"] {
            fields.add(name, description.extraMarkup[name])
        }
        fields.add("userDefinedModelVersionIdentifier", description.versionIdentifiers.first)
        let more = description.versionIdentifiers.dropFirst()
        if !more.isEmpty { fields.add(Self.furtherIdentifiers, more.joined(separator: "\n")) }
        var children = description.entities.map { entity($0) }
        children += description.composites.map { composite in
            XMLTree(
                "composite", [XMLAttribute(name: "name", value: composite.name)],
                children: composite.attributes.map { attribute($0) })
        }
        children += description.fetchRequestTemplates.map { fetchRequest($0) }
        for (name, members) in description.configurations.sorted(by: {
            $0.key.utf16.lexicographicallyPrecedes($1.key.utf16)
        }) {
            let entities = members.map { XMLTree("memberEntity", [XMLAttribute(name: "name", value: $0)]) }
            children.append(XMLTree("configuration", [XMLAttribute(name: "name", value: name)], children: entities))
        }
        if !description.diagram.isEmpty {
            let elements = description.diagram.map { markup in
                var fields = Fields(markup)
                for name in ["name", "positionX", "positionY", "width", "height"] { fields.add(name, markup[name]) }
                return XMLTree("element", fields.attributes)
            }
            children.append(XMLTree("elements", children: elements))
        }
        return XMLTree("model", fields.attributes, children: children)
    }

    private func entity(_ entity: EntityDefinition) -> XMLTree {
        var fields = Fields(entity.extraMarkup)
        fields.add("name", entity.name)
        fields.add("representedClassName", entity.managedObjectClassName)
        fields.add("parentEntity", entity.superentityName)
        fields.add("isAbstract", entity.isAbstract)
        fields.add("elementID", entity.renamingIdentifier)
        fields.add("versionHashModifier", entity.versionHashModifier)
        fields.add("syncable", entity.extraMarkup["syncable"])
        fields.add("codeGenerationType", entity.extraMarkup["codeGenerationType"])
        var children = entity.attributes.map { attribute($0) }
        children += entity.relationships.map { relationship($0) }
        children += entity.fetchedProperties.map { fetchedProperty($0) }
        children += entity.indexes.map { fetchIndex($0) }
        if !entity.compoundIndexes.isEmpty {
            children.append(
                XMLTree(
                    "compoundIndexes", children: entity.compoundIndexes.map { values("compoundIndex", "index", $0) }))
        }
        if !entity.uniquenessConstraints.isEmpty {
            children.append(
                XMLTree(
                    "uniquenessConstraints",
                    children: entity.uniquenessConstraints.map { values("uniquenessConstraint", "constraint", $0) }))
        }
        return XMLTree("entity", fields.attributes, children: children + userInfo(entity.userInfo))
    }

    private func values(_ outer: String, _ inner: String, _ values: [String]) -> XMLTree {
        XMLTree(outer, children: values.map { XMLTree(inner, [XMLAttribute(name: "value", value: $0)]) })
    }

    private func userInfo(_ entries: [String: String]) -> [XMLTree] {
        guard !entries.isEmpty else { return [] }
        let children = entries.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }.map {
            XMLTree("entry", [XMLAttribute(name: "key", value: $0.key), XMLAttribute(name: "value", value: $0.value)])
        }
        return [XMLTree("userInfo", children: children)]
    }

    // MARK: Properties

    private func attribute(_ attribute: AttributeDescription) -> XMLTree {
        var fields = Fields(attribute.extraMarkup)
        fields.add("name", attribute.name)
        fields.add("optional", attribute.isOptional)
        fields.add("transient", attribute.isTransient)
        if attribute.type != .undefined { fields.add("attributeType", attribute.type.name) }
        fields.add("composite", attribute.compositeName)
        for (prefix, value) in [
            ("min", attribute.minimumValue), ("max", attribute.maximumValue), ("default", attribute.defaultValue),
        ] {
            guard let value else { continue }
            if case .date(let date) = value { fields.add("\(prefix)DateTimeInterval", ValueText.interval(date)) }
            fields.add("\(prefix)ValueString", ValueText.text(value))
        }
        fields.add("regularExpressionString", attribute.regularExpression)
        fields.add("derived", attribute.isDerived)
        fields.add("derivationExpression", attribute.derivationExpression)
        if attribute.usesScalarValueType
            || [.integer16, .integer32, .integer64, .float, .double, .boolean, .date, .uuid, .uri].contains(
                attribute.type)
        {
            fields.add("usesScalarValueType", attribute.usesScalarValueType ? "YES" : "NO")
        }
        fields.add("valueTransformerName", attribute.valueTransformerName)
        fields.add("customClassName", attribute.attributeValueClassName)
        fields.add("allowsExternalBinaryDataStorage", attribute.allowsExternalBinaryDataStorage)
        fields.add("preserveAfterDeletion", attribute.preservesValueInHistoryOnDeletion)
        fields.add("allowsCloudEncryption", attribute.allowsCloudEncryption)
        fields.add("elementID", attribute.renamingIdentifier)
        fields.add("versionHashModifier", attribute.versionHashModifier)
        fields.add("indexed", attribute.isIndexed)
        fields.add("spotlightIndexingEnabled", attribute.isIndexedBySpotlight)
        return XMLTree("attribute", fields.attributes, children: userInfo(attribute.userInfo))
    }

    private func relationship(_ relationship: RelationshipDescription) -> XMLTree {
        var fields = Fields(relationship.extraMarkup)
        fields.add("name", relationship.name)
        fields.add("optional", relationship.isOptional)
        fields.add("transient", relationship.isTransient)
        fields.add("toMany", relationship.isToMany)
        if relationship.minCount != 0 { fields.add("minCount", "\(relationship.minCount)") }
        if relationship.maxCount != 0 { fields.add("maxCount", "\(relationship.maxCount)") }
        fields.add("deletionRule", relationship.deleteRule.modelFileName)
        fields.add("ordered", relationship.isOrdered)
        fields.add("destinationEntity", relationship.destinationEntityName)
        if let inverse = relationship.inverseName {
            fields.add("inverseName", inverse)
            fields.add("inverseEntity", owner(of: inverse, startingAt: relationship.destinationEntityName))
        } else {
            fields.add("inverseName", relationship.unmatchedInverseName)
        }
        fields.add("elementID", relationship.renamingIdentifier)
        fields.add("versionHashModifier", relationship.versionHashModifier)
        fields.add("indexed", relationship.isIndexed)
        return XMLTree("relationship", fields.attributes, children: userInfo(relationship.userInfo))
    }

    /// The name of the entity that declares the property `name` of `entityName`.
    private func owner(of name: String, startingAt entityName: String) -> String {
        guard let property = model.entity(named: entityName)?.property(named: name) else { return entityName }
        return model.entities[property.declaringEntityIndex].name
    }

    private func fetchedProperty(_ property: FetchedPropertyDescription) -> XMLTree {
        var fields = Fields(property.extraMarkup)
        fields.add("name", property.name)
        fields.add("optional", property.isOptional)
        fields.add("elementID", property.renamingIdentifier)
        fields.add("versionHashModifier", property.versionHashModifier)
        return XMLTree(
            "fetchedProperty", fields.attributes,
            children: [fetchRequest(property.fetchRequest)] + userInfo(property.userInfo))
    }

    private func fetchRequest(_ request: FetchRequestTemplate) -> XMLTree {
        var fields = Fields(request.extraMarkup)
        fields.add("name", request.name)
        fields.add("entity", request.entityName)
        fields.add("predicateString", request.predicateFormat)
        if request.fetchLimit != 0 { fields.add("fetchLimit", "\(request.fetchLimit)") }
        if request.fetchBatchSize != 0 { fields.add("fetchBatchSize", "\(request.fetchBatchSize)") }
        fields.add("includeSubentities", request.includesSubentities ? "YES" : "NO")
        fields.add("includePropertyValues", request.includesPropertyValues ? "YES" : "NO")
        fields.add("returnObjectsAsFaults", request.returnsObjectsAsFaults ? "YES" : "NO")
        fields.add("returnDistinctResults", request.returnsDistinctResults)
        if request.resultType != 0 { fields.add("resultType", "\(request.resultType)") }
        return XMLTree("fetchRequest", fields.attributes)
    }

    private func fetchIndex(_ index: FetchIndexDescription) -> XMLTree {
        let elements = index.elements.map { element in
            var fields = Fields(element.extraMarkup)
            fields.add("property", element.propertyName)
            fields.add("expression", element.expression)
            fields.add("type", element.kind == .rTree ? "RTree" : "Binary")
            fields.add("order", element.isAscending ? "ascending" : "descending")
            return XMLTree("fetchIndexElement", fields.attributes)
        }
        var fields = Fields([:])
        fields.add("name", index.name)
        fields.add("partialIndexPredicate", index.partialIndexPredicate)
        return XMLTree("fetchIndex", fields.attributes, children: elements)
    }

    /// The attributes of an element in the order in which they are added, followed by the remaining
    /// extra markup.
    private struct Fields {
        private var list: [XMLAttribute] = []
        private let extra: [String: String]

        init(_ extra: [String: String]) { self.extra = extra }

        mutating func add(_ name: String, _ value: String?) {
            guard let value else { return }
            list.append(XMLAttribute(name: name, value: value))
        }

        /// Adds a Boolean. Only true is written, because the default is false.
        mutating func add(_ name: String, _ flag: Bool) {
            if flag { add(name, "YES") }
        }

        var attributes: [XMLAttribute] {
            let written = Set(list.map(\.name))
            return list
                + extra.filter { !written.contains($0.key) }.sorted { $0.key < $1.key }.map {
                    XMLAttribute(name: $0.key, value: $0.value)
                }
        }
    }
}
