import Folio

/// Links by which files contradict themselves: an object that two others claim, where a
/// relationship has room for one.
extension DocumentImporter {
    /// A to-one link that a record says.
    struct Claim: Hashable {
        let owner: ManagedObjectID
        let key: String
        let target: ManagedObjectID
    }

    /// Notes the numbers that the new objects of a piece got when it was written. They are above
    /// those of all objects that were there before.
    mutating func noteNumbers(of piece: ImportPiece) {
        guard !wasEmpty else { return }
        for object in piece.entries.compactMap({ $0.isMatched ? nil : $0.object }) + piece.extras.map(\.object) {
            let root = object.entity.rootIndex
            firstNumbers[root] = min(firstNumbers[root] ?? .max, object.objectID.key)
        }
    }

    /// Whether the files have made an object, so that all of its links are theirs.
    private func isNew(_ id: ManagedObjectID) -> Bool {
        wasEmpty || id.isTemporaryID || id.key >= firstNumbers[id.entity.rootIndex] ?? .max
    }

    /// Notes what a record of an object that was there before says of another such object. Links of
    /// new objects need no notes.
    mutating func noteClaim(
        of entry: ImportPiece.Entry, _ object: ManagedObject, _ property: PropertyDescription, _ target: ManagedObject
    ) {
        guard entry.isMatched, store.model.inverse(of: property)?.isToMany == false, !isNew(object.objectID),
            !isNew(target.objectID)
        else { return }
        claims.insert(Claim(owner: object.objectID, key: property.name, target: target.objectID))
    }

    /// Refuses a to-one link that would undo another one which the files say. What the document had
    /// before gives way.
    /// - Throws: malformed data, with the two objects that claim a third.
    func checkClaims(
        of entry: ImportPiece.Entry, _ object: ManagedObject, _ property: PropertyDescription, _ target: ManagedObject,
        _ piece: ImportPiece
    ) throws {
        let inverse = store.model.inverse(of: property)
        if case .object(let former) = try object.propertyValue(forKey: property.name) {
            // A later record of the same object may say something else. A new object has its links
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
    ) -> CommandError {
        .malformed(
            "\(name(first, piece)) and \(name(last, piece)) are both linked to \(name(contested, piece)), whose \(property.name) is one object"
        )
    }

    /// What the files call an object, if they do.
    private func name(_ id: ManagedObjectID, _ piece: ImportPiece) -> String {
        if let entry = piece.entry(ofOneOf: [id]) {
            return entry.record.id.map(ImportRecord.shortName) ?? "the object of \(entry.record.place())"
        }
        return id.isTemporaryID ? "a new object of \(id.entity.name)" : "\(id.entity.name)/p\(id.key)"
    }
}
