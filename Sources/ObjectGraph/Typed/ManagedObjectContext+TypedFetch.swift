public import Foundation
public import Query
import Schema

extension ManagedObjectContext {
    /// The request for objects of a class: of the entity that it is registered for, and of that
    /// one's sub-entities.
    ///
    /// - Parameter prefetching: Relationships whose objects are fetched along, one trip for each.
    ///   Longer ways go by name into the request's `relationshipKeyPathsForPrefetching`.
    /// - Throws: ``GraphError`` with code `unknownEntity` for a class that is registered for none,
    ///   or for several that are not one above the others; `unknownKey` for a key path that is no
    ///   property of the entity's.
    public func request<Object: ManagedObject>(
        for objectClass: Object.Type, where condition: EntityCondition<Object>? = nil,
        sort order: [EntityOrder<Object>] = [], offset: Int = 0, limit: Int = 0,
        prefetching: [PartialKeyPath<Object>] = []
    ) throws -> FetchRequest<Object> {
        let entityName = try entityName(of: objectClass)
        var request = FetchRequest<Object>(entityName)
        request.relationshipKeyPathsForPrefetching = try prefetching.map { path in
            guard let name = Object.namesByKeyPath[path] else {
                throw GraphError(
                    .unknownKey, "\(path) is no property of \(entityName)", entity: entityName, key: "\(path)")
            }
            return name
        }
        request.predicate = condition?.predicate
        request.sortKeys = order.map(\.sortKey)
        request.fetchOffset = offset
        request.fetchLimit = limit
        return request
    }

    /// The objects of a class that fit a condition, in an order, unsaved changes taken into
    /// account.
    ///
    /// ```swift
    /// let books = try context.fetch(Book.self, where: \.pages > 300 && \.genre == .novel, sort: [.ascending(\.title), .descending(\.published)], limit: 20)
    /// ```
    /// - Parameter limit: The greatest number of results, 0 for all of them.
    /// - Parameter prefetching: Relationships whose objects are fetched along, one trip for each.
    /// - Throws: what ``request(for:where:sort:offset:limit:prefetching:)`` and ``fetch(_:)``
    ///   throw.
    public func fetch<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil,
        sort order: [EntityOrder<Object>] = [], offset: Int = 0, limit: Int = 0,
        prefetching: [PartialKeyPath<Object>] = []
    ) throws -> [Object] {
        try fetch(
            request(
                for: objectClass, where: condition, sort: order, offset: offset, limit: limit, prefetching: prefetching)
        )
    }

    /// The objects of a class that fit a predicate of Foundation.
    ///
    /// ```swift
    /// let books = try context.fetch(Book.self, where: #Predicate { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)])
    /// ```
    /// - Throws: what ``fetch(_:where:sort:offset:limit:prefetching:)`` throws; ``QueryError`` for
    ///   what a query can't say.
    public func fetch<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>,
        sortBy descriptors: [SortDescriptor<Object>] = [], offset: Int = 0, limit: Int = 0
    ) throws -> [Object] {
        var request = try request(for: objectClass, offset: offset, limit: limit)
        request.predicate = try FetchPredicate(predicate)
        request.sortKeys = try descriptors.map { try SortKey($0) }
        return try fetch(request)
    }

    /// The first object of a class that fits a condition; nil if there is none.
    public func first<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil,
        sort order: [EntityOrder<Object>] = []
    ) throws -> Object? {
        try fetch(objectClass, where: condition, sort: order, limit: 1).first
    }

    /// The object of a class with a value of an attribute, or a new one with it.
    ///
    /// ```swift
    /// let tag = try context.findOrCreate(Tag.self, where: \.word, is: "new")
    /// ```
    /// Unsaved objects are found too. Two contexts that do this at once make two objects: a
    /// uniqueness constraint and a ``mergePolicy`` make one of them at the save.
    /// - Throws: what ``fetch(_:where:sort:offset:limit:prefetching:)`` throws; ``GraphError`` with
    ///   code `abstractEntity`.
    public func findOrCreate<Object: ManagedObject, Value: PredicateArgument>(
        _ objectClass: Object.Type, where path: ReferenceWritableKeyPath<Object, Value>, is value: Value
    ) throws -> Object {
        if let found = try first(objectClass, where: path == value) { return found }
        let object = try insert(entityName(of: objectClass))
        guard let typed = object as? Object else { throw GraphError.wrongClass(object, objectClass) }
        typed[keyPath: path] = value
        return typed
    }

    /// How many objects of a class fit a condition.
    public func count<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil
    ) throws -> Int {
        try count(for: request(for: objectClass, where: condition))
    }

    /// Deletes all objects of a class that fit a condition, one by one and undoably. Returns how
    /// many.
    @discardableResult
    public func deleteAll<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil
    ) throws -> Int {
        let objects = try fetch(objectClass, where: condition)
        for object in objects { delete(object) }
        return objects.count
    }

    /// The name of the entity whose objects, those of its sub-entities included, are of a class.
    private func entityName(of objectClass: ManagedObject.Type) throws -> String {
        let entities = shapes.filter { $0.objectClass == objectClass }.map(\.entity)
        // Sub-entities without a class of their own may be registered with that of their
        // super-entity.
        guard let highest = entities.first(where: { one in entities.allSatisfy { $0.isKind(of: one) } }) else {
            let what = entities.isEmpty ? "no entity" : "the entities \(entities.map(\.name).joined(separator: ", "))"
            throw GraphError(
                .unknownEntity,
                "\(objectClass) is the class of \(what): register it with the coordinator for one, or name the entity in a FetchRequest"
            )
        }
        return highest.name
    }
}
