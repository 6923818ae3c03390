import Folio

extension Edit {
    /// Applies the edit to an object.
    /// - Throws: An error with exit code 66 if it refers to an object that does not exist; a usage
    ///   error for objects that are not allowed in the relationship.
    func apply(to object: ManagedObject) throws {
        switch self {
        case .attribute(let key, let value): try object.setPropertyValue(value, forKey: key)
        case .toOne(let key, let id): try set(id.map { .object($0) } ?? .null, key, object)
        case .toMany(let key, let ids): try set(.list(ids.map { .object($0) }), key, object)
        case .add(let key, let ids):
            let members = try members(key, object)
            try set(.list((members + ids.filter { !members.contains($0) }).map { .object($0) }), key, object)
        case .remove(let key, let ids):
            let members = try members(key, object)
            for id in ids where !members.contains(id) {
                throw InterchangeError(
                    .notFound, "unknownObject", "\(ImportRecord.shortName(id.description)) is not among the \(key)")
            }
            try set(.list(members.filter { !ids.contains($0) }.map { .object($0) }), key, object)
        }
    }

    private func members(_ key: String, _ object: ManagedObject) throws -> [ManagedObjectID] {
        guard case .list(let members) = try object.propertyValue(forKey: key) else { return [] }
        return members.compactMap { if case .object(let id) = $0 { id } else { nil } }
    }

    private func set(_ value: PropertyValue, _ key: String, _ object: ManagedObject) throws {
        do {
            try object.setPropertyValue(value, forKey: key)
        } catch let error as GraphError where error.code == .objectNotFound {
            let name = error.object.map { ImportRecord.shortName($0.description) }
            throw InterchangeError(.notFound, "unknownObject", "\(key): there is no object \(name ?? "of this name")")
        }
    }
}
