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
    func match(_ record: ImportRecord, _ matches: [NaturalKey: KeyedObjects]) throws -> ManagedObject? {
        guard let key = record.columns.matchKey, let values = try matchValues(record, key),
            let objects = try matches[key]?.objects(with: values)
        else { return nil }
        guard objects.count > 1 else { return objects.first }
        throw CommandError.malformed(
            "\(objects.count) objects of \(key.entity.name) have \(key.text(values)), and one is to be updated")
    }
}
