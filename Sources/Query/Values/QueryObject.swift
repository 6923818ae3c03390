package import Schema

/// An object for the evaluation of predicates and sort keys: an ID and values by key.
///
/// Both methods return the same value: an attribute as `.scalar`, a to-one relationship as
/// `.object` or ``QueryValue/null``, and a to-many relationship as `.collection` (empty, never nil)
/// of `.object`.
package protocol QueryObject: AnyObject {
    /// The ID that `.object` constants are compared with.
    var queryID: ManagedObjectID { get }

    /// The value of an attribute or a relationship.
    /// - Throws: ``QueryError`` with code `unknownKey` if the object has no such property, and any
    ///   error of firing a fault.
    func queryValue(forKey key: String) throws -> QueryValue

    /// The value of the property with this `PropertyDescription.index` in the object's entity.
    /// Predicates that are compiled for an entity use this method.
    func queryValue(at propertyIndex: Int) throws -> QueryValue
}
