public import Schema

/// A conflict of optimistic locking: an object that was changed in a context and, since it was
/// read, in the store, too.
///
/// Snapshots contain attributes, and to-one relationships as object IDs. Unlike in Core Data, there
/// is no cached snapshot of a coordinator: the store has the latest values. ``sourceObject(in:)``
/// returns the object.
public struct MergeConflict: Sendable, Hashable {
    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The version that the context read.
    public let oldVersion: Int64
    /// The version in the store; 0 if the object was deleted.
    public let newVersion: Int64
    /// The values that the context read.
    public let objectSnapshot: [String: PropertyValue]
    /// The values in the store; nil if the object was deleted, or could not be read again.
    public let persistedSnapshot: [String: PropertyValue]?

    /// Creates a conflict between states that object versions don't distinguish.
    package init(
        objectID: ManagedObjectID, objectSnapshot: [String: PropertyValue], persistedSnapshot: [String: PropertyValue]?
    ) {
        self.init(
            objectID: objectID, oldVersion: 0, newVersion: 0, objectSnapshot: objectSnapshot,
            persistedSnapshot: persistedSnapshot)
    }

    init(
        objectID: ManagedObjectID, oldVersion: Int64, newVersion: Int64, objectSnapshot: [String: PropertyValue],
        persistedSnapshot: [String: PropertyValue]?
    ) {
        self.objectID = objectID
        self.oldVersion = oldVersion
        self.newVersion = newVersion
        self.objectSnapshot = objectSnapshot
        self.persistedSnapshot = persistedSnapshot
    }
}

/// A conflict of a uniqueness constraint: several objects have the same values.
///
/// There is one conflict for each set of values, between several objects of the context, or between
/// one of them and an object in the store.
public struct ConstraintConflict: Sendable, Hashable {
    /// The name of the entity that declares the constraint.
    public let entityName: String
    /// The names of the properties whose values together must be unique.
    public let constraint: [String]
    /// The values that are not unique, by the names of their properties.
    public let constraintValues: [String: PropertyValue]
    /// The ID of the object in the store with the values; nil if the conflict is within the
    /// context.
    public let databaseObjectID: ManagedObjectID?
    /// The values of the object in the store; nil if the conflict is within the context.
    public let databaseSnapshot: [String: PropertyValue]?
    /// The IDs of the objects of the context with the values, in the order of their changes.
    public let conflictingObjectIDs: [ManagedObjectID]
    /// The values of these objects, in the same order.
    public let conflictingSnapshots: [[String: PropertyValue]]

    /// A conflict of no objects.
    package static let none = ConstraintConflict(
        entityName: "", constraint: [], constraintValues: [:], databaseObjectID: nil, databaseSnapshot: nil,
        conflictingObjectIDs: [], conflictingSnapshots: [])

    package init(
        entityName: String, constraint: [String], constraintValues: [String: PropertyValue],
        databaseObjectID: ManagedObjectID?, databaseSnapshot: [String: PropertyValue]?,
        conflictingObjectIDs: [ManagedObjectID], conflictingSnapshots: [[String: PropertyValue]]
    ) {
        self.entityName = entityName
        self.constraint = constraint
        self.constraintValues = constraintValues
        self.databaseObjectID = databaseObjectID
        self.databaseSnapshot = databaseSnapshot
        self.conflictingObjectIDs = conflictingObjectIDs
        self.conflictingSnapshots = conflictingSnapshots
    }
}
