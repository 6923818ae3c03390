public import Foundation
import ObjectGraph
import Schema

/// The values of an object in an ``NSAtomicStore``.
open class NSAtomicStoreCacheNode: NSObject {
    /// The ID of the object.
    open var objectID: NSManagedObjectID { ownObjectID }
    private let ownObjectID: NSManagedObjectID
    /// The values by the names of the properties: those of attributes as they are, the node at the
    /// other end of a to-one relationship, and a set of nodes for a to-many relationship. Nil as
    /// long as no value was set.
    open var propertyCache: NSMutableDictionary?

    /// Creates a node without values.
    public init(objectID moid: NSManagedObjectID) {
        ownObjectID = moid
        super.init()
    }

    /// The value of a property; nil for none.
    open func value(forKey key: String) -> Any? { propertyCache?[key] }

    /// Sets the value of a property, or with nil removes it.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        if let value { cache[key] = value } else { cache.removeObject(forKey: key) }
        propertyCache = cache
    }
}

/// The base class of stores that are read and written as a whole.
///
/// A subclass makes a node for each object in ``load()``, and writes all nodes in ``save()``.
/// ```swift
/// final class TextStore: NSAtomicStore {
///     override func loadMetadata() throws { metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: …] }
///     override func load() throws {
///         for line in try lines() {
///             let node = NSAtomicStoreCacheNode(objectID: objectID(for: note, withReferenceObject: line.number))
///             node.setValue(line.text, forKey: "text")
///             addCacheNodes([node])
///         }
///     }
///     override func newReferenceObject(for object: NSManagedObject) -> Any { UUID().uuidString }
///     override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from object: NSManagedObject) {
///         node.setValue(object.value(forKey: "text"), forKey: "text")
///     }
///     override func save() throws { try write(cacheNodes()) }
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(TextStore.self, forStoreType: "Text")
/// ```
/// Folio fetches, follows relationships and detects conflicts. Methods are called one at a time. An
/// error that they throw arrives at the caller of the coordinator or the context as it is.
// Sendable as on Apple's platforms: the nodes are under `lock`, and a node is used while the store
// is loaded or saved, by one thread at a time.
open class NSAtomicStore: NSPersistentStore, @unchecked Sendable {
    private let lock = NSRecursiveLock()
    private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]

    // MARK: What a subclass does

    /// Loads all objects: makes their nodes and adds them with ``addCacheNodes(_:)``. Called once,
    /// after the metadata were loaded, also for a store that does not exist yet. A subclass
    /// overrides it.
    open func load() throws { preconditionFailure("\(Swift.type(of: self)) has to override load()") }

    /// Writes all nodes and the metadata. If it throws, the context keeps its changes, and the
    /// nodes have their former values again. A subclass overrides it.
    open func save() throws { preconditionFailure("\(Swift.type(of: self)) has to override save()") }

    /// Makes the identity of a new object, which no other object of its entity has: a text, a
    /// number, a UUID or a URL. A subclass overrides it.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        preconditionFailure("\(Swift.type(of: self)) has to override newReferenceObject(for:)")
    }

    /// Makes the node of a new object, whose ID is permanent. The default makes an
    /// ``NSAtomicStoreCacheNode`` and calls ``updateCacheNode(_:from:)``.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    /// Takes the values of an object over into its node, before ``save()``. Called for each changed
    /// object, and for each new one once all new objects have nodes. The default takes all
    /// persistent properties.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        let entity = managedObject.modelEntity
        for attribute in StoredValues.attributes(of: entity) {
            node.setValue(managedObject.value(forKey: attribute.name), forKey: attribute.name)
        }
        for (name, isToMany) in StoredValues.relationships(of: entity) {
            let value = managedObject.value(forKey: name)
            if isToMany {
                let members = (value.flatMap { BridgedValue.elements(of: $0) } ?? []).compactMap { self.node(of: $0) }
                let isOrdered = value is NSOrderedSet
                node.setValue(isOrdered ? NSOrderedSet(array: members) as Any : Set(members), forKey: name)
            } else {
                node.setValue(value.flatMap { self.node(of: $0) }, forKey: name)
            }
        }
    }

    private func node(of object: Any) -> NSAtomicStoreCacheNode? {
        (object as? NSManagedObject).flatMap { cacheNode(for: $0.objectID) }
    }

    /// Called before the nodes of deleted objects are removed. The default does nothing.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    /// Throws: a subclass whose files carry their metadata overrides it.
    open override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw CocoaErrors.made(NSPersistentStoreOperationError, "\(self) reads no metadata of stores that are not open")
    }

    /// Throws: a subclass whose files carry their metadata overrides it.
    open override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw CocoaErrors.made(NSPersistentStoreOperationError, "\(self) sets no metadata of stores that are not open")
    }

    // MARK: What a subclass uses

    /// The nodes of all objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { lock.withLock { Set(nodes.values) } }

    /// Adds the nodes of objects. A node for the same object is replaced.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        lock.withLock { for node in cacheNodes { nodes[node.objectID] = node } }
    }

    /// The node of an object; nil if there is none.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        lock.withLock { nodes[objectID] }
    }

    /// The ID for an identity of the store's own: a text, a number, a UUID or a URL. Traps for
    /// others, and before the metadata with the store's UUID are loaded.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        knownReferences.objectID(entity.name, data)
    }

    /// The identity that an ID stands for. Traps for an ID of another store and a temporary one.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any { knownReferences.referenceObject(objectID) }

    // MARK: Saving

    func removeNodes(_ ids: [NSManagedObjectID]) { lock.withLock { for id in ids { nodes[id] = nil } } }

    /// Runs `body`, and sets the nodes back if it throws.
    func changingNodes(of changed: [NSManagedObjectID], _ body: () throws -> Void) throws {
        let before = lock.withLock { nodes }
        let caches = changed.compactMap { before[$0] }.map { node in
            (node: node, values: node.propertyCache?.mutableCopy() as? NSMutableDictionary)
        }
        do {
            try body()
        } catch {
            lock.withLock { nodes = before }
            for (node, values) in caches { node.propertyCache = values }
            throw error
        }
    }
}
