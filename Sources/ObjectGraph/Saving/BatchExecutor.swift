import Query
import RowMemory
import Schema
import Storage

/// Executes batch requests in the store, or, if the store can't, object by object in a separate
/// context.
struct BatchExecutor {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        if let stores = request.affectedStores {
            var request = request
            request.affectedStores = nil
            return try restricted(to: stores).map { try $0.execute(request) } ?? .none
        }
        var rows = try rowRequest(
            request.entityName, request.predicate, includesSubentities: request.includesSubentities)
        rows.sortKeys = try request.sortDescriptors.map {
            try $0.validated(against: rows.entity(in: context.model), in: context.model)
        }
        rows.limit = request.fetchLimit > 0 ? request.fetchLimit : nil
        rows.offset = request.fetchOffset
        let receipt = try inStore({ try $0.delete(rows, origin: origin) }, elsewise: { try $0.deleteObjects(rows) })
        let selected = ids(receipt.selected)
        return BatchResult(
            objectIDs: selected,
            changes: SavedChanges(
                updated: Set(ids(receipt.changed)), deleted: Set(selected).union(ids(receipt.cascaded)),
                contextName: context.name))
    }

    func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        if let stores = request.affectedStores {
            var request = request
            request.affectedStores = nil
            return try restricted(to: stores).map { try $0.execute(request) } ?? .none
        }
        let rows = try rowRequest(
            request.entityName, request.predicate, includesSubentities: request.includesSubentities)
        let update = BatchUpdate(
            rows, assignments: try assignments(request.propertiesToUpdate, rows.entity(in: context.model)))
        let receipt = try inStore({ try $0.update(update, origin: origin) }, elsewise: { try $0.updateObjects(update) })
        let selected = ids(receipt.selected)
        return BatchResult(
            objectIDs: selected,
            changes: SavedChanges(updated: Set(selected).union(ids(receipt.changed)), contextName: context.name))
    }

    func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        var request = request
        if let objectHandler = request.objectHandler { request = try filling(request, objectHandler) }
        if let stores = request.affectedStores {
            request.affectedStores = nil
            return try restricted(to: stores).map { try $0.execute(request) } ?? .none
        }
        let scratch = try scratchContext()
        scratch.mergePolicy = context.mergePolicy
        var made: [ManagedObject] = []
        let changes = try BatchExecutor(scratch).saveTelling { made = try $0.insertObjects(request) }
        // Objects that were merged into others by the merge policy have no registry.
        let ids = made.filter { $0.registryReference != nil }.map {
            context.lookup.objectID(key: $0.key, entityIndex: Int($0.entityIndex))
        }
        return BatchResult(objectIDs: ids, changes: renamed(changes))
    }

    /// The same for some of the stores; nil where the coordinator has none of them.
    private func restricted(to uuids: Set<String>) throws -> BatchExecutor? {
        let all = context.persistentStoreCoordinator.stores
        let wanted = all.filter { uuids.contains($0.identity.uuid) }
        if wanted.count == all.count { return self }
        guard !wanted.isEmpty else { return nil }
        try context.persistentStoreCoordinator.check(.batchRequest)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: context.model, factories: [])
        for store in wanted { coordinator.add(store) }
        let scratch = ManagedObjectContext(coordinator)
        (scratch.name, scratch.transactionAuthor) = (origin.contextName, origin.author)
        scratch.mergePolicy = context.mergePolicy
        return BatchExecutor(scratch)
    }

    /// A request by objects as one by their values: the objects are filled in a context of their
    /// own, which saves nothing.
    private func filling(_ request: BatchInsertRequest, _ handler: @escaping (ManagedObject) throws -> Bool) throws
        -> BatchInsertRequest
    {
        guard let entity = context.model.entity(named: request.entityName) else {
            throw GraphError.unknownEntity(request.entityName, in: context.model)
        }
        let filling = ManagedObjectContext(context.persistentStoreCoordinator)
        let shape = context.shapes[entity.index]
        var byValues = BatchInsertRequest(entityName: request.entityName) { values in
            let object = shape.objectClass.init(try filling.maker.seed(of: entity))
            filling.maker.didMake(object, callsHook: false)
            defer {
                filling.delete(object)
                filling.processPendingChanges()
            }
            if try handler(object) { return true }
            if let relation = shape.toManys.first(where: {
                !object.objectIDs(forRelationshipNamed: $0.property.name).isEmpty
            }) {
                throw GraphError.wrongType("the members of a to-many relationship", for: relation.property, of: entity)
            }
            for property in entity.properties where !property.isToMany && !property.isTransient {
                let value = try PropertyAccess(object).value(at: property.index, shape)
                if !value.isNull || property.attribute?.defaultValue != nil { values[property.name] = value }
            }
            return false
        }
        byValues.affectedStores = request.affectedStores
        return byValues
    }

    /// The author and the name that the history gets: those of the root, as with the saves of a
    /// child context.
    private var origin: ChangeOrigin {
        var root = context
        while let parent = root.parent { root = parent }
        var origin = ChangeOrigin()
        let read = { origin = ChangeOrigin(author: root.transactionAuthor, contextName: root.name) }
        if root !== context, let exclusively = root.exclusively { exclusively(read) } else { read() }
        return origin
    }

    func renamed(_ changes: SavedChanges) -> SavedChanges {
        var changes = changes
        changes.contextName = context.name
        return changes
    }

    func ids(_ references: [ObjectReference]) -> [ManagedObjectID] {
        references.map { context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex) }
    }

    func rowRequest(_ entityName: String, _ predicate: FetchPredicate?, includesSubentities: Bool) throws -> RowRequest
    {
        guard let entity = context.model.entity(named: entityName) else {
            throw GraphError.unknownEntity(entityName, in: context.model)
        }
        let condition = try predicate?.validated(
            against: entity, in: context.model, store: try context.reader.identity())
        return RowRequest(
            entityIndex: entity.index, includesSubentities: includesSubentities, selection: .matching(condition))
    }

    func assignments(_ values: [String: QueryExpression], _ entity: EntityDescription) throws -> [BatchUpdate
        .Assignment]
    {
        try values.sorted { $0.key < $1.key }.map { name, value in
            guard let property = entity.property(named: name), !property.isTransient else {
                throw GraphError.unknownKey(name, of: entity)
            }
            guard !property.isToMany else {
                throw GraphError.wrongType("the members of a to-many relationship", for: property, of: entity)
            }
            guard case .constant(let constant) = value else {
                return BatchUpdate.Assignment(
                    propertyIndex: property.index,
                    value: try value.validated(against: entity, in: context.model, store: try context.reader.identity())
                        .expression)
            }
            if constant.isNull, !property.isOptional {
                throw ValidationError([
                    .init(
                        .missingMandatoryProperty, "\(entity.name).\(name) is required", entity: entity.name, key: name)
                ])
            }
            return BatchUpdate.Assignment(
                propertyIndex: property.index, value: .constant(try converted(constant, property, entity)))
        }
    }

    func converted(_ value: PropertyValue, _ property: PropertyDescription, _ entity: EntityDescription) throws
        -> PropertyValue
    {
        if value.isNull { return value }
        if let attribute = property.attribute, let converted = value.converted(to: attribute) { return converted }
        if property.relationship != nil, case .object(let id) = value, context.lookup.reference(of: id) != nil,
            !id.isTemporaryID,
            id.entity.isKind(of: context.shapes[property.destinationIndex].entity)
        {
            return value
        }
        throw GraphError.wrongType(value.typeName, for: property, of: entity)
    }

    // MARK: Executors

    /// Executes a request in the store or, if the store does not support it, in a separate context.
    func inStore(
        _ body: (any BatchStore) throws -> BatchReceipt, elsewise: (BatchExecutor) throws -> BatchReceipt
    ) throws -> BatchReceipt {
        try context.persistentStoreCoordinator.check(.batchRequest)
        do {
            // Only a save can write several stores as one.
            if let store = context.persistentStoreCoordinator.rowStore as? any BatchStore {
                do { return try body(store) } catch let error as QueryError where error.code == .unsupported {}
            }
            return try elsewise(BatchExecutor(try scratchContext()))
        } catch let error as StorageError where error.code == .constraint {
            throw GraphError(.constraint, error.message, entity: error.entities.first, underlying: error)
        }
    }

    /// A context on the same stores in which all objects are of the class `ManagedObject`, so that
    /// a batch calls no hooks.
    func scratchContext() throws -> ManagedObjectContext {
        guard context.persistentStoreCoordinator.firstStore != nil else { throw GraphError.noStore }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: context.model, factories: [])
        try context.persistentStoreCoordinator.check(.batchRequest)
        for store in context.persistentStoreCoordinator.stores { coordinator.add(store) }
        let scratch = ManagedObjectContext(coordinator)
        (scratch.name, scratch.transactionAuthor) = (origin.contextName, origin.author)
        return scratch
    }
}

