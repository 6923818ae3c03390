internal import DocumentFiles
internal import Foundation
internal import Migration
internal import ObjectGraph
internal import SQLiteStore
internal import Schema
internal import Storage

/// The steps of a staged migration, with handlers of the application between them.
///
/// They run on a copy of the store, which replaces the old one after the last step. An error or a
/// cancellation leaves the document unchanged.
struct StagedSteps {
    let steps: [StagedMigrationManager.Step]
    /// The classes of the objects that handlers see, by version.
    let classes: [(version: ManagedObjectModel, classes: [String: ManagedObject.Type])]

    /// Whether no step has a handler. Then the tables can be migrated by SQL.
    static func areInferred(_ steps: [StagedMigrationManager.Step]) -> Bool {
        steps.allSatisfy {
            switch $0.stage {
            case .lightweight, .custom(_, _, _, nil, nil): true
            case .custom: false
            }
        }
    }

    /// A description of each step, for people.
    var titles: [String] {
        steps.map { step in
            guard case .custom(let name, _, _, let before, let after) = step.stage else {
                return "bring the objects to the next version (\(step.stage.name))"
            }
            let work = [before.map { _ in "before" }, after.map { _ in "after" }].compactMap { $0 }.joined(
                separator: " and ")
            return "bring the objects to the next version, with work of the application's own \(work) it (\(name))"
        }
    }

    /// Migrates the closed SQLite store of a description to the last version.
    func run(_ description: PersistentStoreDescription, files: ExternalValues, progress: MigrationProgress?) throws {
        for step in steps {
            if case .custom(_, let old, _, let work?, _) = step.stage { try run(work, old, description, files) }
            try progress?.check()
            var work: ((ManagedObjectContext) throws -> Void)?
            if case .custom(_, _, _, _, let handler) = step.stage { work = handler }
            // The handler may still give the objects what the new version demands.
            try SQLitePersistentStore.migrate(
                description, [step.plan], files: files, checksRules: work == nil, progress: progress)
            if let work {
                try run(work, step.plan.destination, description, files)
                try SQLitePersistentStore.checkRules(description, after: step.plan)
            }
            try progress?.check()
        }
    }

    private func run(
        _ work: (ManagedObjectContext) throws -> Void, _ model: ManagedObjectModel,
        _ description: PersistentStoreDescription, _ files: ExternalValues
    ) throws {
        let declared = classes.first { $0.version.isCompatible(withVersionHashes: model.versionHashesByEntityName) }
        let model = declared?.version ?? model
        let store = try SQLitePersistentStore.open(description, model: model, files: files)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: model, classes: declared?.classes ?? [:], factories: [])
        coordinator.add(store)
        let result = Result { try work(ManagedObjectContext(coordinator)) }
        // This closes the store, too.
        try coordinator.removePersistentStores()
        try result.get()
    }
}
