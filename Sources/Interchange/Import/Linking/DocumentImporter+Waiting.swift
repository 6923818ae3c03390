import Folio

/// Links to objects of later records.
extension DocumentImporter {
    /// Reads the files again for records with links to objects of later records.
    mutating func resolveLinks() throws {
        let all = Dictionary(grouping: waiting, by: \.file)
        waiting = []
        for (file, links) in all.sorted(by: { $0.key < $1.key }) {
            let reader = try placing(file: file) { try ImportReader($0.files[file], $0.settings, $0.store.model) }
            var next = 0, index = 0, batch: [(link: UnresolvedLink, record: ImportRecord)] = []
            while next < links.count, let record = try placing(file, { _ in try reader.next() }) {
                if links[next].index == index {
                    batch.append((links[next], record))
                    next += 1
                }
                index += 1
                if batch.count == Self.pieceSize || next == links.count { try linkAgain(&batch) }
            }
        }
    }

    private mutating func linkAgain(_ batch: inout [(link: UnresolvedLink, record: ImportRecord)]) throws {
        let objects = try self.objects(with: Set(batch.map(\.link.id)))
        var piece = ImportPiece()
        for (link, record) in batch {
            var entry = ImportPiece.Entry(record: record, file: link.file, index: link.index)
            entry.object = context.registeredObject(for: link.id)
            entry.isMatched = link.isMatched
            entry.isNamed = link.isNamed
            piece.entries.append(entry)
        }
        _ = try link(&piece, isComplete: true)
        for (entry, waiting) in zip(piece.entries, batch) where entry.isChanged && !waiting.link.isCounted {
            outcome.counts[entry.file].unchanged -= 1
            outcome.counts[entry.file].updated += 1
        }
        var unchecked = try check(piece, waiting: [], isFinal: false)
        // Objects that are not changed now were not validated when they were written. Another
        // record may have linked them since.
        for entry in piece.entries where !entry.isChanged {
            guard let object = entry.object, try !Self.failures(of: object).isEmpty else { continue }
            unchecked.append((object, entry.file, entry.record.place()))
        }
        try withExtendedLifetime(objects) { try write(piece) }
        self.unchecked += unchecked.map { UncheckedObject(id: $0.object.objectID, file: $0.file, place: $0.place) }
        batch = []
        held = []
    }
}
