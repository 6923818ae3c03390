public import Query
public import Schema

// Members of a protocol's extension, so that a subclass of an application may have members of the
// same names.
extension KeyPathNaming where Self: ManagedObject {
    /// The value of a property, as with ``ManagedObject/value(forKey:)`` and
    /// ``ManagedObject/setValue(_:forKey:)``.
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        nonmutating set { setValue(newValue, forKey: key) }
    }

    /// The value of a property as a ``PropertyValue``, with objects as their IDs; fires a fault.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`, or `objectNotFound` for an object without a
    ///   context and for a fault that can't be fired; errors of the store.
    public func propertyValue(forKey key: String) throws -> PropertyValue {
        try keyed.propertyValue(forKey: key)
    }

    /// Sets a property from a ``PropertyValue``, with objects as their IDs.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`, `wrongType`, or `objectNotFound` if an ID
    ///   has no object; errors of the store.
    public func setPropertyValue(_ value: PropertyValue, forKey key: String) throws {
        try keyed.setPropertyValue(value, forKey: key)
    }

    /// The objects of a fetched property, in the order of its fetch request.
    ///
    /// The request is executed by every call, unsaved changes included; unlike in Core Data, the
    /// result is not cached. In its predicate, `$FETCH_SOURCE` is this object, and
    /// `$FETCHED_PROPERTY` the property, which has the keys `name` and `userInfo.key`.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`; errors of parsing the predicate and of
    ///   fetching.
    public func fetchedObjects(forKey key: String) throws -> [ManagedObject] {
        try checkContext()
        guard let property = keyed.fetchedProperty(named: key) else {
            throw GraphError.unknownKey(key, of: entity, kind: "fetched property")
        }
        return try context.fetching.fetchObjects(of: property, source: self)
    }
}

extension ManagedObject {
    /// Sets the values of several properties, as ``setValue(_:forKey:)`` does.
    public final func setValuesForKeys(_ values: [String: Any?]) {
        for (key, value) in values { setValue(value, forKey: key) }
    }

    /// The values of several properties, as ``value(forKey:)`` returns them.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any?] {
        Dictionary(keys.map { ($0, value(forKey: $0)) }, uniquingKeysWith: { first, _ in first })
    }
}
