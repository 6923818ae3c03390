import Foundation
import Migration
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Ways over several versions, of which some steps need a mapping model.
struct MigrationWayTests {
    /// Car, which becomes Vehicle (by a mapping), gets a color (inferred), and becomes Machine (by
    /// a mapping).
    private let versions: [ManagedObjectModel]

    init() throws {
        func version(_ name: String, _ entity: String, _ attributes: String...) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: [EntityDefinition(entity, attributes: attributes.map { AttributeDescription($0, .string) })],
                versionIdentifiers: [name])
        }
        versions = [
            try version("1", "Car", "plate"), try version("2", "Vehicle", "plate"),
            try version("3", "Vehicle", "plate", "color"), try version("4", "Machine", "plate", "color"),
        ]
    }

    private func mapping(_ from: Int, _ to: Int, hashes: Bool = true, reading keys: String...) throws -> MappingModel {
        let (old, new) = (versions[from].entities[0].name, versions[to].entities[0].name)
        return MappingModel(entityMappings: [
            EntityMapping(
                "\(old)To\(new)", .transform, from: old, to: new,
                sourceEntityVersionHash: hashes ? versions[from].versionHashesByEntityName[old] : nil,
                destinationEntityVersionHash: hashes ? versions[to].versionHashesByEntityName[new] : nil,
                attributeMappings: try keys.map {
                    PropertyMapping($0, valueExpression: try QueryExpression(format: "$source.\($0)"))
                })
        ])
    }

    private func way(_ mappings: [MappingModel], from: Int = 0, to: Int = 3) throws -> [String] {
        try MigrationWay.steps(from: versions[from], to: versions[to], through: versions, by: mappings).map { step in
            let names = [step.source, step.destination].map { $0.definition.versionIdentifiers[0] }
            return names.joined(separator: step.mapping == nil ? "-" : "=")
        }
    }

    @Test(arguments: [true, false]) func theWayGoesByMappingModelsAndInferredSteps(hashes: Bool) throws {
        let first = try mapping(0, 1, hashes: hashes, reading: "plate"),
            second = try mapping(2, 3, hashes: hashes, reading: "plate", "color")
        // Without hashes the first one is for all versions that have what it names.
        let expected = hashes ? ["1=2", "2-3", "3=4"] : ["1=3", "3=4"]
        #expect(try way([first, second]) == expected)
        // The order of the files says nothing.
        #expect(try way([second, first]) == expected)
        #expect(try way([second, first], from: 1) == ["2-3", "3=4"])
        #expect(try way([second, first], from: 3).isEmpty)
    }

    @Test func aDirectMappingModelComesFirst() throws {
        let steps = [try mapping(0, 1, reading: "plate"), try mapping(2, 3, reading: "plate", "color")]
        #expect(try way(steps + [try mapping(0, 3, reading: "plate")]) == ["1=4"])
        // So does an inferred step, where it loses nothing.
        #expect(try way([try mapping(1, 0, reading: "plate")], from: 1, to: 2) == ["2-3"])
    }

    @Test func mappingModelsOfOtherVersionsAreToldOf() throws {
        let strict = try ManagedObjectModel(entities: [
            EntityDefinition("Car", attributes: [AttributeDescription("plate", .integer32)])
        ])
        let error = #expect(throws: MigrationError.self) {
            try MigrationWay.steps(
                from: versions[0], to: strict, through: versions, by: [try mapping(1, 3, reading: "plate")])
        }
        #expect(error?.message.contains("lead from “2” to “4”") == true && error?.obstacles.count == 1)
        let other = #expect(throws: MigrationError.self) {
            try MigrationWay.steps(from: versions[0], to: strict, by: [try mapping(1, 3, reading: "plate")])
        }
        #expect(other?.code == .missingMapping)
    }

    // MARK: Policies

    private func policyMapping() throws -> MappingModel {
        func expression(_ text: String) throws -> QueryExpression { try QueryExpression(format: text) }
        return MappingModel(entityMappings: [
            EntityMapping(
                "CarToMachine", .custom, from: "Car", to: "Machine", migrationPolicyName: "Cars.MakerPolicy",
                attributeMappings: [
                    PropertyMapping(
                        "plate",
                        valueExpression: try expression(
                            #"FUNCTION($entityPolicy, "joined:with:", lowercase($source.plate), FUNCTION($entityPolicy, "mark"))"#
                        ))
                ])
        ])
    }

    private func migrated(by mapping: MappingModel) throws -> [[String?]] {
        try withTemporaryDirectory { folder in
            func open(_ model: ManagedObjectModel, _ name: String) throws -> PersistentStoreCoordinator {
                let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
                try coordinator.addPersistentStore(
                    PersistentStoreDescription(url: folder.appendingPathComponent(name)))
                return coordinator
            }
            let old = try open(versions[0], "Old.sqlite"), new = try open(versions[3], "New.sqlite")
            let context = ManagedObjectContext(old)
            try context.insert("Car")["plate"] = "AB"
            try context.save()
            try MigrationManager(from: old, to: new).migrate(by: mapping)
            let made = ManagedObjectContext(new)
            let rows = try made.fetch(FetchRequest<ManagedObject>(entityName: "Machine")).map {
                [$0["plate"] as? String, $0["color"] as? String]
            }
            return withExtendedLifetime(made) { rows }
        }
    }

    @Test func expressionsTakeThePlaceOfAPolicy() throws {
        let policies = try PolicyExpressions([
            "MakerPolicy.joined:with:=TERNARY($2 == \"x\", $1, \"$2\")", "MakerPolicy.mark=\"x\"",
            "Cars.MakerPolicy.color=uppercase($source.plate)",
        ])
        #expect(policies.policyNames == ["MakerPolicy", "Cars.MakerPolicy"])
        let mapping = try policyMapping().applying(policies)
        #expect(mapping.migrationPolicyNames.isEmpty)
        let rows = try migrated(by: mapping)
        #expect(rows == [["ab", "AB"]])
    }

    @Test func whatIsNotDefinedIsNamed() throws {
        let error = #expect(throws: MigrationError.self) {
            try policyMapping().applying(try PolicyExpressions(["MakerPolicy.mark=\"x\""]))
        }
        #expect(error?.code == .policy && error?.message.contains("joined:with:") == true)
        #expect(try policyMapping().applying(try PolicyExpressions(["Other"])) == policyMapping())
        for text in ["=1", "Policy=1", "Policy.method=1 +", "a policy", ""] {
            #expect(throws: MigrationError.self, "\(text)") { try PolicyExpressions([text]) }
        }
    }

    /// Found by the name that the program registers.
    private final class MakerPolicy: EntityMigrationPolicy {
        override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
            selector == "mark" ? "!" : arguments.compactMap { $0 as? String }.joined()
        }
    }

    @Test func aRegisteredPolicyNeedNotBeGiven() throws {
        MakerPolicy.register(as: "RegisteredPolicy")
        var mapping = try policyMapping()
        mapping.entityMappings[0].migrationPolicyName = "Cars.RegisteredPolicy"
        let rows = try migrated(by: mapping)
        #expect(rows == [["ab!", nil]])
    }
}
