package import Query
import RowMemory
package import Schema

extension ManagedObject: QueryObject {
    package final var queryID: ManagedObjectID { objectID }

    package final func queryValue(forKey key: String) throws -> QueryValue {
        try checkContext()
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            let nearest = NearestNames.nearest(to: key, among: shape.entity.properties.map(\.name))
            throw QueryError(
                .unknownKey, "\(shape.entity.name) has no property \"\(key)\"\(NearestNames.question(nearest))",
                entity: shape.entity.name, key: key)
        }
        return try queryValue(at: index)
    }

    package final func queryValue(at propertyIndex: Int) throws -> QueryValue {
        try fulfillFault()
        let context = self.context
        let shape = context.shapes[Int(entityIndex)]
        guard let relation = shape.relations[propertyIndex] else {
            return .scalar(row.value(shape.layout.slots[propertyIndex]))
        }
        if !relation.isToMany { return context.registry.target(self, relation.slot).map { .object($0) } ?? .null }
        let members = try context.members.membersOrThrow(self, relation)
        return .collection(members.map { .object($0) }, isOrdered: relation.isOrdered)
    }
}

// Fetched properties.
extension ManagedObject {
    /// The objects of a fetched property, in the order of its fetch request.
    ///
    /// The request is executed by every call, unsaved changes included; unlike in Core Data, the
    /// result is not cached. In its predicate, `$FETCH_SOURCE` is this object, and
    /// `$FETCHED_PROPERTY` the property, which has the keys `name` and `userInfo.key`.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`; errors of parsing the predicate and of
    ///   fetching.
    public final func fetchedObjects(forKey key: String) throws -> [ManagedObject] {
        try checkContext()
        guard let property = fetchedProperty(named: key) else {
            throw GraphError.unknownKey(key, of: entity, kind: "fetched property")
        }
        return try context.fetching.fetchObjects(of: property, source: self)
    }

    final func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
        entity.fetchedProperties.first { $0.name == name }
    }

    /// The objects of a fetched property, for an accessor that does not throw. Empty if the fetch
    /// fails; the next save then throws the error.
    final func fetchedObjectsOrNone(of property: FetchedPropertyDescription) -> [ManagedObject] {
        do {
            return try context.fetching.fetchObjects(of: property, source: self)
        } catch {
            context.noteLoadError(error)
            return []
        }
    }
}
