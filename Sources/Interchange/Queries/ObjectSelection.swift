import Coding
package import Folio

/// Selects the objects of a command: by name, or by an entity and a predicate.
package enum ObjectSelection {
    /// A validated fetch request for the objects of `entityName` that satisfy all conditions.
    package static func request(
        _ entityName: String, where conditions: [String], with values: VariableValues, in store: StoreIdentity
    ) throws -> FetchRequest<ManagedObject> {
        let entity = try EntityLookup.entity(named: entityName, in: store.model)
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.sortDescriptors = [.objectID]
        let predicates = try conditions.map { try predicate($0, values, entity, store) }
        request.predicate = predicates.count > 1 ? .and(predicates) : predicates.first
        return request
    }

    /// A validated condition.
    package static func predicate(
        _ text: String, _ values: VariableValues, _ entity: EntityDescription, _ store: StoreIdentity
    ) throws -> FetchPredicate {
        do {
            return try values.binding(FetchPredicate(format: text), of: entity, in: store)
                .validated(against: entity, in: store.model, store: store)
        } catch var error as QueryError {
            if error.text == nil { error.text = text }
            throw error
        }
    }

    /// The variables of conditions; those of one that can't be parsed are reported later.
    package static func variables(_ conditions: [String]) -> [String] {
        conditions.flatMap { (try? FetchPredicate(format: $0))?.variables ?? [] }
    }

    /// The object with a name.
    /// - Throws: An error with exit code 66 if it does not exist.
    package static func object(_ name: String, in context: ManagedObjectContext, store: StoreIdentity) throws
        -> ManagedObject
    {
        let id = try ObjectName.id(name, in: store)
        do {
            return try context.existingObject(with: id)
        } catch let error as GraphError where error.code == .objectNotFound {
            throw InterchangeError(
                .notFound, "unknownObject", "there is no object \(name)",
                detail: .object(["object": .string(id.description)]))
        }
    }

    /// The objects that operands select: by names, or one entity with `--where`.
    package static func objects(
        _ words: [String], where conditions: [String], with values: VariableValues, in context: ManagedObjectContext,
        store: StoreIdentity
    ) throws -> [ManagedObject] {
        if words.count == 1, !ObjectName.isName(words[0]) {
            guard !conditions.isEmpty else {
                _ = try EntityLookup.entity(named: words[0], in: store.model)
                throw InterchangeError.usage(
                    "\(words[0]) without --where would mean all of its objects",
                    hint: "say --where TRUEPREDICATE to mean them")
            }
            return try context.fetch(try request(words[0], where: conditions, with: values, in: store))
        }
        if !conditions.isEmpty {
            throw InterchangeError.usage("--where goes with an entity, not with names of objects")
        }
        return try words.map { try object($0, in: context, store: store) }
    }
}
