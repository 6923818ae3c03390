import Foundation
import ObjectGraph
import Schema
import Storage

/// An ``NSAtomicStore`` as a store of Folio's.
///
/// Folio has the values of all objects; the nodes beside them are the application's.
// Sendable because Folio calls it under the lock of the store, one thread at a time.
final class AtomicStoreAdapter: ReferencingAtomicStore, @unchecked Sendable {
    static let storeType = StoreType(rawValue: "NSAtomicStore")

    private let store: NSAtomicStore
    private let metadata: [String: MetadataValue]
    var references: StoreReferences? { store.references?.identity.references }

    init(_ store: NSAtomicStore, _ metadata: [String: MetadataValue]) {
        self.store = store
        self.metadata = metadata
    }

    /// Stores of the application's own are made by their coordinator, which has their class.
    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws {
        throw StorageError(.unsupported, "A coordinator of Core Data's shape makes this store")
    }

    // MARK: Loading

    func load() throws -> AtomicStoreContent? {
        try StoreCalls.calling { try store.load() }
        let objects = try store.cacheNodes().map { try object(of: $0) }.sorted {
            ($0.name.entityName, $0.name.number) < ($1.name.entityName, $1.name.number)
        }
        return AtomicStoreContent(
            uuid: store.knownReferences.identity.uuid, metadata: metadata.filter { $0.key != NSStoreUUIDKey },
            objects: objects)
    }

    private func object(of node: NSAtomicStoreCacheNode) throws -> AtomicStoreObject {
        var object = AtomicStoreObject(try name(node.objectID))
        let entity = store.knownReferences.identity.model.entities[node.objectID.entityIndex]
        for attribute in StoredValues.attributes(of: entity) {
            let value = try StoredValues.stored(node.value(forKey: attribute.name), attribute, of: entity)
            if !value.isNull { object.attributes[attribute.name] = value }
        }
        for (key, isToMany) in StoredValues.relationships(of: entity) {
            guard let value = node.value(forKey: key), !(value is NSNull) else { continue }
            if isToMany {
                guard let members = BridgedValue.elements(of: value) else {
                    throw StoredValues.invalid("\(entity.name).\(key) is no set of nodes")
                }
                let names = try members.map { try target($0, entity, key) }
                if !names.isEmpty { object.toManys[key] = names }
            } else {
                object.toOnes[key] = try target(value, entity, key)
            }
        }
        return object
    }

    private func target(_ value: Any, _ entity: EntityDescription, _ key: String) throws -> AtomicStoreObject.Name {
        switch value {
        case let node as NSAtomicStoreCacheNode: return try name(node.objectID)
        case let id as NSManagedObjectID: return try name(id)
        default: throw StoredValues.invalid("\(entity.name).\(key) leads to a \(type(of: value)), not to a node")
        }
    }

    private func name(_ id: NSManagedObjectID) throws -> AtomicStoreObject.Name {
        let identity = store.knownReferences.identity
        guard id.store == identity, id.key > 0 else {
            throw StoredValues.invalid("a node has the ID \(id), which is of another store")
        }
        return AtomicStoreObject.Name(entityName: identity.model.entities[id.entityIndex].name, number: id.key)
    }

    // MARK: Saving

    func save(_ content: AtomicStoreContent) throws {
        let save = SaveInProgress(store.persistentStoreCoordinator, store: store.knownReferences.identity)
        if save == nil { try checkNodes(content) }
        let before = store.ownMetadata
        var metadata = content.metadata
        metadata[NSStoreUUIDKey] = before[NSStoreUUIDKey].flatMap { ($0 as? String).map { .string($0) } }
        store.ownMetadata = StoreMetadataValues.plain(metadata)
        let changed = (save?.updated ?? []) + (save?.deleted ?? [])
        do {
            try store.changingNodes(of: changed.map(\.objectID)) {
                try StoreCalls.calling {
                    if let save { StoreCalls.current.writing(save) { update(save) } }
                    try store.save()
                }
            }
        } catch {
            store.ownMetadata = before
            throw error
        }
        store.references?.endFresh(save?.inserted.map(\.objectID) ?? [])
    }

    private func update(_ save: SaveInProgress) {
        for object in save.inserted { store.addCacheNodes([store.newCacheNode(for: object)]) }
        for object in save.inserted + save.updated {
            if let node = store.cacheNode(for: object.objectID) { store.updateCacheNode(node, from: object) }
        }
        let deleted = save.deleted.map(\.objectID)
        let nodes = Set(deleted.compactMap { store.cacheNode(for: $0) })
        if !nodes.isEmpty { store.willRemoveCacheNodes(nodes) }
        store.removeNodes(deleted)
    }

    /// Checks that nothing but metadata is saved where no context gives the objects.
    private func checkNodes(_ content: AtomicStoreContent) throws {
        let known = try Set(store.cacheNodes().map { try name($0.objectID) })
        guard try known.count == content.objects.count && content.objects.allSatisfy({ try isUnchanged($0, known) })
        else {
            throw StorageError(
                .unsupported, "A store of the application's own is changed by the saves of contexts alone")
        }
    }

    private func isUnchanged(_ object: AtomicStoreObject, _ known: Set<AtomicStoreObject.Name>) throws -> Bool {
        guard known.contains(object.name),
            let entity = store.knownReferences.identity.model.entity(named: object.name.entityName)
        else { return false }
        let id = ManagedObjectID(
            store: store.knownReferences.identity, entityIndex: entity.index, key: object.name.number)
        guard let node = store.cacheNode(for: id) else { return false }
        let own = try self.object(of: node)
        return own.toOnes == object.toOnes
            && own.attributes.allSatisfy { object.attributes[$0.key] == $0.value }
            && StoredValues.attributes(of: entity).allSatisfy {
                own.attributes[$0.name] != nil || object.attributes[$0.name] == nil
            }
    }
}
