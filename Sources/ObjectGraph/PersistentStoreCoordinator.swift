public import Foundation
public import Schema
public import Storage
import RowMemory
import Synchronization

/// Opens stores for a model, and is shared by the contexts that work on them.
///
/// It names no kind of store: those that it can open are given to it. It may be used from anywhere.
public final class PersistentStoreCoordinator: Sendable {
    private struct State {
        var stores: [any PersistentStore] = []
    }

    public let model: ManagedObjectModel
    let shapes: ContiguousArray<EntityShape>
    /// Contexts that merge what others save.
    let followers = SaveFollowers()
    let constraints: [UniquenessConstraint]
    private let factories: [StoreFactory]
    private let state = Mutex(State())

    /// - Parameter classes: the classes of entities' objects, by the names that the model gives in `managedObjectClassName`; ``ManagedObject`` for all others.
    package init(model: ManagedObjectModel, classes: [String: ManagedObject.Type] = [:], factories: [StoreFactory]) {
        precondition(model.entities.count <= Int(UInt16.max), "A model has at most 65535 entities")
        self.model = model
        self.factories = factories
        let layouts = RowLayout.layouts(for: model)
        constraints = model.entities.flatMap { UniquenessConstraint.constraints(of: $0, in: model, layouts) }
        shapes = ContiguousArray(
            model.entities.map { entity in
                EntityShape(
                    entity: entity, layout: layouts[entity.index], objectClass: entity.managedObjectClassName.flatMap { classes[$0] } ?? ManagedObject.self,
                    model: model)
            })
    }

    /// Opens a store and adds it.
    /// - Throws: ``StorageError``; `unsupported` where no kind of store of that type is registered.
    public func addPersistentStore(_ description: PersistentStoreDescription) throws {
        guard let factory = factories.first(where: { $0.type == description.type }) else {
            throw StorageError(.unsupported, "No store of type \(description.type.rawValue) is registered", path: description.url.path)
        }
        add(try factory.open(description, model))
    }

    /// Adds a store that is open already. Its model is equal to the coordinator's.
    package func add(_ store: any PersistentStore) {
        precondition(
            store.identity.model == model && persistentStoreDescriptions.isEmpty,
            "A coordinator has one store of its own model: make another coordinator for another store")
        state.withLock { $0.stores.append(store) }
    }

    /// Puts a store in the place of another, as after a document moved. Objects keep their numbers.
    package func replace(_ old: any PersistentStore, by new: any PersistentStore) {
        state.withLock { state in
            if let index = state.stores.firstIndex(where: { $0 === old }) { state.stores[index] = new } else { state.stores.append(new) }
        }
    }

    /// Closes and removes all stores. Contexts can't fetch or save until another is added.
    public func removePersistentStores() throws {
        let stores = state.withLock { state in
            defer { state.stores = [] }
            return state.stores
        }
        for store in stores { try store.close() }
    }

    /// How the stores were opened.
    public var persistentStoreDescriptions: [PersistentStoreDescription] { state.withLock { $0.stores.map(\.description) } }

    package var stores: [any PersistentStore] { state.withLock { $0.stores } }

    var firstStore: (any PersistentStore)? { state.withLock { $0.stores.first } }

    /// The ID that a URI stands for; nil if no store here has it.
    public func managedObjectID(forURIRepresentation url: URL) -> ManagedObjectID? {
        managedObjectID(text: url.absoluteString)
    }

    /// The ID that `x-coredata://…/Entity/p7` or, for the first store, `Entity/p7` stands for.
    public func managedObjectID(text: String) -> ManagedObjectID? {
        for store in stores { if let id = ManagedObjectID(text: text, store: store.identity) { return id } }
        return nil
    }
}
