public import Schema

/// A value that violates a uniqueness constraint because another object has the same value. The
/// store can't store it until one of the two changes.
///
/// An autosave stores such values outside of the entity tables, where the object keeps its last
/// valid value, or none.
public struct PendingUniqueValue: Sendable, Hashable {
    /// The object with the value.
    public let objectID: ManagedObjectID
    /// The name of the property.
    public let propertyName: String
    /// The value; for a to-one relationship, the ID of its object.
    public let value: PropertyValue

    package init(objectID: ManagedObjectID, propertyName: String, value: PropertyValue) {
        self.objectID = objectID
        self.propertyName = propertyName
        self.value = value
    }
}
