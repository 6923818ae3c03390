package import Folio

/// Records that name objects of the document by their URIs, as an export of it does. They update
/// these objects.
extension DocumentImporter {
    /// The object that a URI names in this document; nil for other names, and with `--as-new`.
    func ownID(uri: String) -> ManagedObjectID? {
        guard !settings.importsAsNew, uri.hasPrefix("x-coredata:") else { return nil }
        return ManagedObjectID(text: uri, store: store)
    }

    /// The object of the document that a record names; nil if the record is of a new object.
    /// - Throws: An error for malformed data if `--match id` needs a name of this document and the
    ///   record has another one.
    func ownID(_ record: ImportRecord) throws -> ManagedObjectID? {
        guard let name = record.id else { return nil }
        if let id = ownID(uri: name) { return id }
        guard let key = settings.nameKey(record.entity) else { return nil }
        guard let id = ManagedObjectID(text: name, store: store) else {
            throw InterchangeError.malformed("--match \(key): \(name) is an object of another document")
        }
        return id
    }

    /// The objects of the document that the records of a piece name.
    mutating func namedObjects(_ piece: ImportPiece) throws -> [ManagedObjectID: ManagedObject] {
        // A wrong name is reported with its record.
        let ids = Set(piece.entries.compactMap { (try? ownID($0.record)) ?? nil })
        guard !ids.isEmpty else { return [:] }
        hasNamed = true
        return Dictionary(try objects(with: ids).map { ($0.objectID, $0) }) { first, _ in first }
    }

    // MARK: Links

    /// A relationship of an object.
    struct LinkEnd: Hashable {
        let object: ManagedObjectID
        let key: String
    }

    /// The links of an object before the import, if its record names it and a link in another
    /// record has changed them since; otherwise nil.
    ///
    /// Records of an export say both ends of a link. If one end was edited, the record of the other
    /// end still says what was there before, and must not take the edit back.
    func formerLinks(_ entry: ImportPiece.Entry, _ object: ManagedObject, _ property: PropertyDescription)
        -> PropertyValue?
    {
        guard entry.isNamed else { return nil }
        return formerLinks[LinkEnd(object: object.objectID, key: property.name)]
    }

    /// Whether a record says of a to-one relationship what was there before the import, while a
    /// link in another record has changed it.
    func isFormer(
        _ value: PropertyValue, _ entry: ImportPiece.Entry, _ object: ManagedObject, _ property: PropertyDescription
    ) -> Bool {
        formerLinks(entry, object, property) == value
    }

    /// The members of a to-many relationship after the edits of two records: what one of them adds
    /// is in, and what one of them removes is out.
    /// - Parameters:
    ///   - wanted: The members in the record.
    ///   - linked: The current members.
    ///   - former: The members before the import.
    package static func members(_ wanted: [PropertyValue], _ linked: [PropertyValue], _ former: [PropertyValue])
        -> [PropertyValue]
    {
        let current = Set(linked), before = Set(former), isWanted = Set(wanted)
        return wanted.filter { current.contains($0) || !before.contains($0) }
            + linked.filter { !isWanted.contains($0) && !before.contains($0) }
    }

    /// Records the links at the other ends of a relationship before it changes.
    mutating func noteFormerLinks(of object: ManagedObject, _ property: PropertyDescription, to ids: [ManagedObjectID])
        throws
    {
        guard hasNamed, let inverse = store.model.inverse(of: property) else { return }
        let current: Set<ManagedObjectID> =
            switch try object.propertyValue(forKey: property.name) {
            case .object(let id): [id]
            case .list(let members): Set(members.compactMap(\.objectID))
            default: []
            }
        for id in current.symmetricDifference(ids) where !isNew(id) {
            let target = try context.existingObject(with: id)
            let links = try note(target, inverse.name)
            // A to-one link leaves the object that had it.
            if !inverse.isToMany, let former = links.objectID, former != object.objectID, !isNew(former) {
                _ = try note(try context.existingObject(with: former), property.name)
            }
        }
    }

    private mutating func note(_ object: ManagedObject, _ key: String) throws -> PropertyValue {
        let value = try object.propertyValue(forKey: key), end = LinkEnd(object: object.objectID, key: key)
        formerLinks[end] = formerLinks[end] ?? value
        return value
    }
}

extension PropertyValue {
    /// The ID of the object, if the value is one.
    var objectID: ManagedObjectID? { if case .object(let id) = self { id } else { nil } }
}
