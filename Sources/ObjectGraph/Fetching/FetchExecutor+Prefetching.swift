import RowMemory
import Schema

extension FetchExecutor {
    /// Reads the objects at the end of a path of relationships, with one query for each step.
    func prefetch(_ path: String, for objects: [ManagedObject], _ entity: EntityDescription) throws {
        var objects = objects
        var entity = entity
        let names = path.split(separator: ".").map(String.init)
        for (step, name) in names.enumerated() {
            guard let property = entity.property(named: name), let relationship = property.relationship,
                let destination = context.model.destination(of: relationship)
            else {
                throw GraphError.unknownKey(name, of: entity, kind: "relationship")
            }
            guard !objects.isEmpty else { return }
            for object in objects where object.state.isFault && object.cells == nil { try object.fulfillFault() }
            if relationship.isToMany {
                try prefetchMembers(property, of: objects)
                // Only a following step needs the list of all members.
                if step < names.count - 1 {
                    objects = objects.flatMap {
                        context.members.list($0, context.registry.relation($0, property.index)).members
                    }
                }
            } else {
                objects = try prefetchTargets(property, of: objects)
            }
            entity = destination
        }
    }

    func prefetchMembers(_ property: PropertyDescription, of owners: [ManagedObject]) throws {
        let relation = context.registry.relation(owners[0], property.index)
        let unread = owners.filter { !context.members.list($0, relation).isLoaded }
        if !unread.isEmpty { try context.members.loadLists(of: unread, relation) }
    }

    func prefetchTargets(_ property: PropertyDescription, of owners: [ManagedObject]) throws -> [ManagedObject] {
        var targets: [ManagedObject] = []
        var seen: Set<Int64> = []
        for owner in owners {
            guard let reference = owner.row.reference(context.registry.relation(owner, property.index).slot),
                seen.insert(reference.key).inserted
            else { continue }
            targets.append(context.registry.object(reference))
        }
        try context.faults.fetchRows(of: targets)
        // Nothing else retains the targets.
        for target in targets { context.registry.recent.hold(target) }
        return targets
    }
}
