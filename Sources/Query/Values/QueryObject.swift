package import Schema

/// An object as predicates and sort keys see it: an identity and values by key.
///
/// Both ways of asking give the same value: an attribute as `.scalar`, a to-one relationship as
/// `.object` or ``QueryValue/null``, a to-many relationship as `.collection` (empty, never nil) of
/// `.object`.
package protocol QueryObject: AnyObject {
    /// The identity that `.object` constants are compared with.
    var queryID: ManagedObjectID { get }

    /// The value of an attribute or a relationship.
    /// - Throws: ``QueryError`` with code `unknownKey` where the object has no such property; what
    ///   filling a fault throws.
    func queryValue(forKey key: String) throws -> QueryValue

    /// The value of the property with this `PropertyDescription.index` in the object's entity;
    /// predicates that were compiled for an entity ask this way.
    func queryValue(at propertyIndex: Int) throws -> QueryValue
}
