/// The resolution of conflicts by a save: of objects that changed in the store since they were
/// read, and of values that violate a uniqueness constraint.
public enum MergePolicyType: Int, Sendable, Hashable, CaseIterable {
    /// The save fails.
    case error = 0
    /// Changes are merged by property. If both sides changed a property, the store's value is kept.
    case mergeByPropertyStoreTrump = 1
    /// Changes are merged by property. If both sides changed a property, the context's value is
    /// written.
    case mergeByPropertyObjectTrump = 2
    /// The whole object is written with the context's values. Changes in the store are overwritten.
    case overwrite = 3
    /// The context's changes of the object are discarded.
    case rollback = 4
}

/// Resolves the conflicts that a save finds.
///
/// ```swift
/// context.mergePolicy = .mergeByPropertyObjectTrump
/// ```
/// | | changed here | changed in the store | changed in both |
/// |---|---|---|---|
/// | ``error`` | save fails | save fails | save fails |
/// | ``mergeByPropertyStoreTrump`` | written | kept | the store's value |
/// | ``mergeByPropertyObjectTrump`` | written | kept | the context's value |
/// | ``overwrite`` | written | the value that was read is written back | the context's value |
/// | ``rollback`` | dropped | kept | the store's value |
///
/// To-many relationships are merged as additions and removals of members. If an object was deleted
/// on one side, the policies that prefer the store accept the store's state, and those that prefer
/// the object apply the context's: the object is inserted again, or deleted.
///
/// If a new object has the unique values of a stored object, the two are merged into the stored
/// one. Under `mergeByPropertyObjectTrump` and `overwrite`, it gets all values of the new object,
/// nil included; under `mergeByPropertyStoreTrump`, it keeps the stored values that are not nil.
/// Under `rollback`, the new object is discarded. Of several new objects with the same values, the
/// one inserted last is kept. Two stored objects are never merged: the save fails, or they keep
/// their previous unique values.
///
/// For other decisions, use ``custom(_:adjusting:)`` or a subclass. Overrides call super with the
/// closest policy, and may set values of the objects before or after that; the save writes these
/// values.
open class MergePolicy {
    /// The kind of resolution.
    public let mergeType: MergePolicyType

    /// Creates a policy.
    public init(merge type: MergePolicyType) {
        mergeType = type
    }

    /// Changes the objects of the context so that they can be saved, or throws. Called by a save
    /// before ``resolve(constraintConflicts:in:)``, and again if the store changes meanwhile.
    ///
    /// - Throws: For the type `error`, ``GraphError`` with code `conflict` and all conflicts;
    ///   errors of reading the store.
    open func resolve(optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext) throws {
        guard mergeType != .error else { throw GraphError.conflict(conflicts) }
        try context.settler.resolve(conflicts, by: mergeType)
    }

    /// Changes the objects of the context so that their values are unique, or throws.
    ///
    /// ``resolve(optimisticLockingConflicts:in:)`` is not called for an object that a new object
    /// was merged into. Values that depend on both objects are computed here:
    /// ```swift
    /// override func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext) throws {
    ///     try super.resolve(constraintConflicts: conflicts, in: context)
    ///     for conflict in conflicts {
    ///         guard let merged = conflict.databaseObject(in: context) else { continue }
    ///         merged["total"] = total(of: merged, stored: conflict.databaseSnapshot, new: conflict.conflictingSnapshots)
    ///     }
    /// }
    /// ```
    /// - Throws: For the type `error`, and if two stored objects would have to be merged,
    ///   ``GraphError`` with code `constraint` and all conflicts.
    open func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext) throws {
        guard mergeType != .error else { throw GraphError.constraint(conflicts) }
        try context.settler.resolve(conflicts, by: mergeType)
    }

    /// The save fails, and nothing is written.
    public static var error: MergePolicy { MergePolicy(merge: .error) }
    /// Changes are merged by property; if both sides changed a property, the store's value is kept.
    public static var mergeByPropertyStoreTrump: MergePolicy { MergePolicy(merge: .mergeByPropertyStoreTrump) }
    /// Changes are merged by property; if both sides changed a property, the context's value is
    /// written.
    public static var mergeByPropertyObjectTrump: MergePolicy { MergePolicy(merge: .mergeByPropertyObjectTrump) }
    /// The whole object is written with the context's values.
    public static var overwrite: MergePolicy { MergePolicy(merge: .overwrite) }
    /// The context's changes of objects in conflict are discarded.
    public static var rollback: MergePolicy { MergePolicy(merge: .rollback) }

    /// A policy that resolves conflicts like a standard one, and then lets a function set values of
    /// each object that was in conflict with the store.
    ///
    /// ```swift
    /// context.mergePolicy = .custom(.mergeByPropertyObjectTrump) { conflict, account in
    ///     // Two deposits add up.
    ///     guard case .int(let read)? = conflict.objectSnapshot["balance"], case .int(let stored)? = conflict.persistedSnapshot?["balance"] else { return }
    ///     account["balance"] = (account["balance"] as? Int ?? 0) + Int(stored - read)
    /// }
    /// ```
    public static func custom(
        _ base: MergePolicyType, adjusting adjust: @escaping (MergeConflict, ManagedObject) throws -> Void
    ) -> MergePolicy {
        AdjustingMergePolicy(base, adjust)
    }
}

private final class AdjustingMergePolicy: MergePolicy {
    private let adjust: (MergeConflict, ManagedObject) throws -> Void

    init(_ base: MergePolicyType, _ adjust: @escaping (MergeConflict, ManagedObject) throws -> Void) {
        self.adjust = adjust
        super.init(merge: base)
    }

    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext)
        throws
    {
        try super.resolve(optimisticLockingConflicts: conflicts, in: context)
        for conflict in conflicts {
            if let object = context.registeredObject(for: conflict.objectID), !object.isDeleted {
                try adjust(conflict, object)
            }
        }
    }
}
