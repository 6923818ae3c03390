import Foundation
import Migration
import ModelFiles
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// The mapping models of other people's applications, read and run.
@Suite(.enabled(if: corpus != nil)) struct MappingFileTests {
    /// Makes objects as their mapping says; stands for policies of which only the name is known.
    private final class Plain: EntityMigrationPolicy {}

    static let files: [URL] = {
        guard let corpus, let names = try? FileManager.default.subpathsOfDirectory(atPath: corpus.path) else {
            return []
        }
        return names.filter { $0.hasSuffix(".xcmappingmodel") || $0.hasSuffix(".cdm") }.sorted().map {
            corpus.appendingPathComponent($0)
        }
    }()

    @Test func allAreThere() {
        #expect(Self.files.count == 8)
    }

    @Test(arguments: files) func itIsReadAndMigratesObjects(url: URL) throws {
        let description = try MappingFile.read(url)
        let mapping = try MappingModel(contentsOf: url)
        #expect(!mapping.entityMappings.isEmpty)
        #expect(mapping.entityMappings.contains { !$0.attributeMappings.isEmpty })
        guard let old = description.source, let new = description.destination else {
            #expect(url.pathExtension == "cdm")
            return
        }
        #expect(mapping.fits(from: old, to: new))
        try withTemporaryDirectory { folder in
            let original = try MigratedStore.make(old, at: folder.appendingPathComponent("Old.sqlite"))
            let before = try original.snapshot()
            let source = PersistentStoreCoordinator(managedObjectModel: old),
                destination = PersistentStoreCoordinator(managedObjectModel: new)
            try source.addPersistentStore(PersistentStoreDescription(url: original.url))
            let target = folder.appendingPathComponent("New.sqlite")
            try destination.addPersistentStore(PersistentStoreDescription(url: target))
            let names = mapping.entityMappings.compactMap(\.migrationPolicyName)
            let manager = MigrationManager(from: source, to: destination)
            do {
                try manager.migrate(
                    by: mapping,
                    policies: Dictionary(names.map { ($0, Plain.self) }, uniquingKeysWith: { first, _ in first }))
            } catch let error as ValidationError {
                // Mandatory properties for which the mapping has nothing: the application's own
                // policy gives them their values.
                for failure in error.failures {
                    let mappings = mapping.entityMappings.filter { $0.destinationEntityName == failure.entity }
                    let isOpen = mappings.contains {
                        $0.migrationPolicyName != nil
                            || failure.key.flatMap($0.propertyMapping(named:))?.valueExpression == nil
                    }
                    #expect([.missingMandatoryProperty, .tooFewObjects].contains(failure.code) && isOpen, "\(failure)")
                }
                print(
                    "\(url.lastPathComponent): left to policies: \(Set(error.failures.map { "\($0.entity ?? "").\($0.key ?? "")" }).sorted())"
                )
                return
            }
            try destination.removePersistentStores()
            let after = try MigratedStore(url: target).snapshot()
            for entity in mapping.entityMappings where entity.kind != .add && entity.kind != .remove {
                let (from, to) = (entity.sourceEntityName ?? "", entity.destinationEntityName ?? "")
                let expected = mapping.entityMappings.filter {
                    $0.destinationEntityName == to && $0.sourceEntityName != nil
                }
                .reduce(0) { count, mapping in
                    count + before.objects.keys.filter { $0.entity == mapping.sourceEntityName }.count
                }
                if entity.sourcePredicate == nil {
                    #expect(after.objects.keys.filter { $0.entity == to }.count == expected, "\(from) → \(to)")
                }
            }
        }
    }

    /// The same mapping as source and compiled.
    @Test func theCompiledMappingSaysWhatItsSourceSays() throws {
        let source = try MappingModel(
            contentsOf: try #require(Self.files.first { $0.lastPathComponent == "V2toV3.xcmappingmodel" }))
        let compiled = try MappingModel(
            contentsOf: try #require(Self.files.first { $0.lastPathComponent == "V2toV3.cdm" }))
        #expect(Set(source.entityMappings.map(\.name)) == Set(compiled.entityMappings.map(\.name)))
        for expected in compiled.entityMappings {
            let found = try #require(source.entityMapping(named: expected.name))
            #expect(
                found.sourceEntityName == expected.sourceEntityName
                    && found.destinationEntityName == expected.destinationEntityName)
            #expect(found.kind == expected.kind, "\(expected.name)")
            #expect(found.migrationPolicyName == expected.migrationPolicyName)
            #expect(found.sourceEntityVersionHash == expected.sourceEntityVersionHash, "\(expected.name)")
            #expect(found.destinationEntityVersionHash == expected.destinationEntityVersionHash, "\(expected.name)")
            #expect(Set(found.attributeMappings) == Set(expected.attributeMappings), "\(expected.name)")
            #expect(Set(found.relationshipMappings.map(\.name)) == Set(expected.relationshipMappings.map(\.name)))
        }
    }
}
