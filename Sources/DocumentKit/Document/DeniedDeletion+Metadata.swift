internal import DocumentFiles
internal import ObjectGraph
internal import Schema
internal import Storage

extension [DeniedDeletion] {
    /// The entry for these deletions in the store's metadata; nil if there are none. It is an array
    /// of dictionaries with the object's `entity` and `key`, the `failures` and the `holders`.
    var metadata: MetadataValue? {
        guard !isEmpty else { return nil }
        return .array(
            map { deletion in
                var entry = deletion.objectID.noted
                entry["failures"] = .array(
                    deletion.failures.map { failure in
                        var entry: [String: MetadataValue] = [
                            "code": .integer(Int64(failure.code.rawValue)), "message": .string(failure.message),
                        ]
                        if let key = failure.key { entry["key"] = .string(key) }
                        return .dictionary(entry)
                    })
                entry["holders"] = .array(
                    deletion.holders.map { holder in
                        var entry = holder.objectID.noted
                        if let name = holder.propertyName { entry["property"] = .string(name) }
                        return .dictionary(entry)
                    })
                return .dictionary(entry)
            })
    }

    /// Reads the entry of a store's metadata. Entries with objects or properties that the model
    /// does not contain are left out.
    init(_ metadata: MetadataValue?, of store: StoreIdentity) {
        self = []
        guard case .array(let entries)? = metadata else { return }
        for case .dictionary(let entry) in entries {
            guard let id = ManagedObjectID(noted: entry, store), case .array(let failures)? = entry["failures"],
                case .array(let holders)? = entry["holders"]
            else { continue }
            let noted = failures.compactMap { Self.failure($0, id) }
            if !noted.isEmpty {
                append(DeniedDeletion(id, holders: holders.compactMap { Self.holder($0, store) }, failures: noted))
            }
        }
    }

    private static func failure(_ value: MetadataValue, _ id: ManagedObjectID) -> ValidationError.Failure? {
        guard case .dictionary(let entry) = value, case .integer(let code)? = entry["code"],
            case .string(let message)? = entry["message"]
        else { return nil }
        var key: String?
        if case .string(let name)? = entry["key"] { key = name }
        return .init(
            ValidationError.Code(rawValue: Int(truncatingIfNeeded: code)), message, object: id, entity: id.entity.name,
            key: key)
    }

    private static func holder(_ value: MetadataValue, _ store: StoreIdentity) -> DeniedDeletion.Holder? {
        guard case .dictionary(let entry) = value, let id = ManagedObjectID(noted: entry, store) else { return nil }
        guard case .string(let name)? = entry["property"] else { return .init(id, propertyName: nil) }
        return id.entity.propertyIndex(named: name) == nil ? nil : .init(id, propertyName: name)
    }
}
