public import Foundation
import RowMemory
public import Schema
public import Storage
import Synchronization

/// Opens the stores of a model. Contexts share a coordinator to work with its stores.
///
/// Several stores appear as one. Configurations of the model determine which entities a store
/// contains; a fetch returns objects of all stores in one order; a new object is saved in the first
/// store that can contain it, or in the one that it is assigned to with
/// ``ManagedObjectContext/assign(_:to:)``.
///
/// ```swift
/// var people = PersistentStoreDescription(url: peopleURL)
/// people.configuration = "People"
/// var logs = PersistentStoreDescription(url: logsURL)
/// logs.configuration = "Logs"
/// try coordinator.addPersistentStore(people)
/// try coordinator.addPersistentStore(logs)
/// ```
/// Objects in different stores can't be related. A save writes to all stores or to none: stores
/// commit after all of them have written. A crash between two commits can leave one store without
/// the changes of the other.
///
/// A coordinator is thread-safe. `PersistentStoreCoordinator(managedObjectModel:)` creates one with
/// the built-in store types.
public final class PersistentStoreCoordinator: Sendable {
    private struct State {
        var members: [StoreMember] = []
        var nextIndex = 0
        /// Metadata that were set but not saved, by the UUID of the store.
        var pendingMetadata: [String: [String: MetadataValue?]] = [:]
        /// The observations of commits to stores, by the UUID of the store.
        var commitObservations: [String: any CommitObservation] = [:]
        /// The store that contexts read from and save to; nil without stores.
        var rowStore: (any RowStore)?
        var factories: [StoreFactory]
        var savingRefusal: (@Sendable (Write) -> any Error)?
        var announcer: (@Sendable (PersistentStoreRemoteChange?) -> Void)?
        var objectStores: (any ObjectStores)?
        /// The UUIDs of the copies that replaced stores, by the UUIDs of these.
        var successors: [String: String] = [:]
    }

    /// The shapes of models without application classes, shared by their coordinators.
    private static let plainShapes = Mutex(RecentlyUsed<UInt64, ContiguousArray<EntityShape>>())

    /// The model of the stores.
    public let managedObjectModel: ManagedObjectModel
    let shapes: ContiguousArray<EntityShape>
    /// The contexts that merge saves of other contexts.
    let followers = SaveFollowers()
    let remoteChangeStreams = RemoteChangeStreams()
    let constraints: [UniquenessConstraint]
    private let state: Mutex<State>
    /// Whether there are ``objectStores``, which most coordinators don't have.
    private let hasObjectStores = Atomic<Bool>(false)

