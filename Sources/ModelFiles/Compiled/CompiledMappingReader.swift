internal import Coding
internal import Foundation

/// Reads compiled mapping models (CoreDataFiles, Mapping models).
struct CompiledMappingReader {
    func read(_ root: ArchivedObject) throws -> MappingDescription {
        guard root.isKind(of: "NSMappingModel") else {
            throw CodingError(.wrongType, "the archive holds \(root.className ?? "a value"), not NSMappingModel")
        }
        var description = MappingDescription()
        for element in try root.object("NSEntityMappings")?.elements() ?? [] {
            if let element { description.entities.append(try entity(element)) }
        }
        return description
    }

    private func entity(_ object: ArchivedObject) throws -> MappingDescription.Entity {
        var entity = MappingDescription.Entity(name: try object.string("NSMappingName") ?? "")
        entity.kind = Int(try object.integer("NSMappingType") ?? 0)
        entity.sourceName = try object.string("NSSourceEntityName")
        entity.destinationName = try object.string("NSDestinationEntityName")
        entity.sourceHash = try object.object("NSSourceEntityVersionHash")?.data
        entity.destinationHash = try object.object("NSDestinationEntityVersionHash")?.data
        entity.policyClassName = try object.string("NSEntityMigrationPolicyClassName")
        if let source = try object.object("NSSourceExpression") { entity.sourcePredicate = try predicate(source) }
        entity.attributes = try properties(object, "NSAttributeMappings")
        entity.relationships = try properties(object, "NSRelationshipMappings")
        entity.userInfo = try userInfo(object)
        return entity
    }

    private func properties(_ object: ArchivedObject, _ key: String) throws -> [MappingDescription.Property] {
        var result: [MappingDescription.Property] = []
        for element in try object.object(key)?.elements() ?? [] {
            guard let element, let name = try element.string("NSDestinationPropertyName") else { continue }
            var property = MappingDescription.Property(name: name)
            property.valueExpression = try element.object("NSValueExpression").map {
                try PredicateText().expression($0)
            }
            property.userInfo = try userInfo(element)
            result.append(property)
        }
        return result
    }

    /// The predicate text in
    /// `FETCH(FUNCTION($manager, "fetchRequestForSourceEntityNamed:predicateString:", entity,
    /// text), …)`.
    private func predicate(_ source: ArchivedObject) throws -> String? {
        guard source.isKind(of: "NSFetchRequestExpression"), let call = try source.object("NSFRExpression"),
            try call.string("NSSelectorName") == "fetchRequestForSourceEntityNamed:predicateString:",
            let arguments = try call.object("NSArguments")?.elements(), arguments.count == 2,
            let text = try arguments[1]?.string("NSConstantValue")
        else {
            throw CodingError(
                .unsupported, "the source expression of a mapping is none that Xcode makes", object: source.className)
        }
        return text == "TRUEPREDICATE" ? nil : text
    }

    private func userInfo(_ object: ArchivedObject) throws -> [String: String] {
        var result: [String: String] = [:]
        for (name, value) in try object.object("NSUserInfo")?.namedEntries() ?? [] { result[name] = value?.string }
        return result
    }
}
