public import Foundation
import Migration
import ObjectGraph
import Schema
import Storage

/// Migrates a store from one version of a model to another by a mapping model, object by object.
open class NSMigrationManager: NSObject {
    /// The old version.
    open var sourceModel: NSManagedObjectModel { ownSourceModel }
    private let ownSourceModel: NSManagedObjectModel
    /// The new version.
    open var destinationModel: NSManagedObjectModel { ownDestinationModel }
    private let ownDestinationModel: NSManagedObjectModel
    /// Free-form values that policies can share.
    open var userInfo: [AnyHashable: Any]?
    /// Whether a store may be migrated by a manager of its own. A migration by this class always
    /// goes object by object.
    open var usesStoreSpecificMigrationManager = true

    private var current: MigrationManager?
    private var mappings: [String: NSEntityMapping] = [:]
    private var contexts: [NSManagedObjectContext] = []
    private var cancellation: (any Error)?

    /// Creates a manager for two versions.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        ownSourceModel = sourceModel
        ownDestinationModel = destinationModel
        super.init()
    }

    var folio: MigrationManager {
        guard let current else { preconditionFailure("No migration is going on") }
        return current
    }

    func known(_ mapping: EntityMapping) -> NSEntityMapping {
        if let known = mappings[mapping.name] { return known }
        let made = NSEntityMapping(mapping)
        mappings[mapping.name] = made
        return made
    }

    /// Migrates a store into another file. What is there already is kept, and gets the objects in
    /// addition.
    ///
    /// - Throws: An error of Cocoa's domain; errors of policies.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try translatingErrors {
            let source = NSPersistentStoreCoordinator(plain: sourceModel)
            let destination = NSPersistentStoreCoordinator(plain: destinationModel)
            try add(sStoreType, sourceURL, sOptions, to: source, isReadOnly: true)
            defer { source.removeAll() }
            try add(dStoreType, dURL, dOptions, to: destination, isReadOnly: false)
            defer { destination.removeAll() }
            try migrate(source, destination, mappings)
        }
    }

    private func add(
        _ type: String, _ url: URL, _ options: [AnyHashable: Any]?, to coordinator: NSPersistentStoreCoordinator,
        isReadOnly: Bool
    ) throws {
        if NSPersistentStoreCoordinator.customClass(of: type) != nil {
            var options = options ?? [:]
            if isReadOnly { options[NSReadOnlyPersistentStoreOption] = true as NSNumber }
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
            return
        }
        var description = try StoreOptions.description(type, nil, url, options)
        if isReadOnly { (description.isReadOnly, description.createsIfMissing) = (true, false) }
        try coordinator.folio.addPersistentStore(description)
    }

    /// Migrates a store into another file.
    ///
    /// - Throws: An error of Cocoa's domain; errors of policies.
    public func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: options, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }

    private func migrate(
        _ source: NSPersistentStoreCoordinator, _ destination: NSPersistentStoreCoordinator, _ mapping: NSMappingModel?
    ) throws {
        guard let mapping else {
            throw CocoaErrors.made(NSMigrationMissingMappingModelError, "A migration needs a mapping model")
        }
        let manager = MigrationManager(from: source.folio, to: destination.folio)
        contexts = [
            NSManagedObjectContext(manager.sourceContext, source),
            NSManagedObjectContext(manager.destinationContext, destination),
        ]
        current = manager
        mappings = mapping.entityMappingsByName
        ownMapping = mapping
        if let cancellation { manager.cancelMigration(with: cancellation) }
        defer {
            reset()
            cancellation = nil
        }
        try manager.migrate(by: mapping.folio()) { try policy(of: $0) }
    }

    private var ownMapping: NSMappingModel?

    /// Forgets what belongs to a migration that is over.
    open func reset() {
        (current, contexts, mappings) = (nil, [], [:])
    }

    /// The mapping model of the migration.
    open var mappingModel: NSMappingModel { ownMapping ?? NSMappingModel() }
    /// The context with the old objects. Traps outside of a migration.
    open var sourceContext: NSManagedObjectContext { NSManagedObjectContext.of(folio.sourceContext) }
    /// The context with the new objects. Traps outside of a migration.
    open var destinationContext: NSManagedObjectContext { NSManagedObjectContext.of(folio.destinationContext) }
    /// How far the migration is, from 0 to 1.
    open var migrationProgress: Float { Float(current?.migrationProgress ?? 0) }
    /// The entity mapping that is being processed. Traps outside of a migration.
    open var currentEntityMapping: NSEntityMapping {
        guard let mapping = folio.currentEntityMapping else {
            preconditionFailure("No entity mapping is being processed")
        }
        return known(mapping)
    }

    /// The old entity of a mapping.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The new entity of a mapping.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// A request for the old objects of an entity that satisfy a predicate, as expressions of
    /// mappings ask for it. Traps for text that is no predicate.
    open func fetchRequest(forSourceEntityNamed name: String, predicateString: String)
        -> NSFetchRequest<any NSFetchRequestResult>
    {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name)
        request.predicate = NSPredicate(format: predicateString)
        request.includesSubentities = false
        return request
    }

    /// Cancels the migration, or before one has begun, the next.
    open func cancelMigrationWithError(_ error: any Error) {
        if let current { current.cancelMigration(with: error) } else { cancellation = cancellation ?? error }
    }

    /// Records that a new object was made of an old one.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        folio.associate(
            sourceInstance: sourceInstance, withDestinationInstance: destinationInstance,
            forEntityMappingNamed: entityMapping.name)
    }

    /// The new objects that a mapping made of old ones; all for nil. None for a mapping that there
    /// is not.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        own(try? folio.destinationInstances(forEntityMappingName: mappingName, sourceInstances: sourceInstances))
    }

    /// The old objects that a mapping made new ones of; all for nil. None for a mapping that there
    /// is not.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        own(try? folio.sourceInstances(forEntityMappingName: mappingName, destinationInstances: destinationInstances))
    }

    /// The new objects of those of a relationship of the current mapping's old entity.
    open func destinationInstances(
        forSourceRelationshipName sourceRelationshipName: String, sourceInstances: [NSManagedObject]
    ) -> [NSManagedObject] {
        own(
            try? folio.destinationInstances(
                forSourceRelationshipNamed: sourceRelationshipName, sourceInstances: sourceInstances))
    }

    private func own(_ objects: [ManagedObject]?) -> [NSManagedObject] {
        (objects ?? []).compactMap { $0 as? NSManagedObject }
    }
}

extension NSPersistentStoreCoordinator {
    /// Closes all stores.
    fileprivate func removeAll() {
        for store in persistentStores { try? remove(store) }
        try? folio.removePersistentStores()
    }
}
