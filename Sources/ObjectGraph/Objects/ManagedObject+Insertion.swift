public import Schema

extension ManagedObject {
    /// Makes a new object of an entity and inserts it into a context.
    ///
    /// Traps if the entity is abstract or not of the context's model; ``ManagedObjectContext/insert(_:)-swift.method`` throws instead.
    public convenience init(entity: Entity, insertInto context: ManagedObjectContext) {
        let index = entity.modelNumber == context.model.number ? entity.index : context.model.entity(named: entity.name)?.index
        guard let index, !entity.isAbstract else {
            preconditionFailure("\(entity.name) is abstract or not of the context's model: insert an object of a concrete entity of context.model")
        }
        self.init(context.registry.makeSeed(index))
        context.tracker.didInsert(self)
    }

    /// Makes a new object of the one entity that this class is registered for, and inserts it into a context.
    ///
    /// ```swift
    /// let book = Book(context: context)
    /// ```
    public convenience init(context: ManagedObjectContext) {
        self.init(context.registry.makeSeed(context.registry.entityIndex(of: Self.self)))
        context.tracker.didInsert(self)
    }
}
