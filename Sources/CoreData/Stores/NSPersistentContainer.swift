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
// Sendable as on Apple's platforms. Initializers set the stored properties, but for
// `persistentStoreDescriptions`, which is set before the stores are loaded, by whoever made the
// container; only `loadPersistentStores` reads it.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name of the container, which is the base name of its model's and its store's file.
    open var name: String { ownName }
    private let ownName: String
    /// A context of the main queue.
    open var viewContext: NSManagedObjectContext { ownViewContext }
    private var ownViewContext: NSManagedObjectContext
    /// The model.
    open var managedObjectModel: NSManagedObjectModel { ownManagedObjectModel }
    private let ownManagedObjectModel: NSManagedObjectModel
    /// The coordinator of the stores.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { ownPersistentStoreCoordinator }
    private var ownPersistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The stores to load and their options, initially `<name>.sqlite` in
    /// ``defaultDirectoryURL()``.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]
    /// Why the model is not the application's; nil where it is.
    private var modelError: (any Error)?

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
        let model = Result { try NSManagedObjectModel(named: name) }
        self.init(name: name, managedObjectModel: (try? model.get()) ?? NSManagedObjectModel())
        if case .failure(let error) = model { modelError = CocoaErrors.translated(error) }
    }

    /// Creates a container with a model. No store is opened yet.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        ownName = name
        ownManagedObjectModel = model
        ownPersistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        ownViewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        persistentStoreDescriptions = []
        super.init()
        ownViewContext.persistentStoreCoordinator = ownPersistentStoreCoordinator
        let folder = type(of: self).defaultDirectoryURL()
        persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.appendingPathComponent("\(name).sqlite"))
        ]
    }

    /// A container of a coordinator that there is.
    convenience init(coordinator: NSPersistentStoreCoordinator) {
        self.init(name: coordinator.name ?? "", managedObjectModel: coordinator.managedObjectModel)
        persistentStoreDescriptions = []
        ownPersistentStoreCoordinator = coordinator
        ownViewContext = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        ownViewContext.persistentStoreCoordinator = coordinator
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
