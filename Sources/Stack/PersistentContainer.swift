public import Foundation
public import Migration
public import ObjectGraph
public import Schema
public import Storage

/// Combines a model, a coordinator with its stores, and a context.
///
/// ```swift
/// let container = PersistentContainer(name: "Library", managedObjectModel: model)
/// try container.loadPersistentStores()
/// let book = try container.viewContext.insert("Book")
/// try container.viewContext.save()
/// ```
/// Use a container and its ``viewContext`` in the isolation domain that created it. For work
/// elsewhere, ``performBackgroundTask(_:)`` provides a context. The coordinator is `Sendable` and
/// can start several such tasks in parallel.
public final class PersistentContainer {
    /// The name of the container, which is the base name of its store's file.
    public let name: String
    /// The coordinator of the stores.
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The stores and the options to open them with, initially `<name>.sqlite` in
    /// ``defaultDirectoryURL()``. Changes take effect only before ``loadPersistentStores()``.
    public var persistentStoreDescriptions: [PersistentStoreDescription]
    /// A context for use where the container is used, typically on the main actor.
    public let viewContext: ManagedObjectContext
    /// Migrates stores to the container's version before they are opened.
    private var migrationManager: StagedMigrationManager?

    /// Creates a container for a model. No store is opened yet.
    ///
    /// - Parameter classes: The classes of objects by the names that the model uses in
    ///   ``EntityDefinition/managedObjectClassName``; ``ManagedObject`` for all others.
    public init(name: String, managedObjectModel model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:])
    {
        self.name = name
        persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: classes)
        viewContext = ManagedObjectContext(persistentStoreCoordinator)
        viewContext.name = "viewContext"
        persistentStoreDescriptions = [
            PersistentStoreDescription(url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
        ]
    }

    /// Creates a container for classes that declare their entities.
    ///
    /// ```swift
    /// let container = try PersistentContainer(name: "Library", schema: [Book.self])
    /// ```
    /// - Throws: ``ModelError`` with all errors in the classes.
    public convenience init(name: String, schema classes: [ManagedObject.Type]) throws {
        self.init(
            name: name, managedObjectModel: try ManagedObjectModel(schema: classes),
            classes: ManagedObject.classesByName(classes))
    }

    /// Creates a container for the newest version of a migration plan. Loading migrates stores of
    /// earlier versions first.
    ///
    /// - Throws: ``MigrationError`` for a plan that is inconsistent or has no version.
    public convenience init(name: String, migrationPlan plan: any SchemaMigrationPlan.Type) throws {
        let manager = try plan.migrationManager()
        guard let newest = manager.versionClasses.last else {
            throw MigrationError(.invalidMapping, "The plan \(plan) names no version")
        }
        self.init(name: name, managedObjectModel: newest.version, classes: newest.classes)
        migrationManager = manager
    }

    /// The directory for the stores of the application.
    public static func defaultDirectoryURL() -> URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }

    /// The model of the container.
    public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    /// Opens the stores. A store that does not exist is created, with its directory.
    ///
    /// - Throws: ``StorageError``; errors of migrating a store by the container's plan.
    public func loadPersistentStores() throws {
        for description in persistentStoreDescriptions {
            let folder = description.url.deletingLastPathComponent()
            if description.createsIfMissing && !description.isReadOnly
                && !FileManager.default.fileExists(atPath: folder.path)
            {
                do {
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                } catch {
                    throw StorageError(
                        .cannotCreate, "The store's folder can't be made", path: folder.path, underlying: error)
                }
            }
            if let migrationManager, FileManager.default.fileExists(atPath: description.url.path) {
                try migrationManager.migrateStore(at: description)
            }
            try persistentStoreCoordinator.addPersistentStore(description)
        }
    }

    /// Creates a context with the same stores, for use in another isolation domain.
    public func newBackgroundContext() -> sending ManagedObjectContext {
        ManagedObjectContext(persistentStoreCoordinator)
    }

    /// Runs a function with a context of its own, outside of the caller's isolation domain, and
    /// returns its result. The result can't contain objects; return values and object IDs. Changes
    /// that the function does not save are lost. If the ``viewContext`` merges changes
    /// automatically, it has merged the saved changes when this returns.
    ///
    /// ```swift
    /// let count = try await container.performBackgroundTask { context in
    ///     for line in lines { try context.insert("Book")["title"] = line }
    ///     try context.save()
    ///     return lines.count
    /// }
    /// ```
    public nonisolated(nonsending) func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) async throws -> Result
    ) async throws -> Result {
        let result = try await persistentStoreCoordinator.performBackgroundTask(body)
        // Merge the saves of the task into the view context, whose isolation domain this is.
        if viewContext.automaticallyMergesChangesFromParent { viewContext.processWithinStep() }
        return result
    }
}
