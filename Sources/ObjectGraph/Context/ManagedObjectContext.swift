public import Foundation
import RowMemory
public import Schema
import Storage

/// A workspace for objects: it fetches them, keeps each once, knows what changed, and saves that.
///
/// ```swift
/// let context = ManagedObjectContext(coordinator)
/// let book = try context.insert("Book")
/// book["title"] = "Middlemarch"
/// try context.save()
/// ```
/// A context and its objects belong to whoever made it and are not sent anywhere else; values and
/// object IDs are. Objects hold no reference to their context: keep the context as long as you use
/// them.
public final class ManagedObjectContext {
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The context that this one reads from and saves to; nil for one on the stores of its
    /// coordinator.
    public let parent: ManagedObjectContext?
    /// Told to others when the context saves; free for the application.
    public var name: String?
    /// Who makes the changes, for the history of the store: what stands here at a save. See
    /// ``fetchHistory(_:)``.
    public var transactionAuthor: String?
    /// What happens when an object was also changed in the store.
    public var mergePolicy = MergePolicy.error
    /// Whether a fault that the store has no object for becomes a deleted object whose values are
    /// nil. Otherwise reading it with an accessor that can't throw is a programmer's mistake and
    /// traps; `propertyValue(forKey:)` and ``ManagedObject/realise()`` throw in either case.
    public var shouldDeleteInaccessibleFaults = true
    /// Whether the context follows what others save to its coordinator or parent: that is merged
    /// whenever the context processes changes, fetches or saves.
    ///
    /// Contexts belong to different tasks, so nothing is merged behind the owner's back;
    /// ``processPendingChanges()`` is enough to catch up.
    public var automaticallyMergesChangesFromParent = false {
        didSet { follow(automaticallyMergesChangesFromParent) }
    }
    /// Where the context posts notifications, such as ``didSaveObjectsNotification``; nil (the
    /// beginning) for nowhere. Gathering what they say costs as much as there are changes:
    /// ``observe(_:_:)`` asks for single events.
    public var notificationCenter: NotificationCenter? {
        get { observers.notificationCenter }
        set { observers.notificationCenter = newValue }
    }
    /// Whether the context holds every object that it knows, instead of those with changes alone.
    public var retainsRegisteredObjects: Bool {
        get { registry.retainsObjects }
        set { registry.retainsObjects = newValue }
    }
    /// Records changes for undo; nil (the beginning) records nothing.
    public var undoManager: UndoManager? {
        willSet { if let undoManager { undoReplay.detach(undoManager, undoCheckpoint) } }
        didSet { undoCheckpoint = undoManager.map { undoReplay.attach($0) } }
    }

    /// The identity of temporary IDs.
    let temporaryIdentity: StoreIdentity

    // MARK: Parts with a state of their own

    let registry: ObjectRegistry
    let tracker: ChangeTracker
    let reader: StoreReader
    let observers = ContextObservers()
    /// Those who follow what children save to this context.
    let followers = SaveFollowers()

    // MARK: What is going on

    var news = EventNews()
    var pendingDeletions = PendingDeletions()
    var isProcessing = false
    var saveUnderWay: SaveUnderWay?
    var lastSaveNumber = 0
    /// Why a value could not be read by an accessor that can't throw.
    var loadError: (any Error)?
    /// What an application's own validator threw last, with the key and the value that it was asked
    /// about.
    var ownFailure: ValidationError.Failure?
    /// What was saved elsewhere, where the context follows that.
    var inbox: SaveInbox?

    // MARK: What is remembered

    /// By the position of the root entity.
    var wholeFetches: [Int: WholeFetch] = [:]
    var memberReadings = MemberReadings()
    /// The UUIDs of the stores that new objects are to go to, by their temporary keys.
    var assignedStores: [Int64: String] = [:]
    private var weakChildren: [Child] = []
    private var undoCheckpoint: UndoManager.Checkpoint?

    private struct Child {
        weak var context: ManagedObjectContext?
    }

    /// Makes a context on the stores of a coordinator.
    public convenience init(_ coordinator: PersistentStoreCoordinator) {
        self.init(coordinator, parent: nil)
    }

    /// - Parameter parentStore: the parent as a store.
    init(_ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext?, parentStore: (any RowStore)? = nil) {
        persistentStoreCoordinator = coordinator
        self.parent = parent
        temporaryIdentity = parent?.temporaryIdentity ?? .unsaved(coordinator.model)
        registry = ObjectRegistry(coordinator.shapes, modelNumber: coordinator.model.number, parent: parent?.registry)
        tracker = ChangeTracker(registry)
        reader = StoreReader(coordinator, parent: parentStore)
        registry.open(for: self)
        parent?.weakChildren.append(Child(context: self))
    }

    deinit {
        registry.close()
        if let undoManager { undoReplay.detach(undoManager, undoCheckpoint) }
        guard registry.capacity > Self.manyObjects else { return }
        // What the context itself holds goes before what is free is given back.
        (wholeFetches, saveUnderWay) = ([:], nil)
        registry.removeAll()
        FreedMemory.giveBack()
    }

    /// A context that knew more gives their memory back to the system at its end; that of fewer is
    /// soon used again.
    private static let manyObjects = 50_000

    public var model: ManagedObjectModel { persistentStoreCoordinator.model }

    var shapes: ContiguousArray<EntityShape> { registry.shapes }

    /// The objects with changes; see ``ChangeTracker``. They are read in place: a walk that lets
    /// them change takes a copy first.
    var changes: ChangeRecords {
        @inline(__always) _read { yield registry.changes }
        @inline(__always) _modify { yield &registry.changes }
    }

    /// Told when the first object gets changes that are not saved.
    package var firstChangeHandler: (() -> Void)? {
        get { tracker.firstChangeHandler }
        set { tracker.firstChangeHandler = newValue }
    }

    var hasChildren: Bool { !weakChildren.isEmpty }

    /// The children that there are.
    var children: [ManagedObjectContext] { weakChildren.compactMap(\.context) }

    /// Forgets the children that are gone.
    func forgetGoneChildren() { weakChildren.removeAll { $0.context == nil } }

    /// The next save throws the first of these: a value could not be read when it was used, by what
    /// can't throw.
    func noteLoadError(_ error: any Error) {
        if loadError == nil { loadError = error }
    }
}
