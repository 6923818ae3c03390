package import Foundation
public import ObjectGraph
public import Schema
package import Storage

/// One stage on the way from an old version to the newest.
public enum MigrationStage {
    /// Versions of which each follows from the one before it by inference. With a name for
    /// messages.
    case lightweight(String, [ManagedObjectModel])
    /// One inferred step with work before and after it: typically values are filled in by
    /// `willMigrate` that the new version demands, or old ones used by `didMigrate` that are gone
    /// in the next stage. The handlers get a context on the store, in the old and in the new
    /// version, and save it themselves.
    case custom(
        String, from: ManagedObjectModel, to: ManagedObjectModel, willMigrate: ((ManagedObjectContext) throws -> Void)?,
        didMigrate: ((ManagedObjectContext) throws -> Void)?)

    /// For a person to read.
    public var name: String {
        switch self {
        case .lightweight(let name, _), .custom(let name, _, _, _, _): name
        }
    }

    /// The versions that the stage leads through, in their order.
    public var versions: [ManagedObjectModel] {
        switch self {
        case .lightweight(_, let versions): versions
        case .custom(_, let old, let new, _, _): [old, new]
        }
    }
}

/// Leads stores of any old version to the newest, stage by stage.
///
/// ```swift
/// let manager = try StagedMigrationManager([
///     .lightweight("names", [v1, v2]),
///     .custom("prices", from: v2, to: v3, willMigrate: { context in … try context.save() }, didMigrate: nil),
/// ])
/// ```
/// Stages are checked when the manager is made: every step can be inferred, and each stage begins
/// with the version that the one before ends with.
public struct StagedMigrationManager {
    /// As they were given, the oldest version first.
    public let stages: [MigrationStage]

    /// One step of a stage.
    package struct Step {
        package let stage: MigrationStage
        package let plan: MigrationPlan
    }

    private let steps: [Step]
    /// The classes of the objects that handlers see, by version, where the versions say them
    /// themselves.
    package var versionClasses: [(version: ManagedObjectModel, classes: [String: ManagedObject.Type])] = []

    /// - Throws: ``MigrationError``: `notInferable` with what keeps a step from being inferred;
    ///   `invalidMapping` where stages don't follow one another.
    public init(_ stages: [MigrationStage]) throws(MigrationError) {
        self.stages = stages
        var steps: [Step] = []
        var last: ManagedObjectModel?
        for stage in stages {
            guard let first = stage.versions.first else {
                throw MigrationError(.invalidMapping, "The stage “\(stage.name)” names no version")
            }
            if let last, !first.isCompatible(withVersionHashes: last.versionHashesByEntityName) {
                // From the version that one stage ends with to that which the next begins with.
                steps.append(
                    Step(
                        stage: .lightweight(stage.name, [last, first]),
                        plan: try Self.plan(from: last, to: first, stage)))
            }
            for (old, new) in zip(stage.versions, stage.versions.dropFirst())
            where !new.isCompatible(withVersionHashes: old.versionHashesByEntityName) {
                steps.append(Step(stage: stage, plan: try Self.plan(from: old, to: new, stage)))
            }
            last = stage.versions.last
        }
        self.steps = steps
    }

    private static func plan(from old: ManagedObjectModel, to new: ManagedObjectModel, _ stage: MigrationStage)
        throws(MigrationError) -> MigrationPlan
    {
        do {
            return try MigrationPlan.inferred(from: old, to: new)
        } catch {
            throw MigrationError(
                .notInferable, "A step of the stage “\(stage.name)” can't be inferred", obstacles: error.obstacles,
                underlying: error)
        }
    }

    /// The version that all stages lead to; nil where there are none.
    public var newestVersion: ManagedObjectModel? { stages.last?.versions.last }

    /// The steps that are left for a store with these version hashes: none for one of the newest
    /// version.
    /// - Throws: ``MigrationError`` `missingModel` where no stage knows the version.
    package func steps(fromVersionHashes hashes: [String: Data]) throws(MigrationError) -> [Step] {
        if newestVersion?.isCompatible(withVersionHashes: hashes) == true { return [] }
        guard let index = steps.firstIndex(where: { $0.plan.source.isCompatible(withVersionHashes: hashes) }) else {
            throw MigrationError(.missingModel, "No stage begins with the version that the store was written with")
        }
        return Array(steps[index...])
    }
}
