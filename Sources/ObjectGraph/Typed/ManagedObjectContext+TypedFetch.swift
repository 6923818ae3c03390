public import Foundation
public import Query
import Schema

extension ManagedObjectContext {
    /// Creates a fetch request for objects of a class: of the entity that the class is registered
    /// for, and of its sub-entities.
    ///
    /// - Parameter prefetching: Relationships whose objects are fetched, too, with one query each.
    ///   Longer key paths can be set by name in
    ///   ``FetchRequest/relationshipKeyPathsForPrefetching``.
    /// - Throws: ``GraphError`` with code `unknownEntity` for a class that is registered for no
    ///   entity, or for several without a common one; `unknownKey` for a key path that is not a
    ///   property of the entity.
    public func request<Object: ManagedObject>(
        for objectClass: Object.Type, where condition: EntityCondition<Object>? = nil,
        sort order: [EntityOrder<Object>] = [], offset: Int = 0, limit: Int = 0,
        prefetching: [PartialKeyPath<Object>] = []
    ) throws -> FetchRequest<Object> {
        var request = FetchRequest<Object>(
            try registry.entityName(of: objectClass), condition?.predicate, order.map(\.sortKey), limit: limit)
        request.relationshipKeyPathsForPrefetching = try prefetching.map { try fetching.name(of: $0, request) }
        request.fetchOffset = offset
        return request
    }

    /// Fetches the objects of a class that satisfy a condition. Unsaved changes are taken into
    /// account.
    ///
    /// ```swift
    /// let books = try context.fetch(Book.self, where: \.pages > 300 && \.genre == .novel, sort: [.ascending(\.title), .descending(\.published)], limit: 20)
    /// ```
    /// - Parameter limit: The maximum number of results; 0 for all.
    /// - Parameter prefetching: Relationships whose objects are fetched, too, with one query each.
    /// - Throws: What ``request(for:where:sort:offset:limit:prefetching:)`` and `fetch(_:)`
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

    /// Fetches the objects of a class that satisfy a predicate of Foundation.
    ///
    /// ```swift
    /// let books = try context.fetch(Book.self, where: #Predicate { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)])
    /// ```
    /// - Throws: What ``fetch(_:where:sort:offset:limit:prefetching:)`` throws; ``QueryError`` for
    ///   a predicate that can't be translated.
    public func fetch<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>,
        sortBy descriptors: [SortDescriptor<Object>] = [], offset: Int = 0, limit: Int = 0
    ) throws -> [Object] {
        var request = try request(for: objectClass, offset: offset, limit: limit)
        request.predicate = try FetchPredicate(predicate)
        request.sortDescriptors = try descriptors.map { try SortKey($0) }
        return try fetch(request)
    }

    /// Fetches the first object of a class that satisfies a condition; nil if there is none.
    public func first<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil,
        sort order: [EntityOrder<Object>] = []
    ) throws -> Object? {
        try fetch(objectClass, where: condition, sort: order, limit: 1).first
    }

    /// Fetches the object of a class with a value of an attribute, or inserts a new object with
    /// that value.
    ///
    /// ```swift
    /// let tag = try context.findOrCreate(Tag.self, where: \.word, is: "new")
    /// ```
    /// Unsaved objects are found, too. If two contexts do this at the same time, there are two
    /// objects; a uniqueness constraint and a ``mergePolicy`` merge them when they are saved.
    ///
    /// - Throws: What ``fetch(_:where:sort:offset:limit:prefetching:)`` throws; ``GraphError`` with
    ///   code `abstractEntity`.
    public func findOrCreate<Object: ManagedObject, Value: PredicateArgument>(
        _ objectClass: Object.Type, where path: ReferenceWritableKeyPath<Object, Value>, is value: Value
    ) throws -> Object {
        if let found = try first(objectClass, where: path == value) { return found }
        let object = try GraphError.checked(insert(registry.entityName(of: objectClass)), objectClass)
        object[keyPath: path] = value
        return object
    }

    /// The number of objects of a class that satisfy a condition.
    public func count<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil
    ) throws -> Int {
        try count(for: request(for: objectClass, where: condition))
    }

    /// Deletes all objects of a class that satisfy a condition, and returns their number. The
    /// objects are fetched and deleted one by one, and the deletion can be undone.
    @discardableResult
    public func deleteAll<Object: ManagedObject>(
        _ objectClass: Object.Type, where condition: EntityCondition<Object>? = nil
    ) throws -> Int {
        try deletions.delete(fetch(objectClass, where: condition))
    }
}
