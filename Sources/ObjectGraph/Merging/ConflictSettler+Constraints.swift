import Query
import RowMemory
import Schema
import Storage

// Uniqueness constraints: finds the objects with equal values in the context and in the store. Only
// runs after a store has refused a save, because duplicates within a context are allowed until
// then.
extension ConflictSettler {
    /// The unique values that the context would write, and the objects that have them: new objects,
    /// and objects whose values differ from the saved ones.
    struct Claims {
        /// In the order of the first claimant.
        var values: [UniqueValues] = []
        var claimants: [UniqueValues: [ManagedObject]] = [:]

        mutating func add(_ object: ManagedObject, _ values: UniqueValues) {
            if claimants[values] == nil { self.values.append(values) }
            claimants[values, default: []].append(object)
        }
    }

    /// The maximum number of values in one query.
    static let lookupSize = 500

    /// All violated constraints: between objects of the context and, for values that only one
    /// object of the context has, between it and the store.
    func constraintConflicts() throws -> [ConstraintConflict] {
        var conflicts: [ConstraintConflict] = []
        for constraint in context.persistentStoreCoordinator.constraints {
            let claims = claims(of: constraint)
            guard !claims.values.isEmpty else { continue }
            let holders = try holders(of: claims, constraint)
            for values in claims.values {
                guard let claimants = claims.claimants[values] else { continue }
                if claimants.count > 1 {
                    conflicts.append(conflict(constraint, claimants, holder: nil))
                } else if let row = holders[values] {
                    conflicts.append(conflict(constraint, claimants, holder: row))
                }
            }
        }
        return conflicts
    }

    func claims(of constraint: UniquenessConstraint) -> Claims {
        var claims = Claims()
        for index in context.changes.indices {
            guard let object = context.changes.object(at: index), constraint.family.contains(Int(object.entityIndex)),
                isClaiming(object, constraint)
            else { continue }
            if let values = constraint.values(of: object.row) { claims.add(object, values) }
        }
        return claims
    }

    /// Whether a save would write values of the constraint for an object with changes.
    func isClaiming(_ object: ManagedObject, _ constraint: UniquenessConstraint) -> Bool {
        if object.state.contains(.deleted) || object.optionalRow == nil { return false }
        if object.state.contains(.inserted) { return true }
        return constraint.slots.contains { slot in
            context.changes.savedValue(of: Int(object.recordIndex), property: Int(slot.index)).map {
                $0 != object.row.slotValue(slot)
            } ?? false
        }
    }

    /// The stored objects that have the claimed values and keep them in this save.
    func holders(of claims: Claims, _ constraint: UniquenessConstraint) throws -> [UniqueValues: Row] {
        var holders: [UniqueValues: Row] = [:]
        for start in stride(from: 0, to: claims.values.count, by: Self.lookupSize) {
            let rows = claims.values[start..<min(start + Self.lookupSize, claims.values.count)].compactMap {
                claims.claimants[$0]?.first?.row
            }
            let found = try context.store().rows(lookup(rows, constraint))
            for index in 0..<found.count {
                let row = found[index]
                guard let values = constraint.values(of: row), let claimants = claims.claimants[values] else {
                    continue
                }
                if let own = context.registry.identities[context.registry.rootIndex(row.entityIndex)].object(row.key),
                    own.recordIndex >= 0
                {
                    // The object is deleted, changes these values, or is itself a claimant.
                    if own.state.contains(.deleted) || isClaiming(own, constraint) || claimants.contains(own) {
                        continue
                    }
                }
                holders[values] = row
            }
        }
        return holders
    }

    /// A request that selects the objects that have the same unique values as one of the rows, and
    /// possibly others.
    func lookup(_ rows: [Row], _ constraint: UniquenessConstraint) throws -> RowRequest {
        let entity = context.shapes[constraint.entityIndex].entity
        let parts = zip(constraint.names, constraint.slots).map { name, slot in
            let values = rows.map { propertyValue($0.slotValue(slot)) }
            return FetchPredicate.comparison(
                ComparisonPredicate(.keyPath(name), .in, .aggregate(Array(Set(values)).map { .constant($0) })))
        }
        let predicate = try (parts.count == 1 ? parts[0] : .and(parts)).validated(
            against: entity, in: context.model, store: try context.reader.identity())
        return RowRequest(entityIndex: entity.index, selection: .matching(predicate))
    }

    func conflict(_ constraint: UniquenessConstraint, _ claimants: [ManagedObject], holder: Row?) -> ConstraintConflict
    {
        let values = zip(constraint.names, constraint.slots).map { ($0, propertyValue(claimants[0].row.slotValue($1))) }
        return ConstraintConflict(
            entityName: constraint.declaringName, constraint: constraint.names,
            constraintValues: Dictionary(values, uniquingKeysWith: { $1 }),
            databaseObjectID: holder.map { context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex) },
            databaseSnapshot: holder.map { snapshot(of: $0) },
            conflictingObjectIDs: claimants.map(\.objectID),
            conflictingSnapshots: claimants.map { snapshot(of: $0.row) })
    }
}
