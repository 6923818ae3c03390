internal import DocumentFiles
internal import ObjectGraph
internal import Schema
internal import Storage

/// Applies the edits of a merge plan in a context, like edits of a user: inverses, undo and
/// validation work as usual.
struct MergedEdits {
    private let plan: MergePlan
    private let context: ManagedObjectContext
    private let identity: StoreIdentity

    init(_ plan: MergePlan, _ context: ManagedObjectContext) throws {
        self.plan = plan
        self.context = context
        guard let store = context.persistentStoreCoordinator.stores.first else {
            throw GraphError(.noStore, "The document has no store")
        }
        identity = store.identity
    }

    /// Inserts objects first, so that both ends of every relationship exist. Deletes objects last,
    /// because delete rules depend on the relationships at that time.
    func apply() throws {
        var made: [MergePlan.Name: ManagedObject] = [:]
        for case .insert(let name, _) in plan.steps { made[name] = try context.insert(name.entity) }
        for step in plan.steps {
            switch step {
            case .insert(let name, let values):
                if let object = made[name] { try fill(object, values, made) }
            case .edit(let name, let edits):
                guard let object = try object(name, made) else { continue }
                for (property, edit) in edits {
                    if case .set(let value) = edit { try set(value, property, of: object, made) }
                }
            case .delete: break
            }
        }
        for case .edit(let name, let edits) in plan.steps {
            guard let object = try object(name, made) else { continue }
            for (property, edit) in edits {
                if case .members(let added, let removed, let order) = edit {
                    try setMembers(property, of: object, added, removed, order, made)
                }
            }
        }
        for case .delete(let name) in plan.steps { if let object = try object(name, [:]) { context.delete(object) } }
        context.processPendingChanges()
    }

    private func fill(
        _ object: ManagedObject, _ values: [String: PropertyValue], _ made: [MergePlan.Name: ManagedObject]
    ) throws {
        for property in object.entity.properties where !property.isTransient && property.attribute?.isDerived != true {
            if let value = values[property.name] {
                try set(value, property.name, of: object, made)
            } else if property.attribute != nil, try object.propertyValue(forKey: property.name) != .null {
                // The value was removed here; overwrite the default.
                try object.setPropertyValue(.null, forKey: property.name)
            }
        }
    }

    private func set(
        _ value: PropertyValue, _ property: String, of object: ManagedObject, _ made: [MergePlan.Name: ManagedObject]
    ) throws {
        switch value {
        case .object: object[property] = try value.names.first.flatMap { try self.object($0, made) }
        case .list: try setMembers(property, of: object, value.names, [], value.names, made)
        default: try object.setPropertyValue(value, forKey: property)
        }
    }

    private func setMembers(
        _ property: String, of object: ManagedObject, _ added: [MergePlan.Name], _ removed: [MergePlan.Name],
        _ order: [MergePlan.Name]?,
        _ made: [MergePlan.Name: ManagedObject]
    ) throws {
        let gone = Set(try removed.compactMap { try self.object($0, made)?.objectID })
        var members: [ManagedObject] = [], present: Set<ObjectIdentifier> = []
        if case .list(let values) = try object.propertyValue(forKey: property) {
            for case .object(let id) in values where !gone.contains(id) {
                members.append(try context.existingObject(with: id))
            }
        }
        present.formUnion(members.map { ObjectIdentifier($0) })
        for name in added {
            if let member = try self.object(name, made), present.insert(ObjectIdentifier(member)).inserted {
                members.append(member)
            }
        }
        if let order {
            // The order of this side first; members that only the other side has added follow.
            let ordered = try order.compactMap { try self.object($0, made) }.filter {
                present.contains(ObjectIdentifier($0))
            }
            let placed = Set(ordered.map { ObjectIdentifier($0) })
            members = ordered + members.filter { !placed.contains(ObjectIdentifier($0)) }
        }
        try object.setPropertyValue(.list(members.map { .object($0.objectID) }), forKey: property)
    }

    /// The object in this context; nil if the other side has deleted it.
    private func object(_ name: MergePlan.Name, _ made: [MergePlan.Name: ManagedObject]) throws -> ManagedObject? {
        if let object = made[name] { return object }
        guard let entity = identity.model.entity(named: name.entity) else { return nil }
        do {
            return try context.existingObject(
                with: ManagedObjectID(store: identity, entityIndex: entity.index, key: name.number))
        } catch let error as GraphError where error.code == .objectNotFound {
            return nil
        }
    }
}
