public import Schema

/// A value of an object that has to be unique, and that another object has too: a store can't hold
/// it until one of the two gives way.
///
/// An autosave keeps it beside the store's tables; there the object has its last value that fitted,
/// or none.
public struct PendingUniqueValue: Sendable, Hashable {
    public let objectID: ManagedObjectID
    public let propertyName: String
    /// A to-one relationship as the ID of its object.
    public let value: PropertyValue

    package init(objectID: ManagedObjectID, propertyName: String, value: PropertyValue) {
        self.objectID = objectID
        self.propertyName = propertyName
        self.value = value
    }
}
