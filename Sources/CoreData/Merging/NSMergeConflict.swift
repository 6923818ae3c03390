public import Foundation
import ObjectGraph
public import Schema

/// An object that changed in a context and, since it was read, in the store.
///
/// Where contexts of the same coordinator changed it, ``cachedSnapshot`` has the newer values and
/// ``persistedSnapshot`` is nil. Where somebody else changed the store, that has the newer values,
/// and the cached ones are those that the coordinator had read.
open class NSMergeConflict: NSObject {
    let folio: MergeConflict
    let context: ManagedObjectContext?
    private let source: NSManagedObject?
    private let isWithinCoordinator: Bool
    private let versions: (new: Int, old: Int)

    init(_ conflict: MergeConflict, _ context: ManagedObjectContext?) {
        folio = conflict
        self.context = context
        versions = (Int(conflict.newVersion), Int(conflict.oldVersion))
        source = context?.object(with: conflict.objectID) as? NSManagedObject
        let own = context.flatMap { NSManagedObjectContext.of($0).persistentStoreCoordinator }
        isWithinCoordinator = own?.hasChanged(conflict.objectID) ?? false
    }

    /// Creates a conflict of no object.
    public convenience override init() {
        self.init(MergeConflict(objectID: NSManagedObjectID(), objectSnapshot: [:], persistedSnapshot: nil), nil)
    }

    /// Creates a conflict, as a store of an application's own finds it.
    ///
    /// - Parameters:
    ///   - srcObject: The object that can't be saved.
    ///   - newvers: The version in the store; 0 if the object was deleted.
    ///   - oldvers: The version that the context read.
    ///   - cachesnap: The values of the coordinator.
    ///   - persnap: The values of the store; nil for a conflict between contexts of a coordinator.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        source = srcObject
        context = srcObject.owningContext
        versions = (newvers, oldvers)
        isWithinCoordinator = persnap == nil
        folio = MergeConflict(
            objectID: srcObject.objectID, objectSnapshot: Self.kept(srcObject.committedValues(forKeys: nil)),
            persistedSnapshot: (persnap ?? cachesnap).map { Self.kept($0) })
    }

    /// The object of the context whose save found the conflict, also after the save. Traps for a
    /// conflict without a context.
    open var sourceObject: NSManagedObject {
        guard let source else { preconditionFailure("The conflict has no context: use objectID") }
        return source
    }
    /// The ID of the object.
    open var objectID: NSManagedObjectID { folio.objectID }
    /// The values that the context read.
    open var objectSnapshot: [String: Any]? { Self.plain(folio.objectSnapshot) }
    /// The values that the coordinator has: the newer ones if one of its contexts saved them; nil
    /// if it deleted the object.
    open var cachedSnapshot: [String: Any]? { isWithinCoordinator ? newer : objectSnapshot }
    /// The values in the store if somebody else changed it; nil otherwise, and if the object was
    /// deleted.
    open var persistedSnapshot: [String: Any]? { isWithinCoordinator ? nil : newer }
    private var newer: [String: Any]? { folio.persistedSnapshot.map(Self.plain) }
    /// The version in the store; 0 if the object was deleted.
    open var newVersionNumber: Int { versions.new }
    /// The version that the context read.
    open var oldVersionNumber: Int { versions.old }

    fileprivate static func kept(_ values: [String: Any]) -> [String: PropertyValue] {
        values.compactMapValues { BridgedValue.propertyValue($0) }
    }

    static func plain(_ values: [String: PropertyValue]) -> [String: Any] {
        values.mapValues { BridgedValue.plain($0, in: nil) ?? NSNull() }
    }
}

/// Several objects with the same values of a uniqueness constraint.
open class NSConstraintConflict: NSObject {
    let folio: ConstraintConflict
    let context: ManagedObjectContext?

    init(_ conflict: ConstraintConflict, _ context: ManagedObjectContext?) {
        folio = conflict
        self.context = context
        conflictingObjects =
            context.map { conflict.conflictingObjects(in: $0).compactMap { $0 as? NSManagedObject } } ?? []
        databaseObject = context.flatMap { conflict.databaseObject(in: $0) as? NSManagedObject }
    }

    /// Creates a conflict of no objects.
    public convenience override init() { self.init(.none, nil) }

    /// Creates a conflict, as a store of an application's own finds it.
    ///
    /// - Parameters:
    ///   - contraint: The names of the attributes.
    ///   - databaseObject: The object in the store that has the values; nil for a conflict within
    ///     the context.
    ///   - databaseSnapshot: Its values.
    ///   - conflictingObjects: The objects of the context that have the values.
    ///   - conflictingSnapshots: Their values, dictionaries.
    public init(
        constraint contraint: [String], databaseObject: NSManagedObject?, databaseSnapshot: [AnyHashable: Any]?,
        conflictingObjects: [NSManagedObject], conflictingSnapshots: [Any]
    ) {
        func kept(_ values: [AnyHashable: Any]) -> [String: PropertyValue] {
            NSMergeConflict.kept(
                Dictionary(values.map { ("\($0.key)", $0.value) }, uniquingKeysWith: { first, _ in first }))
        }
        context = (conflictingObjects.first ?? databaseObject)?.owningContext
        let snapshots = conflictingSnapshots.map { kept($0 as? [AnyHashable: Any] ?? [:]) }
        folio = ConstraintConflict(
            entityName: (conflictingObjects.first ?? databaseObject)?.modelEntity.name ?? "", constraint: contraint,
            constraintValues: (snapshots.first ?? [:]).filter { contraint.contains($0.key) },
            databaseObjectID: databaseObject?.objectID, databaseSnapshot: databaseSnapshot.map(kept),
            conflictingObjectIDs: conflictingObjects.map(\.objectID), conflictingSnapshots: snapshots)
        self.conflictingObjects = conflictingObjects
        self.databaseObject = databaseObject
    }

    /// The names of the attributes.
    open var constraint: [String] { folio.constraint }
    /// The values.
    open var constraintValues: [String: Any] { NSMergeConflict.plain(folio.constraintValues) }
    /// The object in the store that has the values; nil for a conflict within the context.
    public let databaseObject: NSManagedObject?
    /// The values of the object in the store; nil for a conflict within the context.
    open var databaseSnapshot: [String: Any]? { folio.databaseSnapshot.map(NSMergeConflict.plain) }
    /// The objects of the context that have the values, also after the save.
    public let conflictingObjects: [NSManagedObject]
    /// The values of these objects.
    open var conflictingSnapshots: [[AnyHashable: Any]] {
        folio.conflictingSnapshots.map { NSMergeConflict.plain($0) }
    }
}
