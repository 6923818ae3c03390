public import Schema

/// An object that was changed here and, since it was read, in the store too.
///
/// The object itself is ``sourceObject(in:)``. Snapshots hold attributes, and to-one relationships
/// as object IDs. There is no cache between contexts and stores, so there is no third snapshot of
/// one.
public struct MergeConflict: Sendable, Hashable {
    public let objectID: ManagedObjectID
    /// The version that the context had read.
    public let oldVersion: Int64
    /// The version in the store, 0 if the object is gone.
    public let newVersion: Int64
    /// What the context had read.
    public let objectSnapshot: [String: PropertyValue]
    /// What the store has now; nil if the object is gone, or could not be read again.
    public let persistedSnapshot: [String: PropertyValue]?

    /// A conflict of states that no versions of objects tell apart.
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

/// Unique values that more than one object has.
///
/// One conflict for each set of values: between several objects of the context, or between one of
/// them and an object in the store.
public struct ConstraintConflict: Sendable, Hashable {
    /// The entity that declares the constraint.
    public let entityName: String
    /// The properties whose values together have to be unique.
    public let constraint: [String]
    public let constraintValues: [String: PropertyValue]
    /// The object in the store that has the values; nil where the conflict is within the context.
    public let databaseObjectID: ManagedObjectID?
    public let databaseSnapshot: [String: PropertyValue]?
    /// The objects of the context that have the values, in the order of their changes.
    public let conflictingObjectIDs: [ManagedObjectID]
    public let conflictingSnapshots: [[String: PropertyValue]]
}
