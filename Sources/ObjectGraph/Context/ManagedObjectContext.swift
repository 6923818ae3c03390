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
/// A context and its objects belong to whoever made it and are not sent anywhere else; values and object IDs are. Objects hold no reference to their context:
/// keep the context as long as you use them.
public final class ManagedObjectContext {
    public let persistentStoreCoordinator: PersistentStoreCoordinator
    /// The context that this one reads from and saves to; nil for one on the stores of its coordinator.
    public let parent: ManagedObjectContext?
    /// Told to others when the context saves; free for the application.
    public var name: String?
    /// Who makes the changes, for the history of the store: what stands here at a save. See ``fetchHistory(_:)``.
    public var transactionAuthor: String?
    /// What happens when an object was also changed in the store.
    public var mergePolicy = MergePolicy.error
    /// Whether a fault that the store has no object for becomes a deleted object whose values are nil. Otherwise reading it with an accessor that can't throw is a
    /// programmer's mistake and traps; `propertyValue(forKey:)` and ``ManagedObject/realise()`` throw in either case.
    public var shouldDeleteInaccessibleFaults = true
    /// Whether the context follows what others save to its coordinator or parent: that is merged whenever the context processes changes, fetches or saves.
    ///
    /// Contexts belong to different tasks, so nothing is merged behind the owner's back; ``processPendingChanges()`` is enough to catch up.
    public var automaticallyMergesChangesFromParent = false {
        didSet { follow(automaticallyMergesChangesFromParent) }
    }
    /// Where the context posts notifications, such as ``didSaveObjectsNotification``; nil (the beginning) for nowhere. Gathering what they say costs as much as there are changes:
    /// ``observe(_:_:)`` asks for single events.
    public var notificationCenter: NotificationCenter?
    /// Whether the context holds every object that it knows, instead of those with changes alone.
    public var retainsRegisteredObjects: Bool {
        get { registry.retainsObjects }
        set { registry.retainsObjects = newValue }
    }
    /// Records changes for undo; nil (the beginning) records nothing.
    public var undoManager: UndoManager? {
        willSet { detachUndoManager() }
        didSet { attachUndoManager() }
    }

    @usableFromInline let modelNumber: UInt64
    /// `modelNumber`, but while the context is observed: then no handle reads values directly.
    @exclusivity(unchecked) @usableFromInline var readableModelNumber: UInt64
    /// Who observes the objects; nil while the context is not observed.
    @exclusivity(unchecked) @usableFromInline var registrars: ObjectRegistrars?
    /// The moment of the store that the context reads.
    var generation = QueryGeneration.unpinned
    let shapes: ContiguousArray<EntityShape>
    /// `shapes`, not counted, for what is done a million times.
    @usableFromInline let shapeReferences: ContiguousArray<Unmanaged<EntityShape>>
    /// By entity: `EntityShape.isPlain`, without a step to the shape.
    let isPlain: ContiguousArray<Bool>
    /// The identity of temporary IDs.
    let temporaryIdentity: StoreIdentity

    // MARK: What the context knows

    // Exclusivity needs no checks: every method that changes one of these finishes with it before it calls anything that could reach it again.

    let registry: ObjectRegistry
    let temporaryKeys: TemporaryKeys
    /// What outlives the context says so.
    let life = ContextLife()
    @exclusivity(unchecked) var nursery = Nursery()
    @exclusivity(unchecked) @usableFromInline var changes = ChangeRecords()
    /// By the position of the root entity.
    var wholeFetches: [Int: WholeFetch] = [:]
    /// How far the members of the objects of a fetch were read.
    var memberReadings: [MemberReading: Int] = [:]
    /// By the numbers of typed properties.
    @exclusivity(unchecked) @usableFromInline var places: ContiguousArray<PropertyPlace> = []

    /// The UUIDs of the stores that new objects are to go to, by their temporary keys.
    var assignedStores: [Int64: String] = [:]

    // MARK: What is going on