extension RowRequest {
    func entity(in model: ManagedObjectModel) -> EntityDescription { model.entities[entityIndex] }
}

// Object-by-object execution, in a separate context.
extension BatchExecutor {
    func deleteObjects(_ request: RowRequest) throws -> BatchReceipt {
        let objects = try context.fetching.fetchObjects(FetchPlan(request, in: context))
        let selected = objects.map { $0.reference }
        for object in objects { context.delete(object) }
        context.processPendingChanges()
        for object in context.deletedObjects {
            do { try object.validateForDelete() } catch let error as ValidationError {
                throw StorageError(.constraint, error.description, entities: [object.entity.name])
            }
        }
        for object in context.updatedObjects {
            for relation in context.shapes[Int(object.entityIndex)].toOnes
            where !relation.property.isOptional && object.row.reference(relation.slot) == nil {
                let name = object.entity.name
                throw StorageError(
                    .constraint,
                    "\(name).\(relation.property.name) is mandatory for \(object.objectID.shortName), which stays",
                    entities: [name])
            }
        }
        let changes = try saveTelling { _ in }
        let known = Set(selected.map { context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex) })
        return BatchReceipt(
            selected: selected, cascaded: references(changes.deleted.subtracting(known)),
            changed: references(changes.updated))
    }

    func updateObjects(_ update: BatchUpdate) throws -> BatchReceipt {
        let objects = try context.fetching.fetchObjects(FetchPlan(update.request, in: context))
        let selected = objects.map { $0.reference }
        let entity = update.request.entity(in: context.model)
        let values = try update.assignments.map {
            (
                entity.properties[$0.propertyIndex],
                try CompiledExpression($0.value, entity: entity, model: context.model)
            )
        }
        for object in objects {
            // Compute all values before setting any of them.
            let computed = try values.map { property, expression in
                (property, try expression.value(for: object).scalar())
            }
            for (property, value) in computed {
                if value.isNull, !property.isOptional {
                    throw ValidationError([
                        .init(
                            .missingMandatoryProperty, "\(entity.name).\(property.name) is required",
                            object: object.objectID, entity: entity.name, key: property.name)
                    ])
                }
                try object.setPropertyValue(value, forKey: property.name)
            }
        }
        let changes = try saveTelling { _ in }
        let known = Set(selected.map { context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex) })
        return BatchReceipt(selected: selected, changed: references(changes.updated.subtracting(known)))
    }

    func insertObjects(_ request: BatchInsertRequest) throws -> [ManagedObject] {
        guard let entity = context.model.entity(named: request.entityName) else {
            throw GraphError.unknownEntity(request.entityName, in: context.model)
        }
        var objects: [ManagedObject] = []
        while true {
            var values: [String: Any?] = [:]
            if try request.handler(&values) { break }
            let object = try context.insert(entity)
            objects.append(object)
            for (key, value) in values { try object.setPropertyValue(try plainValue(value, key, entity), forKey: key) }
        }
        for rule in context.shapes[entity.index].rules where rule.demandsValue {
            for object in objects where !object.row.hasValue(rule.slot) {
                throw ValidationError([
                    .init(
                        .missingMandatoryProperty, "\(entity.name).\(rule.property.name) is required",
                        entity: entity.name, key: rule.property.name)
                ])
            }
        }
        return objects
    }

    func plainValue(_ value: Any?, _ key: String, _ entity: EntityDescription) throws -> PropertyValue {
        if let value = value as? PropertyValue { return value }
        if let id = value as? ManagedObjectID { return .object(id) }
        guard let plain = PropertyValue(value) else {
            guard let property = entity.property(named: key) else { throw GraphError.unknownKey(key, of: entity) }
            throw GraphError.wrongType(PropertyValue.swiftTypeName(value), for: property, of: entity)
        }
        return plain
    }

    func references(_ ids: some Sequence<ManagedObjectID>) -> [ObjectReference] {
        ids.map { ObjectReference(key: $0.key, entityIndex: $0.entityIndex) }
    }

    /// Saves without validation, and returns the changes.
    func saveTelling(_ edit: (BatchExecutor) throws -> Void) throws -> SavedChanges {
        var told = SavedChanges()
        let observation = context.observe(.didSave) { told = $0.changes }
        defer { observation.cancel() }
        try edit(self)
        try context.saving.save(validates: false)
        return told
    }
}
