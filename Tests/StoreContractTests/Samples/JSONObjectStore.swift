import Foundation
import Schema
import Storage
import Synchronization

/// A folder of JSON files, one for each object, that several programs read and write at once: an
/// example of an ``IncrementalStore``.
///
/// `Book-7.json` is the book with the number 7, `store.json` what concerns the whole,
/// `numbers.json` the numbers that come next. A fetch reads the files that may be meant, a fault
/// its one file, a save writes those of the objects that it changes; nobody ever reads or writes
/// all of it.
final class JSONObjectStore: IncrementalStore {
    static let storeType = StoreType(rawValue: "JSONObjects")

    private let folder: SharedFolder
    private let model: ManagedObjectModel
    private let values: JSONValues
    /// Whether ``performSave(_:)`` holds the lock.
    private let isSaving = Atomic<Bool>(false)

    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) {
        folder = SharedFolder(url: description.url, isReadOnly: description.isReadOnly, timeout: description.timeout)
        self.model = model
        values = JSONValues(model)
    }

    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try isSaving.load(ordering: .relaxed) ? body() : folder.locked(.reading, body)
    }

    func performSave(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try folder.locked(.writing) {
            isSaving.store(true, ordering: .relaxed)
            defer { isSaving.store(false, ordering: .relaxed) }
            try body()
        }
    }

    // MARK: Metadata

    func loadMetadata() throws -> [String: MetadataValue]? {
        guard FileManager.default.fileExists(atPath: folder.url.path) else { return nil }
        return try reading {
            guard let fields = try read("store.json") else {
                // Others may have made the folder for the lock alone.
                guard try fileNames().isEmpty else {
                    throw StorageError(.notAStore, "The folder has no store.json", path: folder.url.path)
                }
                return nil
            }
            guard let metadata = values.metadata(fields["metadata"] ?? 0) else {
                throw damaged("store.json", "no metadata")
            }
            return metadata
        }
    }

    // MARK: Reading

    /// Names say which objects are of which entity; what is in the files is Folio's to test.
    func execute(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws
        -> IncrementalFetchResult
    {
        let names = Set(request.entities.map(\.name))
        let ids = try reading {
            try fileNames().compactMap { name -> ManagedObjectID? in
                guard let (entity, number) = Self.parts(name), names.contains(entity) else { return nil }
                return try context.objectID(forEntityNamed: entity, referenceObject: .number(number))
            }
        }
        return request.predicate == nil ? .matching(ids) : .candidates(ids)
    }

    func newValuesForObject(with objectID: ManagedObjectID, with context: IncrementalStoreContext) throws
        -> IncrementalStoreNode?
    {
        try reading {
            guard let (entity, name) = try place(of: objectID, context), let fields = try read(name) else { return nil }
            guard let version = fields["version"] as? Int, version > 0 else { throw damaged(name, "no version") }
            let own = try context.objectID(
                forEntityNamed: entity.name, referenceObject: context.referenceObject(for: objectID) ?? .number(0))
            var node = IncrementalStoreNode(objectID: own, version: Int64(version))
            for (key, json) in try dictionary(fields, "attributes", name) as [String: Any] {
                guard let attribute = entity.property(named: key)?.attribute else {
                    throw damaged(name, "\(entity.name) has no attribute \(key)")
                }
                guard let value = values.value(json, attribute) else {
                    throw damaged(name, "\(key) is no value of its type")
                }
                node.attributes[key] = value
            }
            for (key, target) in try dictionary(fields, "toOne", name) as [String: String] {
                node.toOnes[key] = try id(named: target, in: name, context)
            }
            return node
        }
    }

    func newValue(
        forRelationship relationship: RelationshipDescription, forObjectWith objectID: ManagedObjectID,
        with context: IncrementalStoreContext
    ) throws -> [ManagedObjectID] {
        try reading {
            guard let (_, name) = try place(of: objectID, context), let fields = try read(name) else { return [] }
            let lists: [String: [String]] = try dictionary(fields, "toMany", name)
            return try (lists[relationship.name] ?? []).map { try id(named: $0, in: name, context) }
        }
    }

    /// The file of an object whose own entity may be below that of its ID.
    private func place(of id: ManagedObjectID, _ context: IncrementalStoreContext) throws -> (
        entity: EntityDescription, fileName: String
    )? {
        guard case .number(let number)? = context.referenceObject(for: id) else { return nil }
        for entity in model.entities where entity.isKind(of: id.entity) {
            let name = Self.fileName(entity.name, number)
            if FileManager.default.fileExists(atPath: folder.url.appendingPathComponent(name).path) {
                return (entity, name)
            }
        }
        return nil
    }

    // MARK: Saving

    func obtainPermanentIDs(forEntityNamed entityName: String, count: Int, with context: IncrementalStoreContext) throws
        -> [ReferenceObject]
    {
        let root = Self.root(model.entity(named: entityName))
        func take() throws -> Range<Int64> {
            var next = try read("numbers.json") ?? [:]
            let first = (next[root] as? Int).map(Int64.init) ?? 1
            next[root] = Int(first) + count
            try folder.write(SharedFolder.Changes(files: ["numbers.json": try text(next)]))
            return first..<first + Int64(count)
        }
        let numbers = try isSaving.load(ordering: .relaxed) ? take() : folder.locked(.writing, take)
        return numbers.map { .number($0) }
    }

    func execute(_ request: IncrementalSaveRequest, with context: IncrementalStoreContext) throws {
        var changes = SharedFolder.Changes()
        var next = try read("numbers.json") ?? [:]
        for object in request.insertedObjects + request.updatedObjects {
            guard case .number(let number)? = context.referenceObject(for: object.node.objectID) else { continue }
            let entity = object.node.objectID.entity
            let name = Self.fileName(entity.name, number)
            changes.files[name] = try text(fields(of: object, entity.name, number, context))
            // A copy of another store brings its numbers along.
            if number >= Int64(next[Self.root(entity)] as? Int ?? 1) {
                next[Self.root(entity)] = Int(number) + 1
                changes.files["numbers.json"] = try text(next)
            }
        }
        for object in request.deletedObjects {
            if let (_, name) = try place(of: object.objectID, context) { changes.deletedNames.append(name) }
        }
        if let metadata = request.metadata {
            changes.files["store.json"] = try text(["metadata": values.json(metadata)])
        }
        try folder.write(changes)
    }

    private func fields(
        of object: IncrementalSaveRequest.SavedObject, _ entityName: String, _ number: Int64,
        _ context: IncrementalStoreContext
    ) throws -> [String: Any] {
        let name = Self.fileName(entityName, number)
        var lists: [String: [String]] = [:]
        if object.storedVersion > 0, let stored = try read(name) { lists = try dictionary(stored, "toMany", name) }
        for (key, members) in object.toManys {
            lists[key] = members.isEmpty ? nil : members.map { self.name($0, context) }
        }
        return [
            "entity": entityName, "number": Int(number), "version": Int(object.node.version),
            "attributes": object.node.attributes.mapValues(values.json),
            "toOne": object.node.toOnes.mapValues { self.name($0, context) }, "toMany": lists,
        ]
    }

    // MARK: Files

    private func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasSuffix(".json") }
    }

    /// A file's fields; nil where there is none.
    private func read(_ name: String) throws -> [String: Any]? {
        let url = folder.url.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let data = try Data(contentsOf: url)
        let json: Any
        do { json = try JSONSerialization.jsonObject(with: data) } catch {
            throw damaged(name, "no JSON: \(error.localizedDescription)")
        }
        guard let fields = json as? [String: Any] else { throw damaged(name, "no JSON object") }
        if let (entity, number) = Self.parts(name),
            fields["entity"] as? String != entity || fields["number"] as? Int != Int(number)
        {
            throw damaged(name, "another object than its name says")
        }
        return fields
    }

    private func dictionary<Value>(_ fields: [String: Any], _ key: String, _ name: String) throws -> [String: Value] {
        guard let found = fields[key] else { return [:] }
        guard let values = found as? [String: Value] else { throw damaged(name, "\(key) is not as it should be") }
        return values
    }

    private func damaged(_ name: String, _ what: String) -> StorageError {
        StorageError(
            .damaged, "The file \(name) can't be read as a part of the store: \(what)",
            path: folder.url.appendingPathComponent(name).path)
    }

    private func text(_ fields: [String: Any]) throws -> String {
        String(
            decoding: try JSONSerialization.data(
                withJSONObject: fields, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    // MARK: Names

    private static func fileName(_ entityName: String, _ number: Int64) -> String { "\(entityName)-\(number).json" }

    /// The entity and the number in an object's file name; nil for another file.
    private static func parts(_ fileName: String) -> (entityName: String, number: Int64)? {
        let parts = fileName.dropLast(".json".count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[1]), number > 0 else { return nil }
        return (String(parts[0]), number)
    }

    private static func root(_ entity: EntityDescription?) -> String {
        var entity = entity
        while let above = entity?.superentity { entity = above }
        return entity?.name ?? ""
    }

    private func name(_ id: ManagedObjectID, _ context: IncrementalStoreContext) -> String {
        guard case .number(let number)? = context.referenceObject(for: id) else { return id.entity.name }
        return "\(id.entity.name)-\(number)"
    }

    private func id(named text: String, in fileName: String, _ context: IncrementalStoreContext) throws
        -> ManagedObjectID
    {
        guard let (entity, number) = Self.parts(text + ".json"), model.entity(named: entity) != nil else {
            throw damaged(fileName, "\(text) names no object")
        }
        return try context.objectID(forEntityNamed: entity, referenceObject: .number(number))
    }
}
