import Folio

/// Finds existing objects that records update.
extension DocumentImporter {
    /// The existing objects for all records of a piece.
    func matches(_ piece: ImportPiece) throws -> [NaturalKey: KeyedObjects] {
        var wanted: [NaturalKey: Set<NaturalKey.Values>] = [:]
        for entry in piece.entries {
            guard let key = entry.record.columns.matchKey else { continue }
            if let values = try? matchValues(entry.record, key) {
                wanted[key, default: []].insert(values)
            } else {
                wanted[key] = wanted[key] ?? []
            }
        }
        var matches: [NaturalKey: KeyedObjects] = [:]
        for (key, values) in wanted {
            let objects = KeyedObjects(key, in: context, seesUnsaved: !takesPieces)
            try objects.load(values)
            matches[key] = objects
        }
        return matches
    }

    private func matchValues(_ record: ImportRecord, _ key: NaturalKey) throws -> NaturalKey.Values? {
        let values = try zip(record.columns.matchPositions, key.attributes).map {
            try self.values.value(record.values[$0], for: $1)
        }
        return values.contains { $0.isNull } ? nil : NaturalKey.Values(values)
    }

    /// The object that a record updates; nil if it creates a new one.
    /// - Parameter named: The objects of the document that records of the piece name.
    /// - Throws: An error for malformed data if the record names an object that does not exist, or
    ///   one that has not the record's values of `--match` while another object has.
    func match(_ record: ImportRecord, _ matches: [NaturalKey: KeyedObjects], _ named: [ManagedObjectID: ManagedObject])
        throws -> (object: ManagedObject, isNamed: Bool)?
    {
        let matched = try match(record, matches)
        guard let id = try ownID(record) else { return matched.map { ($0, false) } }
        let name = "\(id.entity.name)/p\(id.key)"
        guard let object = named[id], !object.isDeleted, object.entity.isKind(of: record.entity) else {
            if let matched { return (matched, false) }
            throw InterchangeError.malformed(
                "the object \(name) is no longer in the document",
                hint: "leave its id out to make a new object, or say --as-new for all")
        }
        if let matched, matched !== object {
            throw InterchangeError.malformed(
                "the row is of \(name), and by --match of \(matched.entity.name)/p\(matched.objectID.key)")
        }
        return (object, true)
    }

    private func match(_ record: ImportRecord, _ matches: [NaturalKey: KeyedObjects]) throws -> ManagedObject? {
        guard let key = record.columns.matchKey, let values = try matchValues(record, key),
            let objects = try matches[key]?.objects(with: values)
        else { return nil }
        guard objects.count > 1 else { return objects.first }
        throw InterchangeError.malformed(
            "\(objects.count) objects of \(key.entity.name) have \(key.text(values)), and one is to be updated")
    }
}
