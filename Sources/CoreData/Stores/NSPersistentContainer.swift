public import Foundation
import ObjectGraph

/// Combines a model, a coordinator with its stores, and a context of the main queue.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Library")
/// container.loadPersistentStores { _, error in
///     if let error { print(error) }
/// }
/// ```
// Sendable as on Apple's platforms. All stored properties but one are constants of Sendable types;
// `persistentStoreDescriptions` is set before the stores are loaded, by whoever made the container,
// and only `loadPersistentStores` reads it.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the container, which is the base name of its model's and its store's file.
    public let name: String
    /// A context of the main queue.
    public let viewContext: NSManagedObjectContext
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator of the stores.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The stores to load and their options, initially `<name>.sqlite` in
    /// ``defaultDirectoryURL()``.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]
    /// Why the model is not the application's; nil where it is.
    private let modelError: (any Error)?

    /// The directory for the stores of the application.
    open class func defaultDirectoryURL() -> URL {
        let folder =
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Creates a container with the model of this name in the application's bundles.
    ///
    /// Where there is no such model, or it can't be read, the container has no entities, and
    /// ``loadPersistentStores(completionHandler:)`` opens no store and gives the error.
    public convenience init(name: String) {
        let models = ModelFinder.models(in: [Bundle.main] + Bundle.allBundles)
        do {
            guard let own = models.first(where: { $0.deletingPathExtension().lastPathComponent == name }) else {
                throw CocoaErrors.made(
                    NSFileReadNoSuchFileErrorCode, "Failed to load model named \(name): no bundle has such a file")
            }
            self.init(name, try NSManagedObjectModel(reading: own), nil)
        } catch {
            self.init(name, NSManagedObjectModel(), CocoaErrors.translated(error))
        }
    }

    /// Creates a container with a model. No store is opened yet.
    public convenience init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.init(name, model, nil)
    }

    private init(_ name: String, _ model: NSManagedObjectModel, _ modelError: (any Error)?) {
        self.name = name
        self.modelError = modelError
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        persistentStoreDescriptions = []
        super.init()
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        let folder = type(of: self).defaultDirectoryURL()
        persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("\(name).sqlite"))
        ]
    }

    /// A container of a coordinator that there is.
    init(coordinator: NSPersistentStoreCoordinator) {
        name = coordinator.name ?? ""
        modelError = nil
        managedObjectModel = coordinator.managedObjectModel
        persistentStoreCoordinator = coordinator
        viewContext = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        persistentStoreDescriptions = []
        super.init()
        viewContext.persistentStoreCoordinator = coordinator
    }

    /// Opens the stores, and tells of each how it went; in the background for those whose
    /// descriptions say so.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if let modelError {
                block(description, modelError)
                continue
            }
            if let folder = description.url?.deletingLastPathComponent(), !description.isReadOnly {
                try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// Creates a context with the same stores and a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs a block with a context of its own, later and elsewhere.
    open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        // The context has to live until the block has run.
        context.perform { withExtendedLifetime(context) { block(context) } }
    }

    /// Runs a block with a context of its own elsewhere, and returns its result.
    public func performBackgroundTask<Result, Failure: Error>(
        _ block: @escaping (NSManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let context = newBackgroundContext()
        let work: () throws(Failure) -> Result = { () throws(Failure) -> Result in try block(context) }
        return try await context.perform(schedule: .enqueued, work)
    }
}
