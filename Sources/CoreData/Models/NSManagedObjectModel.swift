public import Foundation
import Folio
import ModelFiles
import Query
import Schema
import Storage

/// The schema of a store: entities, configurations and fetch request templates.
///
/// A model can be changed until a coordinator uses it; changing it then traps.
open class NSManagedObjectModel: NSObject {
    private var ownEntities: [NSEntityDescription] = []
    private var base = ManagedObjectModel.Definition()
    private var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    private var configurationMembers: [String: [NSEntityDescription]] = [:]
    private var made: ManagedObjectModel?
    private var isInUse = false
    /// Where new objects live that are in no context yet.
    var waitingRoom: WaitingRoom { WaitingRoom.current(of: self) }

    /// Creates a model without entities.
    public override init() { super.init() }

    /// Reads a model file: `.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`. Nil if it can't be
    /// read; `ManagedObjectModel(contentsOf:)` throws why.
    public convenience init?(contentsOf url: URL) { try? self.init(reading: url) }

    /// - Throws: `ModelError`; `QueryError` for a text that can't be parsed.
    convenience init(reading url: URL) throws { try self.init(ManagedObjectModel(contentsOf: url)) }

    /// - Throws: `ModelError`; `QueryError` for a text that can't be parsed.
    init(_ model: ManagedObjectModel) throws {
        super.init()
        try fill(model.definition)
        made = model
    }

