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
    /// Objects that natural keys have made, with the place of the entry that named them first.
    private(set) var extras: [(object: ManagedObject, entry: Int)] = []

    /// The objects with values of a natural key: those of the piece, and `wanted` ones of the
    /// store.
    mutating func lookup(
        _ key: NaturalKey, _ wanted: () throws -> Set<NaturalKey.Values>, in context: ManagedObjectContext
    ) throws -> KeyedObjects {
        if let known = lookups[key] { return known }
        let made = KeyedObjects(key, in: context)
        lookups[key] = made
        try made.load(try wanted())
        for entry in entries { if let object = entry.object { try made.add(object) } }
        for extra in extras { try made.add(extra.object) }
        return made
    }

    /// Notes an object that a natural key of an entry has made.
    mutating func add(_ object: ManagedObject, of entry: Int) throws {
        extras.append((object, entry))
        for lookup in lookups.values { try lookup.add(object) }
    }

    /// The first record that one of some objects was made of.
    func entry(ofOneOf ids: [ManagedObjectID]) -> Entry? {
        entries.first { $0.object.map { ids.contains($0.objectID) } ?? false }
    }

    /// The first record that one of some objects is due to.
    func source(ofOneOf ids: [ManagedObjectID]) -> Entry? {
        entry(ofOneOf: ids) ?? extras.first { ids.contains($0.object.objectID) }.map { entries[$0.entry] }
    }

    /// The records that all objects of the piece are due to: that they were made of, or that named
    /// them first.
    var sources: [ManagedObjectID: Entry] {
        var sources: [ManagedObjectID: Entry] = [:]
        for extra in extras { sources[extra.object.objectID] = entries[extra.entry] }
        for entry in entries { if let object = entry.object { sources[object.objectID] = entry } }
        return sources
    }
}
