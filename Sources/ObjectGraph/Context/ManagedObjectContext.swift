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
    /// `propertyValue(forKey:)` and ``KeyPathNaming/fulfillFault()`` throw in either case.
    public var shouldDeleteInaccessibleFaults = true
    /// Whether changes that other contexts save to the coordinator or to the parent are merged
    /// automatically. They are merged whenever this context processes changes, fetches or saves;
    /// ``processPendingChanges()`` suffices.
    public var automaticallyMergesChangesFromParent = false {
        didSet {
            let source = parent?.followers ?? persistentStoreCoordinator.followers
            inbox = source.exchange(inbox, for: automaticallyMergesChangesFromParent ? SaveInbox(savesArrived) : nil)
        }
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

    /// Whether the delete rules of deleted objects are applied at the end of the event, which is
    /// the default, or only when the context saves.
    public var propagatesDeletesAtEndOfEvent = true

    /// What stands for the context in another module's vocabulary.
    package weak var companion: AnyObject?
    /// Whether the objects of the context count as ones without a context, which are not inserted.
    package var holdsDetachedObjects = false
    /// Runs a function while nothing else uses the context, for children that are used elsewhere;
    /// nil where all of them are used where the context is.
    package var exclusively: ((() -> Void) -> Void)?
    /// Whether the caller is where the context is used; nil for a context that is used where its
    /// parent is.
    package var isUsedHere: (() -> Bool)?
    /// Called, from wherever somebody saves, when a save waits to be merged (see
    /// ``automaticallyMergesChangesFromParent``) or the parent has assigned permanent keys.
    package var savesArrived: (@Sendable () -> Void)? { didSet { inbox?.setArrived(savesArrived) } }

    /// The identity of temporary IDs.
    let temporaryIdentity: StoreIdentity

    // MARK: Parts with state

    let registry: ObjectRegistry
    let tracker: ChangeTracker
    let reader: StoreReader
    let observers = ContextObservers()
    /// The contexts that follow what children save to this context.
    let followers = SaveFollowers()

    // MARK: State

    var news = EventNews()
    /// What undo or redo has changed so far, of which observers are notified at its end.
    var undoNotification = HeldNotification()
    /// The ends of to-many relationships that undo or redo has changed so far.
    var replayedEnds: [UndoReplay.End] = []
    var pendingDeletions = PendingDeletions()
    var deferredMerges = DeferredMerges()
    var isProcessing = false
    var saveUnderWay: SaveUnderWay?
    var nextSave = NextSave()
    /// The saves of other contexts that are waiting to be merged; nil if the context does not merge
    /// them automatically.
    var inbox: SaveInbox?

    // MARK: Caches

    /// Keyed by the index of the root entity.
    var wholeFetches: [Int: WholeFetch] = [:]
    var memberReadings = MemberReadings()
    /// The permanent keys that the parent has assigned and this context has not taken over yet.
    let renamedKeys = RenamedKeys()
    /// The UUIDs of the stores that new objects are assigned to, by temporary key.
    var assignedStores: [Int64: String] = [:]
    /// The contexts whose parent this is.
    var children = ChildContexts()
    private var undoCheckpoint: UndoManager.Checkpoint?

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
        registry.open(
            for: self, home: FormerHome(coordinator, coordinator.shapes, temporaryIdentity: temporaryIdentity))
        parent?.children.append(self)
    }

    deinit {
        registry.close()
        if let undoManager { undoReplay.detach(undoManager, undoCheckpoint) }
        guard registry.isLarge else { return }
        // Release the context's own objects before returning free memory to the system.
        (wholeFetches, saveUnderWay) = ([:], nil)
        registry.removeAll()
        FreedMemory.giveBack()
    }

    /// The model of the coordinator.
    public var model: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

    var shapes: ContiguousArray<EntityShape> { registry.shapes }

    /// The objects with changes; see ``ChangeTracker``. Accessed in place: an iteration during
    /// which they can change must copy them first.
    var changes: ChangeRecords {
        @inline(__always) _read { yield registry.changes }
        @inline(__always) _modify { yield &registry.changes }
    }

    /// The store that the context reads from and saves to.
    func store() throws -> any RowStore {
        persistentStoreCoordinator.objectStores?.willAsk(self)
        return try reader.store()
    }

    /// Records an error of an accessor that could not read or make a value and does not throw. The
    /// next save throws the first such error.
    package func note(_ error: any Error) {
        if nextSave.loadError == nil { nextSave.loadError = error }
    }
}