    /// A model of a bundle: all model files in it as one. Nil if there is none, and if one of them
    /// can't be read: with a part of its entities a store would lose the others.
    open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let urls = ModelFinder.models(in: bundles ?? [Bundle.main])
        guard let models = try? urls.map({ try NSManagedObjectModel(reading: $0) }) else { return nil }
        return NSManagedObjectModel(byMerging: models)
    }

    /// A model of bundles that fits a store's metadata; nil if there is none.
    open class func mergedModel(from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any])
        -> NSManagedObjectModel?
    {
        let hashes = StoreMetadataValues.hashes(metadata)
        for url in ModelFinder.models(in: bundles ?? [Bundle.main]) {
            if let found = try? ModelFile(contentsOf: url).model(matching: hashes)?.model,
                let model = try? NSManagedObjectModel(found)
            {
                return model
            }
        }
        return nil
    }

    /// A model with the entities of several; nil for an empty array. Traps if two differ about an
    /// entity.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        guard let models, !models.isEmpty else { return nil }
        self.init()
        do {
            take(models, try ManagedObjectModel(byMerging: models.map { $0.compiled() }).definition)
        } catch {
            preconditionFailure("The models can't be merged: \(error)")
        }
    }

    /// The one of several models, merged, that fits a store's metadata; nil if none does.
    public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
        let hashes = StoreMetadataValues.hashes(metadata)
        let fitting = models.filter { model in
            let own = model.entityVersionHashesByName
            return !own.isEmpty && own.allSatisfy { hashes[$0.key] == $0.value }
        }
        self.init(byMerging: fitting)
        guard isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else { return nil }
    }

    // MARK: Editing

    /// Whether a coordinator uses the model.
    var isFrozen: Bool { isInUse }

    func willEdit() {
        precondition(
            !isInUse,
            "The model is in use and can't be changed: change it before a coordinator gets it, or change a copy")
        made = nil
    }

    /// The model as Folio's; from here on it can't be changed.
    func use() -> ManagedObjectModel {
        let model = compiled()
        if !isInUse {
            isInUse = true
            LoadedModels.add(self, for: model)
        }
        return model
    }

    /// The model as Folio's. Traps for a model that is not valid, as Core Data does.
    func compiled() -> ManagedObjectModel {
        if let made { return made }
        do {
            let model = try ManagedObjectModel(definition())
            made = model
            return model
        } catch {
            preconditionFailure("The model is not valid: \(error)")
        }
    }

    /// - Throws: `QueryError` for a predicate or a sort descriptor of a closure, which no model can
    ///   keep.
    private func definition() throws -> ManagedObjectModel.Definition {
        var description = base
        description.entities = try ownEntities.map { try $0.compiled() }
        description.composites = base.composites.filter { composite in
            description.entities.contains { $0.attributes.contains { $0.compositeName == composite.name } }
        }
        for entity in ownEntities {
            for case let group as NSCompositeAttributeDescription in entity.content.properties {
                Self.add(group, of: entity, to: &description)
            }
        }
        description.configurations = configurationMembers.mapValues { $0.compactMap(\.name) }
        description.fetchRequestTemplates = try templates.sorted { $0.key < $1.key }.map {
            try $1.template(named: $0)
        }
        return description
    }

    private static func add(
        _ group: NSCompositeAttributeDescription, of entity: NSEntityDescription,
        to description: inout ManagedObjectModel.Definition
    ) {
        guard let name = group.compiled(in: entity).compositeName else { return }
        description.composites.removeAll { $0.name == name }
        description.composites.append(
            CompositeDescription(name, attributes: group.elements.map { $0.compiled(in: entity) }))
        for case let inner as NSCompositeAttributeDescription in group.elements {
            add(inner, of: entity, to: &description)
        }
    }

    /// - Throws: `QueryError` for a text that can't be parsed.
    private func fill(_ description: ManagedObjectModel.Definition) throws {
        for entity in description.entities {
            let own = NSEntityDescription()
            own.content.entity = entity
            own.content.properties =
                try entity.attributes.map { attribute -> NSPropertyDescription in
                    if let text = attribute.derivationExpression {
                        _ = try QueryExpression(format: text)
                        return NSDerivedAttributeDescription(attribute)
                    }
                    guard attribute.type == .composite else { return NSAttributeDescription(attribute) }
                    return Self.group(attribute, description)
                } + entity.relationships.map { NSRelationshipDescription($0) }
                + entity.fetchedProperties.map { try NSFetchedPropertyDescription($0) }
            for property in own.content.properties { property.entity = own }
            let properties = own.propertiesByName
            own.content.indexes = try entity.indexes.map { index in
                let made = NSFetchIndexDescription(
                    name: index.name,
                    elements: index.elements.map { element in
                        NSFetchIndexElementDescription(element, element.propertyName.flatMap { properties[$0] })
                    })
                made.entity = own
                made.partialIndexPredicate = try index.partialIndexPredicate.map {
                    FormatPredicate.make(try FetchPredicate(format: $0))
                }
                return made
            }
            ownEntities.append(own)
        }
        for template in description.fetchRequestTemplates {
            templates[template.name] = try NSFetchRequest(template)
        }
        connect(description)
    }

    /// Takes copies of what several models have. Their entities of equal names are equal: the first
    /// one's is taken.
    private func take(_ models: [NSManagedObjectModel], _ description: ManagedObjectModel.Definition) {
        var names: Set<String> = []
        var texts: [String: String] = [:]
        for model in models {
            for entity in model.ownEntities where names.insert(entity.name ?? "").inserted {
                if let copy = entity.copy() as? NSEntityDescription { ownEntities.append(copy) }
            }
            for (name, template) in model.templates where templates[name] == nil {
                templates[name] = template.copy() as? NSFetchRequest<any NSFetchRequestResult>
            }
            texts.merge(model.localizationDictionary ?? [:]) { first, _ in first }
        }
        if models.contains(where: { $0.localizationDictionary != nil }) { localizationDictionary = texts }
        connect(description)
    }

    /// Finds what the names in the entities lead to.
    private func connect(_ description: ManagedObjectModel.Definition) {
        base = description
        let byName = entitiesByName
        for entity in ownEntities {
            guard let parent = entity.content.entity.superentityName.flatMap({ byName[$0] }) else { continue }
            entity.content.superentity = parent
            parent.content.subentities.append(entity)
        }
        for entity in ownEntities {
            for case let relationship as NSRelationshipDescription in entity.content.properties {
                relationship.resolve(byName)
            }
        }
        for entity in ownEntities {
            for case let property as NSFetchedPropertyDescription in entity.content.properties {
                property.fetchRequest?.lead(into: byName)
            }
        }
        for template in templates.values { template.lead(into: byName) }
        // Only now: describing is no editing.
        for entity in ownEntities { entity.content.model = self }
        configurationMembers = description.configurations.mapValues { $0.compactMap { byName[$0] } }
    }

    private static func group(_ attribute: AttributeDescription, _ description: ManagedObjectModel.Definition)
        -> NSPropertyDescription
    {
        let group = NSCompositeAttributeDescription(attribute)
        let composite = description.composites.first { $0.name == attribute.compositeName }
        group.elements = (composite?.attributes ?? []).compactMap { element in
            element.type == .composite
                ? Self.group(element, description) as? NSAttributeDescription : NSAttributeDescription(element)
        }
        return group
    }

    // MARK: Content

    /// The entities.
    open var entities: [NSEntityDescription] {
        get { ownEntities }
        set {
            willEdit()
            for entity in ownEntities { entity.content.model = nil }
            ownEntities = newValue
            for entity in newValue { entity.content.model = self }
        }
    }
    /// The entities by name.
    open var entitiesByName: [String: NSEntityDescription] {
        Dictionary(ownEntities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// The names of the configurations, sorted.
    open var configurations: [String] { configurationMembers.keys.sorted() }

    /// The entities of a configuration; all for nil; nil for a configuration that there is not.
    open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        configuration.map { configurationMembers[$0] } ?? ownEntities
    }

    /// Sets the entities of a configuration.
    open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        willEdit()
        configurationMembers[configuration] = entities
    }

    /// The identifiers that the author gave to this version.
    open var versionIdentifiers: Set<AnyHashable> {
        get { Set(base.versionIdentifiers.map { AnyHashable($0) }) }
        set {
            willEdit()
            base.versionIdentifiers = newValue.map { "\($0)" }.sorted()
        }
    }
    /// Texts of entities and properties for people. They are not kept in model files here.
    open var localizationDictionary: [String: String]?

    // MARK: Requests

    /// The request templates by name.
    open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] { templates }

    /// Adds, replaces or, with nil, removes a request template.
    open func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        willEdit()
        templates[name] = fetchRequestTemplate
    }

    /// The request template with this name; nil if there is none.
    open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        templates[name]
    }

    /// A copy of the template with this name, with values for its variables; nil if there is none.
    /// Traps for a predicate of a closure, which has no variables.
    open func fetchRequestFromTemplate(withName name: String, substitutionVariables variables: [String: Any])
        -> NSFetchRequest<any NSFetchRequestResult>?
    {
        let request = templates[name]?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
        return request
    }

    // MARK: Versions

    /// The hashes of the entities.
    open var entityVersionHashesByName: [String: Data] { compiled().versionHashesByEntityName }
    /// The hash of the whole version.
    open var versionChecksum: String { compiled().versionChecksum }

    /// The hashes of the versions in a model file, by the names of the versions.
    ///
    /// - Throws: An error of Cocoa's domain for a file that can't be read.
    open class func checksums(forVersionedModelAt url: URL) throws -> [String: String] {
        try translatingErrors {
            let file = try ModelFile(contentsOf: url)
            var checksums: [String: String] = [:]
            for name in file.versionNames { checksums[name] = try file.model(version: name).versionChecksum }
            return checksums
        }
    }

    /// Whether a store with these metadata can be opened with a configuration of this model.
    open func isConfiguration(withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any])
        -> Bool
    {
        compiled().isCompatible(
            withVersionHashes: StoreMetadataValues.hashes(metadata), configuration: configuration)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSManagedObjectModel else { return false }
        return self === other || compiled() == other.compiled()
    }

    open override var hash: Int { ownEntities.count }
}

extension NSManagedObjectModel: NSCopying {
    /// A model of its own that can be changed.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSManagedObjectModel()
        copy.take([self], compiled().definition)
        return copy
    }
}

/// Finds model files.
enum ModelFinder {
    /// The model files of bundles, sorted by name.
    static func models(in bundles: [Bundle]) -> [URL] {
        var found: [URL] = []
        for bundle in bundles {
            for kind in ["momd", "mom", "xcdatamodeld"] {
                found += (bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []).map { $0 as URL }
            }
            found +=
                (try? FileManager.default.contentsOfDirectory(
                    at: bundle.resourceURL ?? bundle.bundleURL, includingPropertiesForKeys: nil))?
                .filter { ["momd", "mom", "xcdatamodeld"].contains($0.pathExtension) } ?? []
        }
        var seen: Set<String> = []
        return found.filter { seen.insert($0.standardizedFileURL.path).inserted }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