    /// - Parameter classes: The classes of objects by the names that the model uses in
    ///   `managedObjectClassName`; ``ManagedObject`` for all others.
    package convenience init(
        managedObjectModel model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:],
        factories: [StoreFactory]
    ) {
        self.init(
            managedObjectModel: model, isPlain: classes.isEmpty, factories: factories,
            objectClass: { $0.managedObjectClassName.flatMap { classes[$0] } ?? ManagedObject.self })
    }

    /// - Parameters:
    ///   - isPlain: whether the objects of all entities are of the class ``ManagedObject``.
    ///   - objectClass: the class of an entity's objects.
    package init(
        managedObjectModel model: ManagedObjectModel, isPlain: Bool, factories: [StoreFactory],
        objectClass: (EntityDescription) -> ManagedObject.Type
    ) {
        precondition(model.entities.count <= Int(UInt16.max), "A model has at most 65535 entities")
        self.managedObjectModel = model
        state = Mutex(State(factories: factories))
        let layouts = RowLayout.layouts(for: model)
        constraints = model.entities.flatMap { UniquenessConstraint.constraints(of: $0, in: model, layouts) }
        func makeShapes() -> ContiguousArray<EntityShape> {
            ContiguousArray(
                model.entities.map { entity in
                    EntityShape(
                        entity: entity, layout: layouts[entity.index], objectClass: objectClass(entity), model: model)
                })
        }
        shapes = isPlain ? Self.plainShapes.value(for: model.number, make: makeShapes) : makeShapes()
    }

    // MARK: Stores

    /// Opens a store and adds it after the existing ones.
    ///
    /// - Throws: ``StorageError``, `unsupported` if the type of the store is not registered,
    ///   `cannotCreate` if the model lacks the configuration, `busy` if the store has been added
    ///   already; errors of opening the store.
    @discardableResult
    public func addPersistentStore(_ description: PersistentStoreDescription) throws -> PersistentStore {
        try addPersistentStore(description, by: try factory(description.type, description.url))
    }

    /// Opens a store by a factory that need not be registered, and adds it.
    package func addPersistentStore(_ description: PersistentStoreDescription, by factory: StoreFactory) throws
        -> PersistentStore
    {
        guard managedObjectModel.entities(inConfiguration: description.configuration) != nil else {
            throw StorageError(
                .cannotCreate, "The model has no configuration \(description.configuration ?? "")",
                path: description.url.path)
        }
        let store = try factory.open(description, managedObjectModel)
        if let other = stores.first(where: { $0.identity.uuid == store.identity.uuid }) {
            try? store.close()
            throw StorageError(
                .busy, "The coordinator has this store already: \(other.description.url.lastPathComponent)",
                path: description.url.path)
        }
        do {
            if let observation = try observeCommits(to: store) {
                state.withLock { $0.commitObservations[store.identity.uuid] = observation }
            }
        } catch {
            try? store.close()
            throw error
        }
        add(store)
        return PersistentStore(store)
    }

    /// Adds an open store. Its model must be equal to the coordinator's.
    package func add(_ store: any StoreBackend) {
        precondition(
            store.identity.model == managedObjectModel,
            "A coordinator has stores of its own model: make another coordinator for another model")
        change { state in
            state.members.append(StoreMember(store, place: state.nextIndex, model: managedObjectModel))
            state.nextIndex += 1
        }
        tell(added: [PersistentStore(store)])
    }

    /// Replaces a store by another, for example after a document moved. Objects keep their primary
    /// keys.
    package func replace(_ old: any StoreBackend, by new: any StoreBackend) {
        change { state in
            if let index = state.members.firstIndex(where: { $0.store === old }) {
                state.members[index] = StoreMember(new, place: state.members[index].place, model: managedObjectModel)
            } else {
                state.members.append(StoreMember(new, place: state.nextIndex, model: managedObjectModel))
                state.nextIndex += 1
            }
        }
    }

    /// Replaces a store by its copy, which has the same rows under another UUID. The old store is
    /// closed.
    ///
    /// - Throws: Errors of observing the copy; nothing is changed then.
    func exchange(_ old: StoreMember, for copy: any StoreBackend) throws {
        let observation = try observeCommits(to: copy), uuid = copy.identity.uuid
        change { state in
            guard let index = state.members.firstIndex(where: { $0.place == old.place }) else { return }
            state.members[index] = StoreMember(copy, place: old.place, model: managedObjectModel)
            state.pendingMetadata[uuid] = state.pendingMetadata.removeValue(forKey: old.uuid)
            state.commitObservations[uuid] = observation
            state.successors[old.uuid] = uuid
        }
        // The copy is complete. An error of closing the original changes nothing about that.
        try? close(old)
    }

    /// The UUID of the store that stands for one that may have been replaced by a copy.
    func currentUUID(_ uuid: String) -> String {
        state.withLock { state in
            var current = uuid
            while !state.members.contains(where: { $0.uuid == current }), let next = state.successors[current] {
                current = next
            }
            return current
        }
    }

    /// Changes of a save, with the present IDs of objects whose store was replaced by its copy
    /// since.
    func current(_ changes: SavedChanges) -> SavedChanges {
        let (successors, identities) = state.withLock { ($0.successors, $0.members.map(\.store.identity)) }
        if successors.isEmpty { return changes }
        func current(_ ids: Set<ManagedObjectID>) -> Set<ManagedObjectID> {
            Set(
                ids.map { id in
                    let uuid = currentUUID(id.store.uuid)
                    guard uuid != id.store.uuid, let store = identities.first(where: { $0.uuid == uuid }) else {
                        return id
                    }
                    return ManagedObjectID(store: store, entityIndex: id.entityIndex, key: id.key)
                })
        }
        return SavedChanges(
            inserted: current(changes.inserted), updated: current(changes.updated), deleted: current(changes.deleted),
            contextName: changes.contextName)
    }

    /// Makes every save and batch request of the coordinator's contexts throw an error, because the
    /// owner of the store commits by itself. Nil allows saving again.
    package func refuseSaving(_ refusal: (@Sendable (Write) -> any Error)?) {
        state.withLock { $0.savingRefusal = refusal }
    }

    /// Has commits told to a function, and stores that come and go with nil, in the place of
    /// notifications: where another module posts them in its own vocabulary.
    package func setAnnouncer(_ announcer: (@Sendable (PersistentStoreRemoteChange?) -> Void)?) {
        state.withLock { $0.announcer = announcer }
    }

    var announcer: (@Sendable (PersistentStoreRemoteChange?) -> Void)? { state.withLock { $0.announcer } }

    /// What acts for stores that get objects, not values; nil for none.
    package var objectStores: (any ObjectStores)? {
        hasObjectStores.load(ordering: .relaxed) ? state.withLock { $0.objectStores } : nil
    }

    /// Has contexts tell of their requests, before a store is added that gets objects.
    package func setObjectStores(_ stores: any ObjectStores) {
        state.withLock { $0.objectStores = stores }
        hasObjectStores.store(true, ordering: .relaxed)
    }

    /// A way in which a context changes its stores.
    package enum Write: Sendable {
        case save, batchRequest
    }

    func check(_ write: Write) throws {
        if let refusal = state.withLock({ $0.savingRefusal }) { throw refusal(write) }
    }

    /// Closes a store and removes it. Its objects can no longer be read or saved, and metadata that
    /// were set but not saved are lost.
    ///
    /// - Throws: ``StorageError``, `unknownObject` if the coordinator does not have the store.
    public func remove(_ store: PersistentStore) throws {
        let member = try member(store)
        tellBeforeRemoving(store)
        change { state in
            state.members.removeAll { $0.place == member.place }
            state.pendingMetadata[member.uuid] = nil
        }
        try close(member)
        tell(removed: [store])
    }

    private func close(_ member: StoreMember) throws {
        state.withLock { $0.commitObservations.removeValue(forKey: member.uuid) }?.cancel()
        try member.store.close()
    }

    /// Closes and removes all stores. Contexts can't fetch or save until a store is added.
    public func removePersistentStores() throws {
        let removed = members
        for member in removed { tellBeforeRemoving(PersistentStore(member.store)) }
        change { state in
            state.members = []
            state.nextIndex = 0
            state.pendingMetadata = [:]
            state.successors = [:]
        }
        for member in removed { try close(member) }
        if !removed.isEmpty { tell(removed: removed.map { PersistentStore($0.store) }) }
    }

    /// The stores, in the order in which they were added.
    public var persistentStores: [PersistentStore] { stores.map { PersistentStore($0) } }

    /// The store at a URL; nil if the coordinator does not have it.
    public func persistentStore(for url: URL) -> PersistentStore? {
        stores.first { $0.description.url.standardizedFileURL == url.standardizedFileURL }.map { PersistentStore($0) }
    }

    /// The descriptions with which the stores were opened.
    public var persistentStoreDescriptions: [PersistentStoreDescription] { stores.map(\.description) }

    package var stores: [any StoreBackend] { members.map(\.store) }

    var members: [StoreMember] { state.withLock { $0.members } }

    var firstStore: (any StoreBackend)? { state.withLock { $0.members.first?.store } }

    /// The store that contexts read from and save to; nil without stores.
    var rowStore: (any RowStore)? { state.withLock { $0.rowStore } }

    /// The union of all stores, if there are several or if metadata are waiting to be saved.
    var union: StoreUnion? { rowStore as? StoreUnion }

    func member(at place: Int) -> StoreMember? { members.first { $0.place == place } }

    func member(_ store: PersistentStore) throws -> StoreMember {
        if let member = members.first(where: { $0.uuid == store.identifier }) { return member }
        throw StorageError(.unknownObject, "The coordinator does not have this store", path: store.url.path)
    }

    /// The member for a store in which a new object of an entity can be saved.
    func member(_ store: PersistentStore, toTake entity: EntityDescription) throws -> StoreMember {
        let member = try member(store)
        guard member.holdsRoot[entity.rootIndex] else {
            throw StorageError(
                .unsupported,
                "The store holds no objects of the entity \(entity.name): it is of the configuration \(store.configurationName ?? "")",
                path: store.url.path, entities: [entity.name])
        }
        guard !member.isReadOnly else {
            throw StorageError(.readOnly, "The store is open for reading only", path: store.url.path)
        }
        return member
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            if let only = state.members.first, state.members.count == 1, only.place == 0, state.pendingMetadata.isEmpty
            {
                // Contexts use the primary keys of the store and access it directly.
                state.rowStore = only.store
            } else {
                state.rowStore =
                    state.members.isEmpty
                    ? nil : StoreUnion(state.members, shapes, pendingMetadata: state.pendingMetadata)
            }
        }
    }

    // MARK: Kinds of stores

    func factory(_ type: StoreType, _ url: URL) throws -> StoreFactory {
        let factories = state.withLock { $0.factories }
        if let factory = factories.first(where: { $0.type == type }) { return factory }
        throw StorageError(.unsupported, "No store of type \(type.rawValue) is registered", path: url.path)
    }

    /// Registers a store type. It replaces the factory that was registered for the type.
    package func register(_ factory: StoreFactory) {
        state.withLock { state in
            state.factories.removeAll { $0.type == factory.type }
            state.factories.append(factory)
        }
    }

    /// The types of stores that can be added.
    public var registeredStoreTypes: [StoreType] { state.withLock { $0.factories.map(\.type) } }

    // MARK: Metadata

    /// The metadata of a store, including changes that are not saved yet.
    ///
    /// - Throws: ``StorageError``, `unknownObject` if the coordinator does not have the store.
    public func metadata(for store: PersistentStore) throws -> [String: MetadataValue] {
        let member = try member(store)
        var metadata = try member.store.metadata()
        for (key, value) in state.withLock({ $0.pendingMetadata[member.uuid] ?? [:] }) { metadata[key] = value }
        return metadata
    }

    /// Replaces the metadata of a store. Entries that are missing in `metadata` are removed, except
    /// those that describe the store itself. The change is written by the next save of any context;
    /// without a save it is lost.
    ///
    /// - Throws: ``StorageError``, `unsupported` for a different value of an entry that describes
    ///   the store itself.
    public func setMetadata(_ metadata: [String: MetadataValue], for store: PersistentStore) throws {
        let member = try member(store)
        let changes = try Self.changes(from: try member.store.metadata(), to: metadata, path: store.url.path)
        change { $0.pendingMetadata[member.uuid] = changes.isEmpty ? nil : changes }
    }

    /// The changes that turn one set of metadata into another.
    static func changes(
        from old: [String: MetadataValue], to new: [String: MetadataValue], path: String
    ) throws -> [String: MetadataValue?] {
        func isReserved(_ key: String) -> Bool {
            key.hasPrefix("NSStore") || key.hasPrefix("NSPersistence") || key.hasPrefix("_NS")
        }
        var changes: [String: MetadataValue?] = [:]
        for (key, value) in new where old[key] != value {
            guard !isReserved(key) else {
                throw StorageError(
                    .unsupported, "The metadata key \(key) describes the store itself and can't be set", path: path)
            }
            changes[key] = .some(value)
        }
        for key in old.keys where new[key] == nil && !isReserved(key) { changes[key] = .some(nil) }
        return changes
    }

    /// Removes metadata that a save has written from the pending ones.
    func forgetPendingMetadata(of union: StoreUnion) {
        guard !union.pendingMetadata.isEmpty else { return }
        change { state in
            for (uuid, written) in union.pendingMetadata where state.pendingMetadata[uuid] == written {
                state.pendingMetadata[uuid] = nil
            }
        }
    }

    // MARK: Object IDs

    /// The object ID for a URI; nil if no store of the coordinator has it.
    public func managedObjectID(forURIRepresentation url: URL) -> ManagedObjectID? {
        managedObjectID(text: url.absoluteString)
    }

    /// The object ID for `x-coredata://…/Entity/p7` or, in the first store, `Entity/p7`; nil if no
    /// store has it.
    public func managedObjectID(text: String) -> ManagedObjectID? {
        for store in stores { if let id = ManagedObjectID(text: text, store: store.identity) { return id } }
        return nil
    }

    func objectID(key: Int64, entityIndex: Int) -> ManagedObjectID? {
        state.withLock { state in
            // If contexts access the store directly, its primary keys are used unchanged, also
            // those that exceed ``StoreKey/greatestKey``.
            if let only = state.rowStore as? any StoreBackend {
                return ManagedObjectID(store: only.identity, entityIndex: entityIndex, key: key)
            }
            let place = StoreKey.place(of: key)
            let identity = state.members.first { $0.place == place }?.store.identity
            return identity.map { ManagedObjectID(store: $0, entityIndex: entityIndex, key: StoreKey.local(key)) }
        }
    }

    /// The primary key that contexts use for the object with an ID; nil for an ID of another store.
    func key(of id: ManagedObjectID) -> Int64? {
        let place = state.withLock { $0.members.first { $0.store.identity == id.store }?.place }
        return place.flatMap {
            id.key <= StoreKey.greatestKey ? StoreKey.key(id.key, place: $0) : $0 == 0 ? id.key : nil
        }
    }

    /// The store of a saved object; nil if the coordinator does not have it.
    public func persistentStore(of id: ManagedObjectID) -> PersistentStore? {
        stores.first { $0.identity == id.store }.map { PersistentStore($0) }
    }
}

extension PersistentStoreCoordinator: ObjectIDSource {
    var storeIdentities: [Int: StoreIdentity] {
        Dictionary(members.map { ($0.place, $0.store.identity) }, uniquingKeysWith: { first, _ in first })
    }
}
