package import Query
import RowMemory
package import Schema

// For modules that give objects initializers of another shape.
extension ManagedObjectContext {
    /// What a new object of an entity is made of; ``didMake(_:callsHook:)`` follows.
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    package func seedOfNewObject(of entity: EntityDescription) throws(GraphError) -> ManagedObjectSeed {
        let known = entity.modelNumber == registry.modelNumber ? entity : model.entity(named: entity.name)
        guard let known else { throw .unknownEntity(entity.name, in: model) }
        guard !known.isAbstract else {
            throw GraphError(
                .abstractEntity,
                "\(known.name) is abstract and has no objects of its own: insert one of its sub-entities",
                entity: known.name)
        }
        return registry.makeSeed(known.index)
    }

    /// Inserts an object that was just made of a seed of this context.
    package func didMake(_ object: ManagedObject, callsHook: Bool = true) {
        guard !callsHook else {
            tracker.didInsert(object)
            return
        }
        registry.register(object)
        tracker.record(object)
    }

    /// Inserts a new object of another context, with its values, and with the new objects that it
    /// leads to there. Relationships to saved objects lead to the objects of this context; the
    /// other context keeps them unchanged.
    /// - Throws: ``GraphError`` with code `unknownEntity`, or `alreadySaved` for an object that is
    ///   not new.
    package func takeOver(_ object: ManagedObject) throws(GraphError) {
        guard let other = object.owningContext, other !== self else { return }
        guard object.key < 0 else {
            throw GraphError(
                .alreadySaved, "\(object.objectID.shortName) is saved: fetch it here by its objectID",
                object: object.objectID)
        }
        var found = [object], seen: Set<ManagedObject> = [object]
        var next = 0
        while next < found.count {
            for relation in found[next].shape.toOnes + found[next].shape.toManys {
                for member in found[next].members(of: relation)
                where member.key < 0 && seen.insert(member).inserted {
                    found.append(member)
                }
            }
            next += 1
        }
        let contents = found.map { object in
            (
                object: object, entity: object.shape.entity,
                values: object.shape.entity.properties.filter { $0.attribute != nil }.map { property in
                    (property.name, object.row.value(object.shape.layout.slots[property.index]))
                },
                members: (object.shape.toOnes + object.shape.toManys).map { relation in
                    (
                        relation,
                        object.members(of: relation).map { $0.key < 0 ? $0 : self.object(with: $0.objectID) }
                    )
                }
            )
        }
        let seeds = try contents.map { content throws(GraphError) in try seedOfNewObject(of: content.entity) }
        // Delete rules must not reach the saved objects.
        for object in found {
            for relation in object.shape.toOnes { object.setPlainValue(nil, forKey: relation.property.name) }
            for relation in object.shape.toManys {
                object.setPlainValue([ManagedObject](), forKey: relation.property.name)
            }
        }
        for object in found { other.delete(object) }
        other.processPendingChanges()
        for (content, seed) in zip(contents, seeds) {
            content.object.plant(seed)
            registry.register(content.object)
            tracker.record(content.object)
            if tracker.recordsUndo { tracker.log(.inserted(content.object)) }
            for (key, value) in content.values where content.object.shape.entity.property(named: key) != nil {
                content.object.setPlainValue(value, forKey: key)
            }
        }
        for content in contents {
            for (relation, members) in content.members where !members.isEmpty {
                content.object.setPlainValue(
                    relation.isToMany ? members : members.first, forKey: relation.property.name)
            }
        }
        for content in contents { content.object.awakeFromInsert() }
    }
}

extension ManagedObjectContext {
    /// The next save throws the first of these: a value could not be read or made when it was used.
    package func note(_ error: any Error) { noteLoadError(error) }
}

extension ManagedObjectSeed {
    /// The context that makes the object.
    package var context: ManagedObjectContext { registry._withUnsafeGuaranteedRef { $0.context } }
    /// The entity of the object.
    package var entity: EntityDescription { registry._withUnsafeGuaranteedRef { $0.shapes[entityIndex].entity } }
}

extension ManagedObject {
    /// The context that the object belongs to; nil without one.
    package final var owningContext: ManagedObjectContext? {
        registryReference?._withUnsafeGuaranteedRef { $0.context }
    }

    /// The value of an expression for the object.
    /// - Throws: errors of the expression, and of reading the store.
    package final func value(of expression: QueryExpression) throws -> QueryValue {
        try CompiledExpression(expression).value(for: self)
    }

    fileprivate final func members(of relation: EntityShape.Relation) -> [ManagedObject] {
        guard fireFault() else { return [] }
        if !relation.isToMany { return registry.target(self, relation.slot).map { [$0] } ?? [] }
        return Array(context.members.loadedList(self, relation).members)
    }

    /// Becomes what a seed says.
    fileprivate final func plant(_ seed: ManagedObjectSeed) {
        slab = seed.slab?.takeUnretainedValue()
        cells = seed.cells
        registryReference = seed.registry
        key = seed.key
        entityIndex = UInt16(seed.entityIndex)
        state = seed.state
        recordIndex = -1
        isListed = false
    }
}
