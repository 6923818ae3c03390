import Coding
package import Folio
import Foundation

/// A model as JSON: all aspects that matter for objects, with the names of the framework.
package enum ModelJSON {
    package static func write(_ loaded: LoadedModel, to sink: ByteSink) {
        let model = loaded.model
        let description = model.definition
        let hashes = model.versionHashesByEntityName
        let entities = model.entities.map { entity in
            var value = json(entity.definition)
            value["versionHash"] = hashes[entity.name].map { .string($0.hexadecimal) }
            return JSONValue.object(value)
        }
        var value: [String: JSONValue] = [
            "name": .string(loaded.name), "version": loaded.version.map { .string($0) } ?? .null,
            "identifiers": .strings(description.versionIdentifiers),
            "digest": .string(model.versionHashesDigest), "checksum": .string(model.versionChecksum),
            "entities": .array(entities),
        ]
        if !model.warnings.isEmpty { value["warnings"] = .strings(model.warnings.map { "\($0)" }) }
        if loaded.versions.count > 1 { value["versions"] = .strings(loaded.versions) }
        value["composites"] = .array(
            description.composites.map {
                .object(["name": .string($0.name), "attributes": .array($0.attributes.map { .object(json($0)) })])
            })
        value["configurations"] = .object(description.configurations.mapValues { .strings($0) })
        value["fetchRequests"] = .array(description.fetchRequestTemplates.map(json))
        var writer = JSONWriter(sink)
        writer.value(.object(value))
        sink.write(0x0A)
    }

    /// The model of an open document.
    package static func text(of document: PersistentDocument) -> String {
        let sink = ByteSink(descriptor: nil)
        let name = document.url.deletingPathExtension().lastPathComponent
        write(
            LoadedModel(model: document.model, name: name, version: document.manifest?.model.name, versions: []),
            to: sink)
        return sink.text
    }

    private static func json(_ entity: EntityDefinition) -> [String: JSONValue] {
        var value: [String: JSONValue] = [
            "name": .string(entity.name), "isAbstract": .bool(entity.isAbstract),
            "parent": text(entity.superentityName),
            "class": text(entity.managedObjectClassName), "renamingIdentifier": text(entity.renamingIdentifier),
            "attributes": .array(entity.attributes.map { .object(json($0)) }),
            "relationships": .array(entity.relationships.map(json)),
            "uniquenessConstraints": .array(entity.uniquenessConstraints.map { .strings($0) }),
        ]
        if !entity.fetchedProperties.isEmpty {
            value["fetchedProperties"] = .array(
                entity.fetchedProperties.map {
                    .object(["name": .string($0.name), "fetchRequest": json($0.fetchRequest)])
                })
        }
        value["indexes"] = .array(
            entity.indexes.map { index in
                .object([
                    "name": .string(index.name), "partialIndexPredicate": text(index.partialIndexPredicate),
                    "elements": .array(
                        index.elements.map {
                            .object([
                                "property": text($0.propertyName), "expression": text($0.expression),
                                "kind": .string($0.kind == .rTree ? "rTree" : "binary"),
                                "isAscending": .bool($0.isAscending),
                            ])
                        }),
                ])
            })
        if !entity.userInfo.isEmpty { value["userInfo"] = .object(entity.userInfo.mapValues { .string($0) }) }
        return value
    }

    private static func json(_ attribute: AttributeDescription) -> [String: JSONValue] {
        var value: [String: JSONValue] = [
            "name": .string(attribute.name), "type": .string(attribute.type.name),
            "isOptional": .bool(attribute.isOptional),
            "isTransient": .bool(attribute.isTransient),
        ]
        if let shown = attribute.defaultValue { value["default"] = .string(ValueText.plain(shown) ?? "") }
        if let shown = attribute.minimumValue { value["minimum"] = .string(ValueText.plain(shown) ?? "") }
        if let shown = attribute.maximumValue { value["maximum"] = .string(ValueText.plain(shown) ?? "") }
        if attribute.allowsExternalBinaryDataStorage { value["allowsExternalStorage"] = .bool(true) }
        if attribute.preservesValueInHistoryOnDeletion { value["preservesValueInHistoryOnDeletion"] = .bool(true) }
        value["regularExpression"] = attribute.regularExpression.map { .string($0) }
        value["valueTransformer"] = attribute.valueTransformerName.map { .string($0) }
        value["class"] = attribute.attributeValueClassName.map { .string($0) }
        value["derivation"] = attribute.derivationExpression.map { .string($0) }
        value["composite"] = attribute.compositeName.map { .string($0) }
        value["renamingIdentifier"] = attribute.renamingIdentifier.map { .string($0) }
        if !attribute.userInfo.isEmpty { value["userInfo"] = .object(attribute.userInfo.mapValues { .string($0) }) }
        return value
    }

    private static func json(_ relationship: RelationshipDescription) -> JSONValue {
        var value: [String: JSONValue] = [
            "name": .string(relationship.name), "destination": .string(relationship.destinationEntityName),
            "inverse": text(relationship.inverseName),
            "isToMany": .bool(relationship.isToMany), "isOrdered": .bool(relationship.isOrdered),
            "isOptional": .bool(relationship.isOptional),
            "isTransient": .bool(relationship.isTransient), "minCount": .int(relationship.minCount),
            "maxCount": .int(relationship.maxCount),
            "deleteRule": .string(relationship.deleteRule.word),
        ]
        value["renamingIdentifier"] = relationship.renamingIdentifier.map { .string($0) }
        if !relationship.userInfo.isEmpty {
            value["userInfo"] = .object(relationship.userInfo.mapValues { .string($0) })
        }
        return .object(value)
    }

    private static func json(_ request: FetchRequestTemplate) -> JSONValue {
        .object([
            "name": .string(request.name), "entity": .string(request.entityName),
            "predicate": text(request.predicateFormat),
            "limit": .int(request.fetchLimit),
        ])
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension DeleteRule {
    package var word: String {
        switch self {
        case .noAction: "no action"
        case .nullify: "nullify"
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }
}