    /// Changes are not recorded and don't reach inverses while this is above zero.
    @exclusivity(unchecked) var untrackedDepth = 0
    /// Objects whose delete rules have not run yet.
    var pendingDeletions: ContiguousArray<ManagedObject> = []
    /// Whether a save is being prepared that may leave members of deleted objects to the store, and those that it leaves.
    var collectsMemberDeletions = false
    var memberDeletions: [MemberDeletion] = []
    /// Those of a save that failed: they have to be deleted one by one.
    var postponedDeletions: [MemberDeletion] = []
    @exclusivity(unchecked) var news = EventNews()
    /// Changes of this event, for undo.
    @exclusivity(unchecked) var eventLog = EventLog()
    @exclusivity(unchecked) var recordsUndo = false
    /// `undoManager` as long as it is held there: not counted, for what is done a million times.
    @exclusivity(unchecked) private(set) var undoReference: Unmanaged<UndoManager>?
    var isProcessing = false
    var saveUnderWay: SaveUnderWay?
    var lastSaveNumber = 0
    /// The permanent keys of objects whose temporary ones may stand in undo's records.
    @exclusivity(unchecked) var permanentKeys = PermanentKeys()
    /// What an application's own validator threw last, with the key and the value that it was asked about.
    var ownFailure: ValidationError.Failure?
    /// Why a value could not be read by an accessor that can't throw.
    var loadError: (any Error)?
    let observers = ContextObservers()
    /// The parent as a store.
    let parentStore: ParentStore?
    var children: [Child] = []
    /// Those who follow what children save to this context.
    let followers = SaveFollowers()
    var inbox: SaveInbox?
    /// Told when the first object gets changes that are not saved.
    package var firstChangeHandler: (() -> Void)?
    @exclusivity(unchecked) var edits = EditHistory()
    private var undoCheckpoint: UndoManager.Checkpoint?

    /// Makes a context on the stores of a coordinator.
    public convenience init(_ coordinator: PersistentStoreCoordinator) {
        self.init(coordinator, parent: nil)
    }

    /// Makes a child of a context: it sees the parent's objects with their unsaved changes, and its save makes its own changes the parent's, one level up. They reach the
    /// store when the topmost context saves.
    ///
    /// ```swift
    /// let draft = ManagedObjectContext(parent: document.context)
    /// try draft.existingObject(with: book.objectID)["title"] = "Emma"
    /// try draft.save()        // or forget the draft
    /// ```
    /// A child holds its parent, and is used where that is used. Conflicts don't arise between them: what the child saves counts. A new object keeps its temporary ID in both
    /// until the topmost context saves.
    public convenience init(parent: ManagedObjectContext) {
        self.init(parent.persistentStoreCoordinator, parent: parent)
        parent.children.append(Child(context: self))
    }

    private init(_ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext?) {
        persistentStoreCoordinator = coordinator
        self.parent = parent
        parentStore = parent.map { ParentStore($0) }
        temporaryKeys = parent?.temporaryKeys ?? TemporaryKeys()
        shapes = coordinator.shapes
        shapeReferences = ContiguousArray(coordinator.shapes.map { .passUnretained($0) })
        isPlain = ContiguousArray(coordinator.shapes.map(\.isPlain))
        modelNumber = coordinator.model.number
        readableModelNumber = coordinator.model.number
        temporaryIdentity = parent?.temporaryIdentity ?? .unsaved(coordinator.model)
        registry = ObjectRegistry(coordinator.shapes)
        registry.context = self
        life.context = .passUnretained(self)
    }

    deinit {
        life.context = nil
        // Members hold each other in many-to-many relationships: without this they would outlive the context.
        for object in registry.allObjects {
            object.contextReference = nil
            object.detachRow()
            object.state = .fault
        }
        detachUndoManager()
        guard registry.capacity > Self.manyObjects else { return }
        // What the context itself holds goes before what is free is given back.
        (changes, wholeFetches, saveUnderWay) = (ChangeRecords(), [:], nil)
        registry.removeAll()
        FreedMemory.giveBack()
    }

    /// A context that knew more gives their memory back to the system at its end; that of fewer is soon used again.
    private static let manyObjects = 50_000

    public var model: ManagedObjectModel { persistentStoreCoordinator.model }

    private func attachUndoManager() {
        guard let undoManager else { return }
        edits.attach(undoManager)
        undoCheckpoint = undoManager.addCheckpoint(for: self, hasPending: { !$0.eventLog.isEmpty || !$0.pendingDeletions.isEmpty || !$0.postponedDeletions.isEmpty }) { $0.processPendingChanges() }
        undoReference = .passUnretained(undoManager)
        recordsUndo = true
    }

    private func detachUndoManager() {
        guard let undoManager else { return }
        // What is pending was to be undone with it.
        if !eventLog.isEmpty { edits.noteUnrecorded() }
        edits.detach(undoManager)
        undoReference = nil
        recordsUndo = false
        eventLog = EventLog()
        permanentKeys = PermanentKeys()
        undoManager.removeAllActions(withTarget: self)
        undoCheckpoint.map { undoManager.removeCheckpoint($0) }
        undoCheckpoint = nil
    }
}
