public import Foundation
import Folio
import ModelFiles
import Schema
import Storage

/// The schema of a store: entities, configurations and fetch request templates.
///
/// A model can be changed until a coordinator uses it; changing it then traps.
open class NSManagedObjectModel: NSObject, NSSecureCoding {
    var ownEntities: [NSEntityDescription] = []
    var base = ManagedObjectModel.Definition()
    var templates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]
    var configurationMembers: [String: [NSEntityDescription]] = [:]
    private var made: ManagedObjectModel?
    private var isInUse = false

    /// Creates a model without entities.
    public override init() { super.init() }

    /// Reads a model file: `.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`. Nil if it can't be
    /// read; `ManagedObjectModel(contentsOf:)` throws why.
    public convenience init?(contentsOf url: URL) { try? self.init(reading: url) }

    /// Reads the model from an archive; nil for an archive that has none.
    public required convenience init?(coder: NSCoder) {
        self.init()
        guard fill(from: coder) else { return nil }
    }

    /// Archives the model. Traps for a model that is not valid.
    open func encode(with coder: NSCoder) { archive(with: coder) }

    open class var supportsSecureCoding: Bool { true }

    /// - Throws: `ModelError`; `QueryError` for a text that can't be parsed.
    convenience init(reading url: URL) throws {
        self.init()
        do {
            let model = try ManagedObjectModel(contentsOf: url)
            try fill(model.definition)
            made = model
        } catch let error as ModelError where error.code == .unreadable {
            // A program's own archive of a model.
            guard try fill(fromArchiveAt: url) else { throw error }
        }
    }

    /// The model of the application's bundles with a name.
    ///
    /// - Throws: `CocoaError` where there is none; `ModelError`; `QueryError`.
    convenience init(named name: String) throws {
        let models = ModelFinder.models(in: [Bundle.main] + Bundle.allBundles)
        guard let own = models.first(where: { $0.deletingPathExtension().lastPathComponent == name }) else {
            throw CocoaErrors.made(
                NSFileReadNoSuchFileErrorCode, "Failed to load model named \(name): no bundle has such a file")
        }
        try self.init(reading: own)
    }

    /// - Throws: `ModelError`; `QueryError` for a text that can't be parsed.
    convenience init(_ model: ManagedObjectModel) throws {
        self.init()
        try fill(model.definition)
        made = model
    }

    /// A model of a bundle: all model files in it as one. Nil if there is none, and if one of them
    /// can't be read: with a part of its entities a store would lose the others.
    open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        let urls = ModelFinder.models(in: bundles ?? [Bundle.main])
        guard !urls.isEmpty, let models = try? urls.map({ try NSManagedObjectModel(reading: $0) }) else { return nil }
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
            noteUse(as: model)
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
