internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// Makes a merge in a context, as a person would make it: inverses, delete rules, undo and
/// validation follow.
struct MergeApplier {
    private let outcome: MergeOutcome
    private let names: MergedNames
    private let context: ManagedObjectContext
    /// The new objects in their order.
    private let new: [MergeName]
    private var made: [MergeName: ManagedObject] = [:]

    init(_ plan: PlannedMerge, _ context: ManagedObjectContext) {
        outcome = plan.outcome
        names = plan.names
        new = plan.outcome.insertions.keys.inOrder()
        self.context = context
    }

    /// New objects first, so that every link finds both ends; deletions last, since their rules
    /// look at what there is then.
    /// - Throws: `GraphError` for an object that is not there any more. What was done until then
    ///   stays in the context.
    mutating func apply() throws {
        try insert()
        for edit in outcome.values where edit.value.isNull { try set(edit) }
        for edit in outcome.values where !edit.value.isNull { try set(edit) }
        for name in new { try fill(name, outcome.insertions[name] ?? [:]) }
        for name in new {
            let lists = (outcome.insertions[name] ?? [:]).filter { !$0.value.listed.isEmpty }
            for (property, value) in lists.sorted(by: { $0.key < $1.key }) {
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
        var numbers: [(ManagedObject, Int64)] = []
        made.reserveCapacity(new.count)
        for name in new {
            let object = try context.insert(name.entity)
            made[name] = object
            numbers.append((object, names.number(of: name)))
        }
        try context.assignPermanentKeys(numbers)
    }

    private func fill(_ name: MergeName, _ values: [String: MergeValue]) throws {
        guard let object = made[name] else { return }
        for property in object.entity.properties where !property.isTransient && property.attribute?.isDerived != true {
            switch values[property.name] {
            case .plain(let value): try object.setPropertyValue(value, forKey: property.name)
            case .object(let target): object[property.name] = try self.object(target)
            case .members: continue
            case nil:
                // A default that was taken away.
                if property.attribute != nil, try object.propertyValue(forKey: property.name) != .null {
                    try object.setPropertyValue(.null, forKey: property.name)
                }
            }
        }
    }

    private func set(_ edit: MergeOutcome.ValueEdit) throws {
        let object = try self.object(edit.object)
        switch edit.value {
        case .plain(let value):
            if object.entity.property(named: edit.property)?.attribute == nil {
                object[edit.property] = nil as ManagedObject?
            } else {
                try object.setPropertyValue(value, forKey: edit.property)
            }
        case .object(let target): object[edit.property] = try self.object(target)
        case .members: break
        }
    }

    /// Where the inverse is to-one, its edits have said who is a member: only the order is set.
    private func setMembers(
        _ owner: MergeName, _ property: String, added: [MergeName], removed: [MergeName], order: [MergeName]?
    ) throws {
        let object = try self.object(owner), model = names.identity.model
        guard let known = object.entity.property(named: property) else { return }
        let isOrderOnly = model.inverse(of: known).map { !$0.isToMany } ?? false
        var members: [ManagedObject] = []
        if case .list(let values) = try object.propertyValue(forKey: property) {
            for case .object(let id) in values { members.append(try context.existingObject(with: id)) }
        }
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
        if let order, known.relationship?.isOrdered == true {
            let ordered = try order.map(self.object).filter { present.contains(ObjectIdentifier($0)) }
            let placed = Set(ordered.map { ObjectIdentifier($0) })
            members = ordered + members.filter { !placed.contains(ObjectIdentifier($0)) }
        }
        if members.map({ ObjectIdentifier($0) }) != before {
            try object.setPropertyValue(.list(members.map { .object($0.objectID) }), forKey: property)
        }
    }

    private func object(_ name: MergeName) throws -> ManagedObject {
        if let object = made[name] { return object }
        guard let id = names.id(name) else {
            throw GraphError(.unknownEntity, "The model has no entity \(name.entity)", entity: name.entity)
        }
        return try context.existingObject(with: id)
    }
}

extension MergeValue {
    /// The members of a to-many relationship.
    fileprivate var listed: [MergeName] { if case .members(let members) = self { members } else { [] } }
}
