import CoreData

/// An atomic store in a JSON file, as an application writes one.
final class JSONStore: NSAtomicStore, @unchecked Sendable {
    static let storeType = "JSONStore"

    struct Failure: Error, Equatable {
        let what: String
    }

    private struct Record: Codable {
        var entity: String
        var id: String
        var texts: [String: String] = [:]
        var numbers: [String: Double] = [:]
        var tags: [String]?
        var author: String?
        var books: [String] = []
    }

    private struct File: Codable {
        var type: String
        var uuid: String
        var hashes: [String: Data] = [:]
        var note: String?
        var records: [Record] = []
    }

    /// What the tests count and break.
    var removed: [String] = []
    var updates = 0
    var loads = 0
    var failsToSave = false
    var events: [String] = []

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
        events.append("init")
    }

    override var type: String { Self.storeType }

    private static func read(_ url: URL) throws -> File? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: url))
        if file.records.contains(where: { $0.entity == "Broken" }) { throw Failure(what: "load") }
        return file
    }

    private static func metadata(of file: File) -> [String: Any] {
        var metadata: [String: Any] = [NSStoreTypeKey: file.type, NSStoreUUIDKey: file.uuid]
        if !file.hashes.isEmpty { metadata[NSStoreModelVersionHashesKey] = file.hashes }
        metadata["note"] = file.note
        return metadata
    }

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        guard let file = try read(url) else { throw CocoaError(.fileReadNoSuchFile) }
        return metadata(of: file)
    }

    override func loadMetadata() throws {
        events.append("loadMetadata")
        let url = try self.location
        metadata = Self.metadata(
            of: try Self.read(url) ?? File(type: Self.storeType, uuid: ProcessInfo.processInfo.globallyUniqueString))
    }

    private var location: URL {
        get throws {
            guard let url else { throw CocoaError(.fileNoSuchFile) }
            return url
        }
    }

    override func load() throws {
        loads += 1
        events.append("load")
        guard let file = try Self.read(try location), let model = persistentStoreCoordinator?.managedObjectModel else {
            return
        }
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for record in file.records {
            guard let entity = model.entitiesByName[record.entity] else { throw Failure(what: record.entity) }
            let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: record.id))
            for (key, value) in record.texts { node.setValue(value, forKey: key) }
            for (key, value) in record.numbers { node.setValue(value, forKey: key) }
            node.setValue(record.tags, forKey: "tags")
            nodes[record.id] = node
        }
        for record in file.records {
            if let author = record.author { nodes[record.id]?.setValue(nodes[author], forKey: "author") }
            if !record.books.isEmpty {
                nodes[record.id]?.setValue(Set(record.books.compactMap { nodes[$0] }), forKey: "books")
            }
        }
        addCacheNodes(Set(nodes.values))
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        "\(managedObject.entity.name ?? "")-\(UUID().uuidString)"
    }

    override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        updates += 1
        super.updateCacheNode(node, from: managedObject)
    }

    override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        removed += cacheNodes.compactMap { $0.value(forKey: "title") as? String ?? $0.value(forKey: "name") as? String }
    }

    override func save() throws {
        if failsToSave { throw Failure(what: "save") }
        var file = File(type: Self.storeType, uuid: identifier)
        file.hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        file.note = metadata["note"] as? String
        for node in cacheNodes() {
            var record = Record(entity: node.objectID.entity.name ?? "", id: reference(of: node))
            for (key, attribute) in node.objectID.entity.attributesByName {
                switch attribute.attributeType {
                case .stringAttributeType: record.texts[key] = node.value(forKey: key) as? String
                case .transformableAttributeType: record.tags = node.value(forKey: key) as? [String]
                default: record.numbers[key] = (node.value(forKey: key) as? NSNumber)?.doubleValue
                }
            }
            record.author = (node.value(forKey: "author") as? NSAtomicStoreCacheNode).map { reference(of: $0) }
            record.books = (node.value(forKey: "books") as? Set<NSAtomicStoreCacheNode> ?? []).map { reference(of: $0) }
            file.records.append(record)
        }
        file.records.sort { $0.id < $1.id }
        try JSONEncoder().encode(file).write(to: try location)
    }

    private func reference(of node: NSAtomicStoreCacheNode) -> String {
        referenceObject(for: node.objectID) as? String ?? ""
    }

    override func didAdd(to coordinator: NSPersistentStoreCoordinator) { events.append("didAdd") }

    override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { events.append("willRemove") }
}
