import RowMemory
import Schema

/// Moves new objects, which no store has, from one context to another. The instances stay the same.
struct ObjectTransfer {
    /// An object, and what it has in the context that it leaves.
    struct Content {
        let object: ManagedObject
        let entity: EntityDescription
        let values: [(key: String, value: PropertyValue)]
        /// The members of its relationships: the objects that move too, or saved objects of the
        /// context that it enters.
        let members: [(relation: EntityShape.Relation, objects: [ManagedObject])]
    }

    let context: ManagedObjectContext
    let contents: [Content]

    /// Collects the object and the new objects that it leads to, with their values.
    init(_ object: ManagedObject, to context: ManagedObjectContext) {
        self.context = context
        contents = Self.newObjects(from: object).map { object in
            let shape = object.shape
            return Content(
                object: object, entity: shape.entity,
                values: shape.entity.properties.filter { $0.attribute != nil }.map { property in
                    (property.name, object.row.value(shape.layout.slots[property.index]))
                },
                members: Self.relations(of: object).map { relation in
                    let members = Self.members(of: object, relation)
                    return (relation, members.map { $0.key < 0 ? $0 : context.object(with: $0.objectID) })
                })
        }
    }

    private static func newObjects(from object: ManagedObject) -> [ManagedObject] {
        var found = [object], seen: Set<ManagedObject> = [object]
        var next = 0
        while next < found.count {
            for relation in relations(of: found[next]) {
                for member in members(of: found[next], relation) where member.key < 0 && seen.insert(member).inserted {
                    found.append(member)
                }
            }
            next += 1
        }
        return found
    }

    private static func relations(of object: ManagedObject) -> [EntityShape.Relation] {
        object.shape.toOnes + object.shape.toManys
    }

    private static func members(of object: ManagedObject, _ relation: EntityShape.Relation) -> [ManagedObject] {
        guard object.fireFault() else { return [] }
        if !relation.isToMany { return object.registry.target(object, relation.slot).map { [$0] } ?? [] }
        return Array(object.context.members.loadedList(object, relation).members)
    }

    /// Deletes the objects from their context. Their relationships are cleared first: delete rules
    /// must not reach the saved objects.
    func leave(_ other: ManagedObjectContext) {
        for content in contents {
            let shape = content.object.shape
            for relation in shape.toOnes { set(content.object, relation.property.name, to: nil) }
            for relation in shape.toManys { set(content.object, relation.property.name, to: [ManagedObject]()) }
        }
        for content in contents { other.delete(content.object) }
        other.processPendingChanges()
    }

    /// Inserts the objects into the context and gives them what they had.
    func enter(_ seeds: [ManagedObjectSeed]) {
        for (content, seed) in zip(contents, seeds) {
            seed.plant(in: content.object)
            context.registry.register(content.object)
            context.tracker.record(content.object)
            if context.tracker.recordsUndo { context.tracker.log(.inserted(content.object)) }
            let entity = content.object.shape.entity
            for (key, value) in content.values where entity.property(named: key) != nil {
                set(content.object, key, to: value)
            }
        }
        for content in contents {
            for (relation, members) in content.members where !members.isEmpty {
                set(content.object, relation.property.name, to: relation.isToMany ? members : members.first)
            }
        }
        for content in contents { content.object.awakeFromInsert() }
    }

    private func set(_ object: ManagedObject, _ key: String, to value: Any?) {
        KeyedValues(object).setValue(value, forKey: key)
    }
}
