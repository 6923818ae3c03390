import Foundation
import Schema
import Testing

/// The vectors come from hashes that stores of other people's applications record.
struct VersionHashTests {
    private func hex(_ data: Data?) -> String? { data.map { $0.map { String(format: "%02x", $0) }.joined() } }

    @Test func anEntityWithAnOptionalDate() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Event", attributes: [AttributeDescription("timeStamp", .date)])
        ])
        let property = try #require(model.entity(named: "Event")?.property(named: "timeStamp"))
        #expect(hex(property.versionHash) == "f9ab6fc10a4f5ed1f08a9467563526463ee199e5dde15bdaabfb057b4bca142a")
        #expect(
            hex(model.versionHashesByEntityName["Event"])
                == "5431c046d30e7f32c2cc809958add1e7579ad104a3aa8fc4846e97d7af01cc79")
    }

    @Test func anEntityWithAToOneRelationship() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Session", relationships: [RelationshipDescription("selfUser", to: "User")]),
            EntityDefinition("User"),
        ])
        let property = try #require(model.entity(named: "Session")?.property(named: "selfUser"))
        #expect(hex(property.versionHash) == "63b2ba67e40b33e7303662eb505239319b726b1c9558785813c5f12ac281897a")
        #expect(
            hex(model.versionHashesByEntityName["Session"])
                == "7412f6927c4020a553aa82c6a9d229eec6d5c18112f3739873d063d93b2235a4")
    }

    @Test func anEntityWithAConstraint() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "SyncableSettingsMetadata",
                attributes: [
                    AttributeDescription("key", .string, isOptional: false),
                    AttributeDescription("lastModified", .date),
                ],
                uniquenessConstraints: [["key"]])
        ])
        #expect(
            hex(model.versionHashesByEntityName["SyncableSettingsMetadata"])
                == "d3b4d556db699538ab922ef424e5a35caa7ed626f29a1d8f03bf509c3d737c2d")
    }

    @Test func whatStoresDoNotSeeLeavesTheHashAlone() throws {
        var entity = EntityDefinition(
            "Thing", attributes: [AttributeDescription("name", .string)],
            relationships: [RelationshipDescription("other", to: "Thing")])
        let before = try ManagedObjectModel(entities: [entity])
        entity.attributes[0].defaultValue = .string("x")
        entity.attributes[0].isIndexed = true
        entity.attributes[0].renamingIdentifier = "title"
        entity.attributes.append(AttributeDescription("shown", .string, isTransient: true))
        entity.relationships[0].deleteRule = .cascade
        entity.managedObjectClassName = "ThingObject"
        entity.userInfo = ["a": "b"]
        let after = try ManagedObjectModel(entities: [entity])
        #expect(before.versionHashesByEntityName == after.versionHashesByEntityName)
        #expect(before.versionChecksum == after.versionChecksum)
        #expect(before.versionHashesDigest == after.versionHashesDigest)
        #expect(after.isCompatible(withVersionHashes: before.versionHashesByEntityName))
    }

    @Test func whatStoresSeeChangesTheHash() throws {  // C31
        let base = EntityDefinition(
            "Thing", attributes: [AttributeDescription("name", .string), AttributeDescription("data", .binary)],
            relationships: [RelationshipDescription("others", to: "Thing", maxCount: 0)])
        let changes: [(inout EntityDefinition) -> Void] = [
            { $0.attributes[0].isOptional = false }, { $0.attributes[0].type = .integer16 },
            { $0.attributes[0].name = "nam" },
            { $0.attributes[0].versionHashModifier = "2" }, { $0.attributes[1].allowsExternalBinaryDataStorage = true },
            { $0.relationships[0].isOrdered = true }, { $0.relationships[0].maxCount = 3 },
            { $0.relationships[0].minCount = 1 },
            { $0.isAbstract = true }, { $0.versionHashModifier = "1" }, { $0.uniquenessConstraints = [["name"]] },
        ]
        var hashes: Set<Data?> = [try ManagedObjectModel(entities: [base]).versionHashesByEntityName["Thing"]]
        for change in changes {
            var entity = base
            change(&entity)
            hashes.insert(try ManagedObjectModel(entities: [entity]).versionHashesByEntityName["Thing"])
        }
        #expect(hashes.count == changes.count + 1)
    }
}

extension VersionHashTests {
    @Test func inheritedPropertiesEnterTheHashOfSubentities() throws {  // C32
        func hashes(_ type: AttributeType) throws -> [String: Data] {
            try ManagedObjectModel(entities: [
                EntityDefinition("Parent", attributes: [AttributeDescription("a", type)]),
                EntityDefinition("Child", superentityName: "Parent", attributes: [AttributeDescription("b", .string)]),
                EntityDefinition("Other"),
            ]).versionHashesByEntityName
        }
        let first = try hashes(.string), second = try hashes(.date)
        #expect(first["Child"] != second["Child"])
        #expect(first["Other"] == second["Other"])
    }
}
