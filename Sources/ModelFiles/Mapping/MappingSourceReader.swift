internal import Coding
internal import Foundation
internal import Schema

/// Reads `xcmapping.xml`, an XML store of Core Data with four entities. Objects that no other
/// object refers to are remnants of the editor, and are ignored.
struct MappingSourceReader {
    private struct Object {
        let attributes: [String: String]
        let relationships: [String: [String]]
    }

    private var model: Object?
    private var entities: [String: Object] = [:]
    private var attributes: [String: Object] = [:]
    private var relationships: [String: Object] = [:]

    init(_ tree: XMLTree) throws {
        for element in tree.children(named: "object") {
            guard let type = element["type"]?.uppercased(), let id = element["id"] else { continue }
            let object = Object(
                attributes: Dictionary(
                    element.children(named: "attribute").compactMap { child in child["name"].map { ($0, child.text) } }
                ) { first, _ in first },
                relationships: Dictionary(
                    element.children(named: "relationship").compactMap { child in
                        child["name"].map { ($0, (child["idrefs"] ?? "").split(separator: " ").map(String.init)) }
                    }
                ) { first, _ in first })
            switch type {
            case "XDDEVMAPPINGMODEL": model = object
            case "XDDEVENTITYMAPPING": entities[id] = object
            case "XDDEVATTRIBUTEMAPPING": attributes[id] = object
            case "XDDEVRELATIONSHIPMAPPING": relationships[id] = object
            default: continue
            }
        }
    }

    func read() throws -> MappingDescription {
        guard let model else { throw CodingError(.missing, "the file holds no mapping model") }
        var description = MappingDescription()
        description.source = try embeddedModel(model.attributes["sourcemodeldata"])
        description.destination = try embeddedModel(model.attributes["destinationmodeldata"])
        let mappings = (model.relationships["entitymappings"] ?? []).compactMap { entities[$0] }
        let sorted = mappings.enumerated().sorted { (number($0.element), $0.offset) < (number($1.element), $1.offset) }
            .map(\.element)
        for object in sorted { description.entities.append(try entity(object)) }
        return description
    }

    private func number(_ object: Object) -> Int { object.attributes["mappingnumber"].flatMap { Int($0) } ?? .max }

    private func entity(_ object: Object) throws -> MappingDescription.Entity {
        let source = text(object, "sourcename"), destination = text(object, "destinationname")
        let name: String =
            switch (source, destination) {
            case (let source?, let destination?): "\(source)To\(destination)"
            case (nil, let only?), (let only?, nil): only
            case (nil, nil): ""
            }
        var entity = MappingDescription.Entity(name: text(object, "name") ?? name)
        (entity.sourceName, entity.destinationName) = (source, destination)
        entity.policyClassName = text(object, "migrationpolicyclassname")
        entity.sourcePredicate = text(object, "sourcefilterpredicatestring")
        entity.attributes = try members(object, "attributemappings", attributes)
        entity.relationships = try members(object, "relationshipmappings", relationships)
        return entity
    }

    private func members(_ object: Object, _ key: String, _ known: [String: Object]) throws -> [MappingDescription
        .Property]
    {
        var members: [MappingDescription.Property] = []
        for id in object.relationships[key] ?? [] {
            guard let mapping = known[id], let name = text(mapping, "name") else { continue }
            var property = MappingDescription.Property(name: name)
            if let data = text(mapping, "valueexpressiondata").flatMap({
                Data(base64Encoded: $0, options: .ignoreUnknownCharacters)
            }), !data.isEmpty {
                property.valueExpression = try PredicateText().expression(KeyedArchive(data).root())
            } else {
                property.isAutomatic = true
                property.sourceKeyPath = text(mapping, "sourcekeypath")
                property.sourceMappingName = text(mapping, "sourcemappingname")
            }
            members.append(property)
        }
        return members.sorted { $0.name < $1.name }
    }

    private func text(_ object: Object, _ key: String) -> String? {
        object.attributes[key].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func embeddedModel(_ text: String?) throws -> ManagedObjectModel? {
        guard let data = text.flatMap({ Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }), !data.isEmpty
        else { return nil }
        return try LegacyModel.decode(data, readsValues: false)
    }
}
