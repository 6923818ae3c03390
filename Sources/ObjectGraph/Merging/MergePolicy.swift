/// What a save does about objects that are not in the store as they were read, and about unique
/// values that another object has.
public enum MergePolicyType: Int, Sendable, Hashable, CaseIterable {
    /// The save fails.
    case error = 0
    /// Property by property; where both sides changed one, the store's value stands.
    case mergeByPropertyStoreTrump = 1
    /// Property by property; where both sides changed one, the context's value is written.
    case mergeByPropertyObjectTrump = 2
    /// The whole object is written as the context has it; what changed in the store is lost.
    case overwrite = 3
    /// The context's changes to the object are dropped.
    case rollback = 4
}

/// Decides what a save does about conflicts.
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
/// Members of to-many relationships are merged as what came and what went. An object that was
/// deleted on one side: the policies in favor of the store accept the store's side, those in
/// favor of the object its own (it is made again, or deleted).
///
/// A new object with the unique values of a stored one becomes that object: under
/// `mergeByPropertyObjectTrump` and `overwrite` with all of its own values, nils included, under
/// `mergeByPropertyStoreTrump` with the stored ones where there are any. `rollback` drops the new
/// object. Of several new ones with the same values the one that was inserted last remains. Two
/// stored objects never become one: their save fails, or they keep the unique values that they had.
///
/// Subclass it, or use ``custom(_:adjusting:)``, for decisions of one's own. Overrides call super
/// with the closest policy, and may set values of the objects before or after that; these are what
/// the save writes.
open class MergePolicy {
    public let mergeType: MergePolicyType

    public init(merge type: MergePolicyType) {
        mergeType = type
    }

    /// Makes the objects of `context` such that they can be saved, or throws. Called by a save
    /// before ``resolve(constraintConflicts:in:)``, and again if the store changes meanwhile.
    /// - Throws: with type `error`, ``GraphError`` with code `conflict` and all conflicts; what
    ///   reading the store throws.
    open func resolve(optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext) throws {
        guard mergeType != .error else { throw GraphError.conflict(conflicts) }
        try context.settler.resolve(conflicts, by: mergeType)
    }

    /// Makes the objects of `context` such that their unique values can be saved, or throws.
    ///
    /// ``resolve(optimisticLockingConflicts:in:)`` is not asked about an object that a new one has
    /// become. What has to be computed anew of both is computed here:
    /// ```swift
    /// override func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext) throws {
    ///     try super.resolve(constraintConflicts: conflicts, in: context)
    ///     for conflict in conflicts {
    ///         guard let merged = conflict.databaseObject(in: context) else { continue }
    ///         merged["total"] = total(of: merged, stored: conflict.databaseSnapshot, new: conflict.conflictingSnapshots)
    ///     }
    /// }
    /// ```
    /// - Throws: with type `error`, and where two stored objects would have to become one,
    ///   ``GraphError`` with code `constraint` and all conflicts.
    open func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext) throws {
        guard mergeType != .error else { throw GraphError.constraint(conflicts) }
        try context.settler.resolve(conflicts, by: mergeType)
    }

    /// The save fails, and nothing is written.
    public static var error: MergePolicy { MergePolicy(merge: .error) }
    /// Property by property; the store's value stands where both sides changed one.
    public static var mergeByPropertyStoreTrump: MergePolicy { MergePolicy(merge: .mergeByPropertyStoreTrump) }
    /// Property by property; the context's value is written where both sides changed one.
    public static var mergeByPropertyObjectTrump: MergePolicy { MergePolicy(merge: .mergeByPropertyObjectTrump) }
    /// Whole objects are written as the context has them.
    public static var overwrite: MergePolicy { MergePolicy(merge: .overwrite) }
    /// The context's changes to objects in conflict are dropped.
    public static var rollback: MergePolicy { MergePolicy(merge: .rollback) }

    /// A policy that merges as `base` does and then lets `adjust` set values of each object that
    /// was in conflict with the store.
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
