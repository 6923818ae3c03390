import Folio

/// A group of records that are imported and written together.
struct ImportPiece {
    struct Entry {
        let record: ImportRecord
        let file: Int
        /// The index of the record in its file.
        let index: Int
        var object: ManagedObject?
        /// Whether the object existed before the import.
        var isMatched = false
        /// Whether the record names an object of the document, which it updates.
        var isNamed = false
        var isChanged = false
    }

    var entries: [Entry] = []
    /// The lookups of this piece by natural key.
    private var lookups: [NaturalKey: KeyedObjects] = [:]
    /// Objects that were created because natural keys refer to them, with the index of the first
    /// entry that does.
    private(set) var extras: [(object: ManagedObject, entry: Int)] = []

    /// The objects by the values of a natural key: those of the piece, and the `wanted` ones of the
    /// store.
    mutating func lookup(
        _ key: NaturalKey, _ wanted: () throws -> Set<NaturalKey.Values>, in context: ManagedObjectContext,
        seesUnsaved: Bool
    ) throws -> KeyedObjects {
        if let known = lookups[key] { return known }
        let made = KeyedObjects(key, in: context, seesUnsaved: seesUnsaved)
        lookups[key] = made
        try made.load(try wanted())
        for entry in entries { if let object = entry.object { try made.add(object) } }
        for extra in extras { try made.add(extra.object) }
        return made
    }

    /// Adds an object that was created for a natural key of an entry.
    mutating func add(_ object: ManagedObject, of entry: Int) throws {
        extras.append((object, entry))
        for lookup in lookups.values { try lookup.add(object) }
    }

    /// The first record that is the source of one of the given objects.
    func entry(ofOneOf ids: [ManagedObjectID]) -> Entry? {
        entries.first { $0.object.map { ids.contains($0.objectID) } ?? false }
    }

    /// The first record that has created one of the given objects, by itself or by a natural key.
    func source(ofOneOf ids: [ManagedObjectID]) -> Entry? {
        entry(ofOneOf: ids) ?? extras.first { ids.contains($0.object.objectID) }.map { entries[$0.entry] }
    }

    /// The record for each object of the piece: the record of the object itself, or the first one
    /// that refers to it by a natural key.
    var sources: [ManagedObjectID: Entry] {
        var sources: [ManagedObjectID: Entry] = [:]
        for extra in extras { sources[extra.object.objectID] = entries[extra.entry] }
        for entry in entries { if let object = entry.object { sources[object.objectID] = entry } }
        return sources
    }
}
