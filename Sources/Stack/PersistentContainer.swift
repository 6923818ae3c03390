public import Foundation
public import Migration
public import ObjectGraph
public import Schema
public import Storage

/// A model, its store and a context to work in, in one.
///
/// ```swift
/// let container = PersistentContainer(name: "Library", model: model)
/// try container.loadPersistentStores()
/// let book = try container.viewContext.insert("Book")
/// try container.viewContext.save()
/// ```
/// A container belongs to whoever made it, as its ``viewContext`` does. Work elsewhere gets a
/// context of its own: ``performBackgroundTask(_:)``. The coordinator is Sendable, and starts such
/// work from anywhere, several tasks at once.
public final class PersistentContainer {
    public let name: String
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// Where the store is and how it is opened: at first `<name>.sqlite` in
    /// ``defaultDirectoryURL()``. Change it before loading.
    public var persistentStoreDescriptions: [PersistentStoreDescription]
    /// The context of the container's owner.
    public let viewContext: ManagedObjectContext
    /// What brings stores to the container's version before they are opened.
    private var migrationManager: StagedMigrationManager?

    /// - Parameter classes: the classes of entities' objects, by the names that the model gives in
    ///   `managedObjectClassName`.
    public init(name: String, model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:]) {
        self.name = name
        persistentStoreCoordinator = PersistentStoreCoordinator(model: model, classes: classes)
        viewContext = ManagedObjectContext(persistentStoreCoordinator)
        viewContext.name = "viewContext"
        persistentStoreDescriptions = [
            PersistentStoreDescription(url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
        ]
    }

    /// A container for classes that declare their entities.
    ///
    /// ```swift
    /// let container = try PersistentContainer(name: "Library", schema: [Book.self])
    /// ```
    /// - Throws: ``ModelError`` with everything that is wrong in the classes.
    public convenience init(name: String, schema classes: [ManagedObject.Type]) throws {
        self.init(
            name: name, model: try ManagedObjectModel(schema: classes), classes: ManagedObject.classesByName(classes))
    }

    /// A container for the newest version of a plan. Loading brings stores of earlier versions to
    /// it first.
    /// - Throws: ``MigrationError`` for a plan that contradicts itself or has no version.
    public convenience init(name: String, migrationPlan plan: any SchemaMigrationPlan.Type) throws {
        let manager = try plan.migrationManager()
        guard let newest = manager.versionClasses.last else {
            throw MigrationError(.invalidMapping, "The plan \(plan) names no version")
        }
        self.init(name: name, model: newest.version, classes: newest.classes)
        migrationManager = manager
    }

    /// The folder for an application's own stores.
    public static func defaultDirectoryURL() -> URL {
        FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }

    public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.model }

    /// Opens the store, and makes it, and the folder that it is in, where there is none.
    /// - Throws: ``StorageError``; what migrating a store by the container's plan throws.
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

    /// A new context on the same store, for use in another place than the ``viewContext``.
    public func newBackgroundContext() -> sending ManagedObjectContext {
        ManagedObjectContext(persistentStoreCoordinator)
    }

    /// Runs `body` off the caller with a context of its own. Objects stay inside; values and object
    /// IDs come out. Changes that `body` does not save are lost. A ``viewContext`` that merges
    /// changes automatically shows what it saved when this returns.
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
        // What the task saved waits to be merged where the view context is used, which is here.
        if viewContext.automaticallyMergesChangesFromParent { viewContext.processPendingChanges() }
        return result
    }
}
