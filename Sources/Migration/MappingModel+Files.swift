public import Foundation
import ModelFiles
import Query
public import Schema

extension MappingModel {
    /// Reads a mapping model from an `.xcmappingmodel` or a compiled `.cdm` file.
    ///
    /// Properties without an explicit value in a source file get the value of the property with the
    /// same name in the source entity, as with Apple's compiler. If the file does not contain its
    /// models, such a property is assumed to exist.
    ///
    /// - Throws: `ModelError` if the file can't be read; ``MigrationError`` with code
    ///   `invalidMapping` if an expression or a predicate in it is invalid.
    public init(contentsOf url: URL) throws {
        try self.init(try MappingFile.read(url))
    }

    init(_ description: MappingDescription) throws(MigrationError) {
        let sourceHashes = description.source?.versionHashesByEntityName ?? [:]
        let destinationHashes = description.destination?.versionHashesByEntityName ?? [:]
        var mappings: [EntityMapping] = []
        for entity in description.entities {
            let source = entity.sourceName.flatMap { description.source?.entity(named: $0) }
            let context = entity.name
            var mapping = EntityMapping(entity.name, .undefined, from: entity.sourceName, to: entity.destinationName)
            mapping.sourceEntityVersionHash = entity.sourceHash ?? entity.sourceName.flatMap { sourceHashes[$0] }
            mapping.destinationEntityVersionHash =
                entity.destinationHash ?? entity.destinationName.flatMap { destinationHashes[$0] }
            mapping.migrationPolicyName = entity.policyClassName
            mapping.kind =
                EntityMapping.Kind(rawValue: entity.kind).flatMap { $0 == .undefined ? nil : $0 } ?? mapping.derivedKind
            mapping.userInfo = entity.userInfo
            mapping.sourcePredicate = try entity.sourcePredicate.map { text throws(MigrationError) in
                try Self.parsed(text, of: context) { try FetchPredicate(format: $0) }
            }
            func isThere(_ name: String, _ isWanted: (PropertyDescription) -> Bool) -> Bool {
                description.source == nil && entity.sourceName != nil
                    || source?.property(named: name).map(isWanted) ?? false
            }
            for property in entity.attributes {
                mapping.attributeMappings.append(
                    try Self.attribute(property, isThere(property.name) { $0.attribute != nil }, context))
            }
            for property in entity.relationships {
                mapping.relationshipMappings.append(
                    try Self.relationship(property, isThere(property.name) { $0.relationship != nil }, context))
            }
            mappings.append(mapping)
        }
        self.init(entityMappings: mappings)
    }

    private static func attribute(_ property: MappingDescription.Property, _ isInSource: Bool, _ context: String)
        throws(MigrationError) -> PropertyMapping
    {
        var mapping = try plain(property, context)
        if property.isAutomatic, isInSource {
            mapping.valueExpression = .keyPath(base: .variable("source"), components: [property.name])
        }
        return mapping
    }

    private static func relationship(_ property: MappingDescription.Property, _ isInSource: Bool, _ context: String)
        throws(MigrationError) -> PropertyMapping
    {
        var mapping = try plain(property, context)
        guard property.isAutomatic else { return mapping }
        if let path = property.sourceKeyPath {
            let value = try parsed(path, of: context) { try QueryExpression(format: $0) }
            let name = path.hasPrefix("$source.") ? String(path.dropFirst("$source.".count)) : path
            mapping.valueExpression =
                property.sourceMappingName.map { instances(ofMapping: $0, value) }
                ?? instances(ofRelationship: name, value)
        } else if isInSource {
            mapping.valueExpression = instances(
                ofRelationship: property.name, .keyPath(base: .variable("source"), components: [property.name]))
        }
        return mapping
    }

    private static func plain(_ property: MappingDescription.Property, _ context: String) throws(MigrationError)
        -> PropertyMapping
    {
        let expression = try property.valueExpression.map { text throws(MigrationError) in
            try parsed(text, of: "\(context).\(property.name)") { try QueryExpression(format: $0) }
        }
        return PropertyMapping(property.name, valueExpression: expression, userInfo: property.userInfo)
    }

    private static func instances(ofMapping name: String, _ value: QueryExpression) -> QueryExpression {
        .call(
            target: .variable("manager"), selector: "destinationInstancesForEntityMappingNamed:sourceInstances:",
            arguments: [.constant(.string(name)), value])
    }

    static func instances(ofRelationship name: String, _ value: QueryExpression) -> QueryExpression {
        .call(
            target: .variable("manager"), selector: "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
            arguments: [.constant(.string(name)), value])
    }

    private static func parsed<Value>(_ text: String, of place: String, _ parse: (String) throws -> Value)
        throws(MigrationError) -> Value
    {
        do {
            return try parse(text)
        } catch {
            throw MigrationError(
                .invalidMapping, "The expression “\(text)” of the mapping \(place) can't be read: \(error)",
                underlying: error)
        }
    }
}

extension EntityMapping {
    /// The kind that Apple's compiler derives for a mapping without an explicit kind.
    fileprivate var derivedKind: Kind {
        if migrationPolicyName != nil { return .custom }
        if sourceEntityName == nil { return .add }
        if destinationEntityName == nil { return .remove }
        return sourceEntityName == destinationEntityName ? .copy : .transform
    }
}

extension MappingModel {
    /// The mapping model in one of several folders, `.xcmappingmodel` or compiled, that fits two
    /// versions; nil if there is none. Files that can't be read are passed over. The folders
    /// themselves are searched, not those in them.
    public static func found(
        in folders: [URL], from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) -> MappingModel? {
        for file in folders.flatMap({ (try? files(in: $0)) ?? [] }) {
            if let model = try? MappingModel(contentsOf: file), model.fits(from: source, to: destination) {
                return model
            }
        }
        return nil
    }

    /// The files of mapping models in a folder, `.xcmappingmodel` or compiled, sorted by name. The
    /// folders in it are not searched.
    ///
    /// - Throws: An error of Foundation if the folder can't be read.
    public static func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).filter {
            ["xcmappingmodel", "cdm"].contains($0.pathExtension)
        }.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
