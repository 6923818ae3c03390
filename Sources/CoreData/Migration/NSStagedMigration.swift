public import Foundation
import Folio
import Migration
import ModelFiles
import ObjectGraph
import Schema
import Stack

/// A version of a model that a stage names: the model, or where it is.
open class NSManagedObjectModelReference: NSObject {
    private let model: NSManagedObjectModel?
    private let url: URL?
    /// The hash of the version.
    public let versionChecksum: String

    /// Refers to a model.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        self.model = model
        url = nil
        self.versionChecksum = versionChecksum
    }

    /// Refers to a model file.
    public init(fileURL: URL, versionChecksum: String) {
        model = nil
        url = fileURL
        self.versionChecksum = versionChecksum
    }

    /// Refers to a model of a bundle.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        model = nil
        url = ModelFinder.models(in: [bundle ?? .main]).first {
            $0.deletingPathExtension().lastPathComponent == modelName
        }
        self.versionChecksum = versionChecksum
    }

    /// Refers to the version of a model file that has a hash.
    public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        let hashes = versionHash as? [String: Data] ?? [:]
        model = NSManagedObjectModel.mergedModel(
            from: [bundle ?? .main], forStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
        url = nil
        self.versionChecksum = versionChecksum
    }

    /// The model. Traps where it can't be read.
    open var resolvedModel: NSManagedObjectModel {
        do { return try NSManagedObjectModel(try resolved()) } catch { preconditionFailure("\(error)") }
    }

    /// - Throws: `NSManagedObjectModelReferenceNotFoundError` where there is no model with the
    ///   checksum.
    func resolved() throws -> ManagedObjectModel {
        if let model {
            let compiled = model.compiled()
            guard compiled.versionChecksum == versionChecksum else {
                throw notFound("the model has the checksum \(compiled.versionChecksum)")
            }
            return compiled
        }
        guard let url else { throw notFound("there is no such model file") }
        let file = try ModelFile(contentsOf: url)
        for name in file.versionNames {
            let version = try file.model(version: name)
            if version.versionChecksum == versionChecksum { return version }
        }
        throw notFound("no version in \(url.lastPathComponent) has it")
    }

    private func notFound(_ why: String) -> any Error {
        CocoaErrors.made(
            NSManagedObjectModelReferenceNotFoundError,
            "The model with the checksum \(versionChecksum), which a stage names, was not found: \(why)")
    }
}

/// A stage of a staged migration.
open class NSMigrationStage: NSObject {
    /// What people are told that the stage does.
    open var label: String?

    /// Creates a stage; use a subclass.
    public override init() { super.init() }

    func folio(_ models: [String: ManagedObjectModel]) throws -> MigrationStage {
        throw CocoaErrors.made(NSMigrationError, "\(type(of: self)) is no stage of a migration")
    }
}

/// A stage of versions that are inferred from each other.
open class NSLightweightMigrationStage: NSMigrationStage {
    /// The hashes of the versions, in order.
    public let versionChecksums: [String]

    /// Creates a stage of the versions with some hashes.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }

    /// Creates a stage of the versions with some hashes.
    public convenience init(versionChecksums: [String]) { self.init(versionChecksums) }

    override func folio(_ models: [String: ManagedObjectModel]) throws -> MigrationStage {
        let versions = try versionChecksums.map { checksum in
            guard let model = models[checksum] else {
                throw CocoaErrors.made(
                    NSManagedObjectModelReferenceNotFoundError, "No model has the checksum \(checksum)")
            }
            return model
        }
        return .lightweight(label ?? "lightweight", versions)
    }
}

/// A stage with work of its own before and after an inferred step.
open class NSCustomMigrationStage: NSMigrationStage {
    /// The old version.
    public let currentModel: NSManagedObjectModelReference
    /// The new version.
    public let nextModel: NSManagedObjectModelReference
    /// Called with the store in the old version.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called with the store in the new version.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    weak var manager: NSStagedMigrationManager?

    /// Creates a stage between two versions.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }

    override func folio(_ models: [String: ManagedObjectModel]) throws -> MigrationStage {
        func work(_ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?)
            -> ((ManagedObjectContext) throws -> Void)?
        {
            handler.map { handler in
                { [unowned self] context in
                    guard let manager = self.manager else { return }
                    try manager.running(context) { try handler(manager, self) }
                }
            }
        }
        return .custom(
            label ?? "custom", from: try currentModel.resolved(), to: try nextModel.resolved(),
            willMigrate: work(willMigrateHandler), didMigrate: work(didMigrateHandler))
    }
}

/// Migrates stores of any old version to the newest, stage by stage. Set it as the option
/// ``NSPersistentStoreStagedMigrationManagerOptionKey`` of a store.
open class NSStagedMigrationManager: NSObject {
    /// The stages, the oldest version first.
    public let stages: [NSMigrationStage]
    /// A container of the store, while a handler runs; its contexts are in the handler's version.
    open private(set) var container: NSPersistentContainer?

    /// Creates a manager.
    public init(_ stages: [NSMigrationStage]) {
        self.stages = stages
        super.init()
    }

    /// Creates a manager.
    public convenience init(stages: [NSMigrationStage]) { self.init(stages) }

    func running(_ context: ManagedObjectContext, _ body: () throws -> Void) throws {
        let coordinator = NSPersistentStoreCoordinator(sharing: context.persistentStoreCoordinator)
        container = NSPersistentContainer(coordinator: coordinator)
        defer { container = nil }
        try body()
    }

    /// - Parameter model: the newest version, for stages that name it by its hash alone.
    func folio(_ model: ManagedObjectModel) throws -> StagedMigrationManager {
        var models = [model.versionChecksum: model]
        for case let stage as NSCustomMigrationStage in stages {
            stage.manager = self
            for reference in [stage.currentModel, stage.nextModel] {
                models[reference.versionChecksum] = try reference.resolved()
            }
        }
        for url in ModelFinder.models(in: [Bundle.main] + Bundle.allBundles) {
            guard let file = try? ModelFile(contentsOf: url) else { continue }
            for name in file.versionNames {
                guard let version = try? file.model(version: name) else { continue }
                models[version.versionChecksum] = models[version.versionChecksum] ?? version
            }
        }
        return try StagedMigrationManager(try stages.map { try $0.folio(models) })
    }
}
