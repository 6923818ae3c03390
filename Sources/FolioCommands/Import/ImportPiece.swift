import Folio

/// Records that are made objects of together, and written together.
struct ImportPiece {
    struct Entry {
        let record: ImportRecord
        let file: Int
        /// Which record of its file it is, from 0.
        let index: Int
        var object: ManagedObject?
        /// Whether the object was there before.
        var isMatched = false
        var isChanged = false
    }

    var entries: [Entry] = []
    /// Lookups of this piece, by what they look up.
    private var lookups: [NaturalKey: KeyedObjects] = [:]
    /// Objects that natural keys have made.
    private(set) var extras: [ManagedObject] = []

    /// The objects with values of a natural key: those of the piece, and `wanted` ones of the store.
    mutating func lookup(_ key: NaturalKey, _ wanted: () throws -> Set<NaturalKey.Values>, in context: ManagedObjectContext) throws -> KeyedObjects {
        if let known = lookups[key] { return known }
        let made = KeyedObjects(key, in: context)
        lookups[key] = made
        try made.load(try wanted())
        for entry in entries { if let object = entry.object { try made.add(object) } }
        for object in extras { try made.add(object) }
        return made
    }

    mutating func add(_ object: ManagedObject) throws {
        extras.append(object)
        for lookup in lookups.values { try lookup.add(object) }
    }

    /// The first record that one of some objects was made of.
    func entry(ofOneOf ids: [ManagedObjectID]) -> Entry? { entries.first { $0.object.map { ids.contains($0.objectID) } ?? false } }
}
