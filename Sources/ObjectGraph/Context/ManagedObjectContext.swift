public import Foundation
import RowMemory
public import Schema
import Storage

/// A workspace for managed objects: it fetches objects, keeps one instance of each, tracks their
/// changes, and saves them.
///
/// ```swift
/// let context = ManagedObjectContext(coordinator)
/// let book = try context.insert("Book")
/// book["title"] = "Middlemarch"
/// try context.save()
/// ```
/// A context and its objects are not `Sendable`: use them in the isolation domain that created the
/// context, and pass values and object IDs to others. Objects don't retain their context, so keep
/// the context as long as you use them.
public final class ManagedObjectContext {
    /// The coordinator whose stores the context works with.
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The context that this one reads from and saves to; nil for a context that works directly
    /// with the stores of its coordinator.
    public let parent: ManagedObjectContext?
    /// A name for the application's use. It is recorded in the persistent history and is part of
    /// ``SavedChanges``.
    public var name: String?
    /// The author of the changes, which a save records in the persistent history. See
    /// ``fetchHistory(_:)``.
    public var transactionAuthor: String?
    /// The policy for conflicts with changes in the store. The default is ``MergePolicy/error``.
    public var mergePolicy = MergePolicy.error
    /// Whether a fault whose object does not exist in the store becomes a deleted object with nil
    /// values. If false, accessing such a fault with an accessor that does not throw traps.
    /// `propertyValue(forKey:)` and ``ManagedObject/fulfillFault()`` throw in either case.
    public var shouldDeleteInaccessibleFaults = true
    /// Whether changes that other contexts save to the coordinator or to the parent are merged
    /// automatically. They are merged whenever this context processes changes, fetches or saves;
    /// ``processPendingChanges()`` suffices.
    public var automaticallyMergesChangesFromParent = false {
        didSet { follow(automaticallyMergesChangesFromParent) }
    }
    /// The notification center for notifications such as ``didSaveObjectsNotification``; nil, the
    /// default, for none. Notifications cost time proportional to the number of changes; use
    /// ``observe(_:_:)`` to observe single kinds of events.
    public var notificationCenter: NotificationCenter? {
        get { observers.notificationCenter }
        set { observers.notificationCenter = newValue }
    }
    /// Whether the context retains all registered objects. If false, it retains only those with
    /// changes.
    public var retainsRegisteredObjects: Bool {
        get { registry.retainsObjects }
        set { registry.retainsObjects = newValue }
    }
    /// The undo manager that records changes; nil, the default, for none.
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

    /// Creates a context that works with the stores of a coordinator.
    public convenience init(_ coordinator: PersistentStoreCoordinator) {
        self.init(coordinator, parent: nil)
    }

    /// - Parameter parentStore: the parent as a store.
    init(_ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext?, parentStore: (any RowStore)? = nil) {
        persistentStoreCoordinator = coordinator
        self.parent = parent
        temporaryIdentity = parent?.temporaryIdentity ?? .unsaved(coordinator.managedObjectModel)
        registry = ObjectRegistry(
            coordinator.shapes, modelNumber: coordinator.managedObjectModel.number, parent: parent?.registry)
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

    /// The model of the coordinator.
    public var model: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

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
