package import Foundation
public import ObjectGraph
public import Schema
package import Storage

/// A stage of a ``StagedMigrationManager``: one or more steps from an old version of the model to a
/// newer one.
public enum MigrationStage {
    /// A sequence of versions, each of which can be inferred from the one before. The name is used
    /// in messages.
    case lightweight(String, [ManagedObjectModel])
    /// One inferred step with custom work before and after it.
    ///
    /// `willMigrate` gets a context with the store in the old version, for example to set values
    /// that the new version requires. `didMigrate` gets a context in the new version, for example
    /// to use values that the next stage removes. The handlers must save their context.
    case custom(
        String, from: ManagedObjectModel, to: ManagedObjectModel, willMigrate: ((ManagedObjectContext) throws -> Void)?,
        didMigrate: ((ManagedObjectContext) throws -> Void)?)

    /// The name of the stage, for people.
    public var name: String {
        switch self {
        case .lightweight(let name, _), .custom(let name, _, _, _, _): name
        }
    }

    /// The versions of the stage, in order.
    public var versions: [ManagedObjectModel] {
        switch self {
        case .lightweight(_, let versions): versions
        case .custom(_, let old, let new, _, _): [old, new]
        }
    }
}

/// Migrates stores of any old version to the newest version, stage by stage.
///
/// ```swift
/// let manager = try StagedMigrationManager([
///     .lightweight("names", [v1, v2]),
///     .custom("prices", from: v2, to: v3, willMigrate: { context in … try context.save() }, didMigrate: nil),
/// ])
/// ```
/// Stages are validated when the manager is created: every step must be inferable, and each stage
/// must begin with the last version of the stage before it.
public struct StagedMigrationManager {
    /// The stages, the oldest version first.
    public let stages: [MigrationStage]

    /// One step of a stage.
    package struct Step {
        package let stage: MigrationStage
        package let plan: MigrationPlan
    }

    private let steps: [Step]
    /// The classes of the objects that handlers get, by version, for versions that declare their
    /// classes.
    package var versionClasses: [(version: ManagedObjectModel, classes: [String: ManagedObject.Type])] = []

    /// Creates a manager.
    ///
    /// - Throws: ``MigrationError`` with code `notInferable` and the obstacles of a step that can't
    ///   be inferred; `invalidMapping` if the stages don't form a sequence.
    public init(_ stages: [MigrationStage]) throws(MigrationError) {
        self.stages = stages
        var steps: [Step] = []
        var last: ManagedObjectModel?
        for stage in stages {
            guard let first = stage.versions.first else {
                throw MigrationError(.invalidMapping, "The stage “\(stage.name)” names no version")
            }
            if let last, !first.isCompatible(withVersionHashes: last.versionHashesByEntityName) {
                // An inferred step connects the last version of a stage with the first version of
                // the next stage.
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

    /// The last version of the last stage; nil without stages.
    public var newestVersion: ManagedObjectModel? { stages.last?.versions.last }

    /// The remaining steps for a store with these version hashes; none if it has the newest
    /// version.
    /// - Throws: ``MigrationError`` `missingModel` if no stage contains the version.
    package func steps(fromVersionHashes hashes: [String: Data]) throws(MigrationError) -> [Step] {
        if newestVersion?.isCompatible(withVersionHashes: hashes) == true { return [] }
        guard let index = steps.firstIndex(where: { $0.plan.source.isCompatible(withVersionHashes: hashes) }) else {
            throw MigrationError(.missingModel, "No stage begins with the version that the store was written with")
        }
        return Array(steps[index...])
    }
}
