public import Foundation
import ObjectGraph
public import Schema

/// How a save resolves conflicts. The raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// By property; the store's value where both changed.
    case mergeByPropertyStoreTrumpMergePolicyType
    /// By property; the context's value where both changed.
    case mergeByPropertyObjectTrumpMergePolicyType
    /// The context's objects overwrite the store's.
    case overwriteMergePolicyType
    /// The context's changes are discarded.
    case rollbackMergePolicyType
}

/// Resolves the conflicts that a save finds.
// Sendable as on Apple's platforms: its only state is a constant. A subclass that has more keeps it
// safe itself.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// The kind of resolution.
    open var mergeType: NSMergePolicyType { ownMergeType }
    private let ownMergeType: NSMergePolicyType

    /// Creates a policy.
    public init(merge ty: NSMergePolicyType) { ownMergeType = ty }

    /// The save fails.
    public class var error: NSMergePolicy { NSMergePolicy(merge: .errorMergePolicyType) }
    /// By property; the store's value where both changed.
    public class var mergeByPropertyStoreTrump: NSMergePolicy {
        NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    }
    /// By property; the context's value where both changed.
    public class var mergeByPropertyObjectTrump: NSMergePolicy {
        NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }
    /// The context's objects overwrite the store's.
    public class var overwrite: NSMergePolicy { NSMergePolicy(merge: .overwriteMergePolicyType) }
    /// The context's changes are discarded.
    public class var rollback: NSMergePolicy { NSMergePolicy(merge: .rollbackMergePolicyType) }

    /// The policy for Folio, which knows the kinds by the same numbers.
    private var folio: MergePolicy { MergePolicy(merge: MergePolicyType(rawValue: Int(mergeType.rawValue)) ?? .error) }

    /// Resolves conflicts of either kind.
    ///
    /// - Throws: What the save throws.
    open func resolve(mergeConflicts list: [Any]) throws {
        let locking = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !locking.isEmpty { try resolve(optimisticLockingConflicts: locking) }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Changes the objects of the context so that they can be saved, or throws.
    ///
    /// - Throws: For the type `error`, an error of Cocoa's domain.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard let context = list.first?.context else { return }
        try translatingErrors(in: context) {
            try folio.resolve(optimisticLockingConflicts: list.map(\.folio), in: context)
        }
    }

    /// Changes the objects of the context so that their values are unique, or throws.
    ///
    /// - Throws: For the type `error`, an error of Cocoa's domain.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard let context = list.first?.context else { return }
        try translatingErrors(in: context) {
            try folio.resolve(constraintConflicts: list.map(\.folio), in: context)
        }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMergePolicy else { return false }
        return self === other
            || (type(of: self) == NSMergePolicy.self && type(of: other) == NSMergePolicy.self
                && mergeType == other.mergeType)
    }

    open override var hash: Int { mergeType.hashValue }
}

/// The policy by which a save with conflicts fails.
public let NSErrorMergePolicy: NSMergePolicy = NSMergePolicy(merge: .errorMergePolicyType)
/// The policy that merges by property and prefers the store.
public let NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy = NSMergePolicy(
    merge: .mergeByPropertyStoreTrumpMergePolicyType)
/// The policy that merges by property and prefers the context.
public let NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy = NSMergePolicy(
    merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// The policy that overwrites the store's objects.
public let NSOverwriteMergePolicy: NSMergePolicy = NSMergePolicy(merge: .overwriteMergePolicyType)
/// The policy that discards the context's changes.
public let NSRollbackMergePolicy: NSMergePolicy = NSMergePolicy(merge: .rollbackMergePolicyType)

/// A policy of Core Data's shape as one of Folio's.
final class PolicyAdapter: MergePolicy {
    private let policy: NSMergePolicy

    private init(_ policy: NSMergePolicy) {
        self.policy = policy
        super.init(merge: MergePolicyType(rawValue: Int(policy.mergeType.rawValue)) ?? .error)
    }

    /// The policy that a context's `mergePolicy` means. Traps for what is none.
    static func policy(of value: Any) -> MergePolicy {
        if let own = value as? MergePolicy { return own }
        guard let policy = value as? NSMergePolicy else {
            preconditionFailure("A merge policy is an NSMergePolicy, not a \(type(of: value))")
        }
        return PolicyAdapter(policy)
    }

    override func resolve(optimisticLockingConflicts conflicts: [MergeConflict], in context: ManagedObjectContext)
        throws
    {
        try policy.resolve(optimisticLockingConflicts: conflicts.map { NSMergeConflict($0, context) })
    }

    override func resolve(constraintConflicts conflicts: [ConstraintConflict], in context: ManagedObjectContext) throws
    {
        try policy.resolve(constraintConflicts: conflicts.map { NSConstraintConflict($0, context) })
    }
}

/// An object that changed in a context and, since it was read, in the store.
open class NSMergeConflict: NSObject {
    let folio: MergeConflict
    let context: ManagedObjectContext?

    init(_ conflict: MergeConflict, _ context: ManagedObjectContext?) {
        folio = conflict
        self.context = context
    }

    /// Creates a conflict of no object.
    public convenience override init() {
        self.init(MergeConflict(objectID: NSManagedObjectID(), objectSnapshot: [:], persistedSnapshot: nil), nil)
    }

    /// The object of the context whose save found the conflict, also after the save. Traps for a
    /// conflict that an application made without a context.
    open var sourceObject: NSManagedObject {
        guard let context else { preconditionFailure("The conflict has no context: use objectID") }
        return NSManagedObjectContext.of(context).object(with: folio.objectID)
    }
    /// The ID of the object.
    open var objectID: NSManagedObjectID { folio.objectID }
    /// The values that the context read.
    open var objectSnapshot: [String: Any]? { Self.plain(folio.objectSnapshot) }
    /// The values that a coordinator remembers. Folio's remembers none: the store's.
    open var cachedSnapshot: [String: Any]? { persistedSnapshot }
    /// The values in the store; nil if the object was deleted.
    open var persistedSnapshot: [String: Any]? { folio.persistedSnapshot.map(Self.plain) }
    /// The version in the store; 0 if the object was deleted.
    open var newVersionNumber: Int { Int(folio.newVersion) }
    /// The version that the context read.
    open var oldVersionNumber: Int { Int(folio.oldVersion) }

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
    }

    /// Creates a conflict of no objects.
    public convenience override init() { self.init(.none, nil) }

    /// The names of the attributes.
    open var constraint: [String] { folio.constraint }
    /// The values.
    open var constraintValues: [String: Any] { NSMergeConflict.plain(folio.constraintValues) }
    /// The object in the store that has the values; nil for a conflict within the context.
    open var databaseObject: NSManagedObject? {
        context.flatMap { context in
            folio.databaseObjectID.map { NSManagedObjectContext.of(context).object(with: $0) }
        }
    }
    /// The values of the object in the store.
    open var databaseSnapshot: [String: Any]? { folio.databaseSnapshot.map(NSMergeConflict.plain) }
    /// The objects of the context that have the values.
    open var conflictingObjects: [NSManagedObject] {
        context.map { folio.conflictingObjects(in: $0).compactMap { $0 as? NSManagedObject } } ?? []
    }
    /// The values of these objects.
    open var conflictingSnapshots: [[AnyHashable: Any]] {
        folio.conflictingSnapshots.map { NSMergeConflict.plain($0) }
    }
}
