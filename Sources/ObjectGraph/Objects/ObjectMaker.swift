package import Schema

/// Makes new objects and inserts them into a context, also for modules that give objects
/// initializers of another shape.
package struct ObjectMaker {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Inserts a new object of an entity, with the model's default values.
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    func insert(_ entity: EntityDescription) throws(GraphError) -> ManagedObject {
        let seed = try seed(of: entity)
        let object = context.shapes[seed.entityIndex].objectClass.init(seed)
        context.tracker.didInsert(object)
        return object
    }

    /// What a new object of an entity is made of; ``didMake(_:callsHook:)`` follows.
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    package func seed(of entity: EntityDescription) throws(GraphError) -> ManagedObjectSeed {
        let isOwn = entity.modelNumber == context.registry.modelNumber
        guard let known = isOwn ? entity : context.model.entity(named: entity.name) else {
            throw .unknownEntity(entity.name, in: context.model)
        }
        guard !known.isAbstract else {
            throw GraphError(
                .abstractEntity,
                "\(known.name) is abstract and has no objects of its own: insert one of its sub-entities",
                entity: known.name)
        }
        return context.registry.makeSeed(known.index)
    }

    /// Inserts an object that was just made of a seed of this context.
    package func didMake(_ object: ManagedObject, callsHook: Bool = true) {
        guard !callsHook else {
            context.tracker.didInsert(object)
            return
        }
        context.registry.register(object)
        context.tracker.record(object)
    }

    /// Inserts a new object of another context, with its values, and with the new objects that it
    /// leads to there. Relationships to saved objects lead to the objects of this context; the
    /// other context keeps them unchanged.
    /// - Throws: ``GraphError`` with code `unknownEntity`, or `alreadySaved` for an object that is
    ///   not new.
    package func takeOver(_ object: ManagedObject) throws(GraphError) {
        guard let other = object.owningContext, other !== context else { return }
        guard object.key < 0 else {
            throw GraphError(
                .alreadySaved, "\(object.objectID.shortName) is saved: fetch it here by its objectID",
                object: object.objectID)
        }
        let transfer = ObjectTransfer(object, to: context)
        let seeds = try transfer.contents.map { content throws(GraphError) in try seed(of: content.entity) }
        transfer.leave(other)
        transfer.enter(seeds)
    }
}

extension ManagedObjectSeed {
    /// The context that makes the object.
    package var context: ManagedObjectContext { registry._withUnsafeGuaranteedRef { $0.context } }
    /// The entity of the object.
    package var entity: EntityDescription { registry._withUnsafeGuaranteedRef { $0.shapes[entityIndex].entity } }

    /// Makes an object that has no context the one that the seed describes.
    func plant(in object: ManagedObject) {
        object.slab = slab?.takeUnretainedValue()
        object.cells = cells
        object.registryReference = registry
        object.key = key
        object.entityIndex = UInt16(entityIndex)
        object.state = state
        object.recordIndex = -1
        object.isListed = false
    }
}
