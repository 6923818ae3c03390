public import Query
public import Schema

extension ManagedObjectContext {
    /// Fetches all objects of an entity, sub-entities included, that match a predicate.
    ///
    /// - Throws: What `fetch(_:)` throws.
    public func all<Result: ManagedObject>(
        _ entityName: String, matching predicate: FetchPredicate? = nil, sortedBy sortKeys: [SortKey] = []
    ) throws -> [Result] {
        try fetch(FetchRequest<Result>(entityName, predicate, sortKeys))
    }

    /// Fetches the first object that matches a predicate; nil if there is none.
    ///
    /// - Throws: What `fetch(_:)` throws.
    public func first<Result: ManagedObject>(
        _ entityName: String, matching predicate: FetchPredicate? = nil, sortedBy sortKeys: [SortKey] = []
    ) throws -> Result? {
        try fetch(FetchRequest<Result>(entityName, predicate, sortKeys, limit: 1)).first
    }

    /// Fetches the object with a value of an attribute, or inserts a new object with that value.
    ///
    /// ```swift
    /// let tag = try context.findOrCreate("Tag", where: "word", is: .string("new"))
    /// ```
    public func findOrCreate(_ entityName: String, where key: String, is value: PropertyValue) throws -> ManagedObject {
        if let found: ManagedObject = try first(
            entityName, matching: .comparison(ComparisonPredicate(.keyPath(key), .equal, .constant(value))))
        {
            return found
        }
        let object = try insert(entityName)
        try object.setPropertyValue(value, forKey: key)
        return object
    }

    /// The number of objects of an entity, sub-entities included, that match a predicate.
    ///
    /// - Throws: What `count(for:)` throws.
    public func count(_ entityName: String, matching predicate: FetchPredicate? = nil) throws -> Int {
        try count(for: FetchRequest<ManagedObject>(entityName, predicate))
    }

    /// Deletes all objects of an entity that match a predicate, and returns their number. The
    /// objects are fetched and deleted one by one, and the deletion can be undone; a
    /// ``BatchDeleteRequest`` deletes in the store without reading.
    @discardableResult
    public func deleteAll(_ entityName: String, matching predicate: FetchPredicate? = nil) throws -> Int {
        try deletions.delete(all(entityName, matching: predicate))
    }

    /// Saves if there are changes, and returns whether there were.
    ///
    /// - Throws: What ``save()`` throws.
    @discardableResult
    public func saveIfChanged() throws -> Bool {
        guard hasChanges else { return false }
        try save()
        return true
    }
}

// A member of a protocol's extension, so that a subclass of an application may have one of the same
// name.
extension KeyPathNaming where Self: ManagedObject {
    /// Marks the object for deletion, as ``ManagedObjectContext/delete(_:)`` does. Does nothing if
    /// the object has no context.
    public func delete() {
        managedObjectContext?.delete(self)
    }
}
