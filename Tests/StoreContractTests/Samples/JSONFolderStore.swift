import Foundation
import Schema
import Storage
import Synchronization

/// A folder of JSON files, one for each object, that people read, compare and merge with the tools
/// that they have: an example of an ``AtomicStore``.
///
/// `store.json` holds what concerns the whole; `Book-7.json` the book with the number 7. A save
/// makes the whole folder anew beside the old one, with links to the files that did not change, and
/// then takes its place: a crash between leaves the old folder under its name or under that of
/// `previous`, from where ``load()`` takes it back.
final class JSONFolderStore: AtomicStore {
    static let storeType = StoreType(rawValue: "JSONFolder")

    private struct State {
        /// Raised by every save: whoever has an older one has not seen what another program wrote.
        var generation = 0
        /// The files' content by their names.
        var files: [String: Data] = [:]
    }

    private let folder: URL
    private let model: ManagedObjectModel
    private let values: JSONValues
    private let state = Mutex(State())

    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) {
        folder = description.url
        self.model = model
        values = JSONValues(model)
    }

    private var previous: URL { folder.appendingPathExtension("previous") }
    private var next: URL { folder.appendingPathExtension("next") }

    // MARK: Loading

    func load() throws -> AtomicStoreContent? {
        let manager = FileManager.default
        if !manager.fileExists(atPath: folder.path), manager.fileExists(atPath: previous.path) {
            try manager.moveItem(at: previous, to: folder)
        }
        guard manager.fileExists(atPath: folder.path) else { return nil }
        var files: [String: Data] = [:]
        for name in try manager.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".json") {
            files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
        }
        guard let index = files["store.json"] else {
            throw StorageError(.notAStore, "The folder has no store.json", path: folder.path)
        }
        let whole = try read(index, "store.json")
        guard let uuid = whole["uuid"] as? String, let generation = whole["generation"] as? Int else {
            throw damaged("store.json")
        }
        guard let metadata = values.metadata(whole["metadata"] ?? [:]) else { throw damaged("store.json") }
        let numbers = (whole["nextNumbers"] as? [String: Int] ?? [:]).mapValues { Int64($0) }
        let objects = try files.filter { $0.key != "store.json" }.sorted { $0.key < $1.key }.map {
            try object(try read($0.value, $0.key), $0.key)
        }
        state.withLock { $0 = State(generation: generation, files: files) }
        return AtomicStoreContent(uuid: uuid, metadata: metadata, objects: objects, nextNumbers: numbers)
    }

    private func read(_ data: Data, _ name: String) throws -> [String: Any] {
        guard let fields = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { throw damaged(name) }
        return fields
    }

    private func damaged(_ name: String) -> StorageError {
        StorageError(
            .damaged, "The file can't be read as an object of the store", path: folder.appendingPathComponent(name).path
        )
    }

    private func object(_ fields: [String: Any], _ file: String) throws -> AtomicStoreObject {
        guard let entityName = fields["entity"] as? String, let number = fields["number"] as? Int,
            let entity = model.entity(named: entityName)
        else {
            throw damaged(file)
        }
        var object = AtomicStoreObject(.init(entityName: entityName, number: Int64(number)))
        for (key, text) in fields["attributes"] as? [String: Any] ?? [:] {
            guard let attribute = entity.property(named: key)?.attribute, let value = values.value(text, attribute)
            else { throw damaged(file) }
            object.attributes[key] = value
        }
        object.toOnes = try (fields["toOne"] as? [String: String] ?? [:]).mapValues { try name($0, file) }
        object.toManys = try (fields["toMany"] as? [String: [String]] ?? [:]).mapValues {
            try $0.map { try name($0, file) }
        }
        return object
    }

    private func name(_ text: String, _ file: String) throws -> AtomicStoreObject.Name {
        let parts = text.split(separator: "-")
        guard parts.count == 2, let number = Int64(parts[1]) else { throw damaged(file) }
        return AtomicStoreObject.Name(entityName: String(parts[0]), number: number)
    }

    // MARK: Saving

    func save(_ content: AtomicStoreContent) throws {
        let known = state.withLock { $0 }
        let manager = FileManager.default
        if let stored = try? Data(contentsOf: folder.appendingPathComponent("store.json")),
            stored != known.files["store.json"]
        {
            throw StorageError(
                .busy, "The store was changed by another program since it was read: open it again", path: folder.path)
        }
        let generation = known.generation + 1
        var files: [String: Data] = [:]
        for object in content.objects { files["\(text(object.name)).json"] = try data(fields(of: object)) }
        files["store.json"] = try data([
            "uuid": content.uuid, "generation": generation, "metadata": values.json(content.metadata),
            "nextNumbers": content.nextNumbers.mapValues { Int($0) },
        ])
        try? manager.removeItem(at: next)
        try manager.createDirectory(at: next, withIntermediateDirectories: true)
        for (name, data) in files {
            let target = next.appendingPathComponent(name)
            if known.files[name] == data {
                try manager.linkItem(at: folder.appendingPathComponent(name), to: target)
            } else {
                try data.write(to: target)
            }
        }
        try? manager.removeItem(at: previous)
        if manager.fileExists(atPath: folder.path) { try manager.moveItem(at: folder, to: previous) }
        try manager.moveItem(at: next, to: folder)
        try? manager.removeItem(at: previous)
        state.withLock { $0 = State(generation: generation, files: files) }
    }

    private func data(_ fields: [String: Any]) throws -> Data {
        try JSONSerialization.data(
            withJSONObject: fields, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    private func fields(of object: AtomicStoreObject) -> [String: Any] {
        var fields: [String: Any] = ["entity": object.name.entityName, "number": Int(object.name.number)]
        fields["attributes"] = object.attributes.mapValues(values.json)
        fields["toOne"] = object.toOnes.mapValues(text)
        fields["toMany"] = object.toManys.mapValues { $0.map(text) }
        return fields
    }

    private func text(_ name: AtomicStoreObject.Name) -> String { "\(name.entityName)-\(name.number)" }
}
