import Folio

/// Detects contradictory links in the files: two records that link the same object in a one-to-one
/// relationship.
extension DocumentImporter {
    /// A to-one link in a record.
    struct Claim: Hashable {
        let owner: ManagedObjectID
        let key: String
        let target: ManagedObjectID
    }

    /// Records the smallest primary keys of the new objects of a written piece. They are greater
    /// than the keys of all earlier objects.
    mutating func noteNumbers(of piece: ImportPiece) {
        guard !wasEmpty else { return }
        for object in piece.entries.compactMap({ $0.isMatched ? nil : $0.object }) + piece.extras.map(\.object) {
            let root = object.entity.rootIndex
            firstNumbers[root] = min(firstNumbers[root] ?? .max, object.objectID.key)
        }
    }

    /// Whether the import has created the object, so that all of its links come from the files.
    func isNew(_ id: ManagedObjectID) -> Bool {
        wasEmpty || id.isTemporaryID || id.key >= firstNumbers[id.entity.rootIndex] ?? .max
    }

    /// Records a link between two objects that existed before the import. Links of new objects need
    /// not be recorded.
    mutating func noteClaim(
        of entry: ImportPiece.Entry, _ object: ManagedObject, _ property: PropertyDescription, _ target: ManagedObject
    ) {
        guard entry.isMatched, store.model.inverse(of: property)?.isToMany == false, !isNew(object.objectID),
            !isNew(target.objectID)
        else { return }
        claims.insert(Claim(owner: object.objectID, key: property.name, target: target.objectID))
    }

    /// Rejects a to-one link that would replace another link from the files. Links that the
    /// document had before may be replaced.
    /// - Throws: An error for malformed data with the names of the two objects.
    func checkClaims(
        of entry: ImportPiece.Entry, _ object: ManagedObject, _ property: PropertyDescription, _ target: ManagedObject,
        _ piece: ImportPiece
    ) throws {
        let inverse = store.model.inverse(of: property)
        if case .object(let former) = try object.propertyValue(forKey: property.name) {
            // A later record of the same object may replace its link. A new object has its links
            // from other records.
            let isClaimed =
                !entry.isMatched
                || inverse.map { claims.contains(Claim(owner: former, key: $0.name, target: object.objectID)) } == true
            if isClaimed { throw contradiction(target.objectID, former, over: object.objectID, property, piece) }
        }
        guard let inverse, !inverse.isToMany, case .object(let other) = try target.propertyValue(forKey: inverse.name),
            other != object.objectID
        else { return }
        let isClaimed =
            isNew(other) || isNew(target.objectID)
            || claims.contains(Claim(owner: other, key: property.name, target: target.objectID))
            || claims.contains(Claim(owner: target.objectID, key: inverse.name, target: other))
        if isClaimed { throw contradiction(object.objectID, other, over: target.objectID, inverse, piece) }
    }

    private func contradiction(
        _ last: ManagedObjectID, _ first: ManagedObjectID, over contested: ManagedObjectID,
        _ property: PropertyDescription,
        _ piece: ImportPiece
    ) -> InterchangeError {
        .malformed(
            "\(name(first, piece)) and \(name(last, piece)) are both linked to \(name(contested, piece)), whose \(property.name) is one object"
        )
    }

    /// The name of an object in the files, or a description.
    private func name(_ id: ManagedObjectID, _ piece: ImportPiece) -> String {
        if let entry = piece.entry(ofOneOf: [id]) {
            return entry.record.id.map(ImportRecord.shortName) ?? "the object of \(entry.record.place())"
        }
        return id.isTemporaryID ? "a new object of \(id.entity.name)" : "\(id.entity.name)/p\(id.key)"
    }
}
