import Folio

/// Objects by the values of a natural key: those in the store, fetched for many records at once,
/// and those that records have created or changed since.
final class KeyedObjects {
    private let key: NaturalKey
    private let context: ManagedObjectContext
    /// Whether objects that are not in the store, or not as they are there, take part in a lookup.
    private let seesUnsaved: Bool
    private var objects: [NaturalKey.Values: [ManagedObject]] = [:]

    init(_ key: NaturalKey, in context: ManagedObjectContext, seesUnsaved: Bool) {
        self.key = key
        self.context = context
        self.seesUnsaved = seesUnsaved
    }

    /// Fetches the stored objects with these values, in one request.
    func load(_ wanted: Set<NaturalKey.Values>) throws {
        let unknown = wanted.filter { objects[$0] == nil }
        guard !unknown.isEmpty else { return }
        for values in unknown { objects[values] = [] }
        var request = key.request(unknown)
        request.includesPendingChanges = seesUnsaved
        for object in try context.fetch(request) {
            // An unsaved change may have changed the values.
            guard let values = try key.values(of: object) else { continue }
            if unknown.contains(values) { objects[values]?.append(object) }
        }
    }

    /// Adds an object that a record has created or changed.
    func add(_ object: ManagedObject) throws {
        guard object.entity.isKind(of: key.entity), let values = try key.values(of: object),
            objects[values]?.contains(where: { $0 === object }) != true
        else { return }
        objects[values, default: []].append(object)
    }

    /// The objects that currently have these values.
    func objects(with values: NaturalKey.Values) throws -> [ManagedObject] {
        try (objects[values] ?? []).filter { try key.values(of: $0) == values }
    }
}
