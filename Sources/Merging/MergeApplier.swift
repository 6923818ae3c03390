internal import Foundation
package import ObjectGraph
internal import Schema
internal import Storage

/// Makes a merge in a context, as a person would make it: inverses, delete rules, undo and
/// validation follow.
package struct MergeApplier {
    private let outcome: MergeOutcome
    private let names: MergedNames
    private let context: ManagedObjectContext
    /// Of the context's model.
    private let schema: MergeSchema
    /// The new objects, in the order of the insertions.
    private var made: [ManagedObject] = []

    package init(_ plan: PlannedMerge, _ context: ManagedObjectContext) {
        outcome = plan.outcome
        names = plan.names
        schema = MergeSchema(context.model)
        self.context = context
    }

    /// New objects first, so that every link finds both ends; deletions last, since their rules
    /// look at what there is then.
    /// - Throws: `GraphError` for an object that is not there any more. What was done until then
    ///   stays in the context.
    package mutating func apply() throws {
        try insert()
        for edit in outcome.values where edit.value.isNull { try set(edit) }
        for edit in outcome.values where !edit.value.isNull { try set(edit) }
        for (object, (name, values)) in zip(made, outcome.insertions) { try fill(object, schema[name.entity], values) }
        for (name, values) in outcome.insertions where schema.hasLinks(name.entity) {
            for (property, value) in values where !value.listed.isEmpty {
                try setMembers(name, property, added: value.listed, removed: [], order: value.listed)
            }
        }
        for edit in outcome.members {
            try setMembers(edit.owner, edit.property, added: edit.added, removed: edit.removed, order: edit.order)
        }
        for name in outcome.deletions { context.delete(try object(name)) }
        context.processPendingChanges()
    }

    private mutating func insert() throws {
        made = try outcome.insertions.names.map { name in
            try context.insert(context.model.entities[schema[name.entity].index])
        }
        try context.keys.assignPermanentKeys(Array(zip(made, names.numbers(of: outcome.insertions.names))))
    }

    private func fill(_ object: ManagedObject, _ entity: MergeSchema.Entity, _ values: ObjectValues) throws {
        // Without a value also takes a default away.
        try PropertyAccess(object).setAttributeValues(at: entity.attributeIndexes) {
            values[entity.attributes[$0]]?.attribute ?? .null
        }
        for property in entity.links {
            guard let target = values[property]?.target else { continue }
            try PropertyAccess(object).setRelatedObject(self.object(target), at: entity.properties[property].index)
        }
    }

    private func set(_ edit: MergeOutcome.ValueEdit) throws {
        let object = try self.object(edit.object), property = schema[edit.object.entity, edit.property]
        if property.isLink {
            try PropertyAccess(object).setRelatedObject(edit.value.target.map(self.object), at: property.index)
        } else {
            try PropertyAccess(object).setAttributeValue(edit.value.attribute, at: property.index)
        }
    }

    /// Where the inverse is to-one, its edits have said who is a member: only the order is set.
    private func setMembers(
        _ owner: MergeName, _ number: Int, added: [MergeName], removed: [MergeName], order: [MergeName]?
    ) throws {
        let object = try self.object(owner), property = schema[owner.entity, number]
        guard case .toMany(let isOrdered, let isOrderOnly) = property.kind else { return }
        var members = try PropertyAccess(object).relatedObjects(at: property.index)
        let before = members.map { ObjectIdentifier($0) }
        var present = Set(before)
        if !removed.isEmpty {
            let gone = Set(try removed.map { ObjectIdentifier(try self.object($0)) })
            members.removeAll { gone.contains(ObjectIdentifier($0)) }
            present.subtract(gone)
        }
        if !isOrderOnly {
            for member in try added.map(self.object) where present.insert(ObjectIdentifier(member)).inserted {
                members.append(member)
            }
        }
        if let order, isOrdered {
            let ordered = try order.map(self.object).filter { present.contains(ObjectIdentifier($0)) }
            let placed = Set(ordered.map { ObjectIdentifier($0) })
            members = ordered + members.filter { !placed.contains(ObjectIdentifier($0)) }
        }
        if members.map({ ObjectIdentifier($0) }) != before {
            try object.setPropertyValue(.list(members.map { .object($0.objectID) }), forKey: property.name)
        }
    }

    private func object(_ name: MergeName) throws -> ManagedObject {
        if let place = outcome.insertions.place(of: name) { return made[place] }
        guard let id = names.id(name) else {
            let entity = names.entity(of: name)
            throw GraphError(.unknownEntity, "The model has no entity \(entity)", entity: entity)
        }
        return try context.existingObject(with: id)
    }
}

extension MergeValue {
    /// The members of a to-many relationship.
    fileprivate var listed: [MergeName] { if case .members(let members) = self { members } else { [] } }
}
