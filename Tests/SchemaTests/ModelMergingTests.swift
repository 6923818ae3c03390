import Foundation
import Schema
import Testing

struct ModelMergingTests {
    private func model(_ entities: EntityDefinition..., configurations: [String: [String]] = [:], identifier: String)
        throws -> ManagedObjectModel
    {
        var description = ManagedObjectModel.Definition()
        description.entities = entities
        description.configurations = configurations
        description.versionIdentifiers = [identifier]
        return try ManagedObjectModel(description)
    }

    private let shared = EntityDefinition("Shared", attributes: [AttributeDescription("a", .string)])

    @Test func severalModelsBecomeOne() throws {
        let first = try model(shared, EntityDefinition("A"), configurations: ["c": ["A"]], identifier: "1")
        let second = try model(
            EntityDefinition("B"), shared, configurations: ["c": ["B"], "d": ["B"]], identifier: "2")
        let merged = try ManagedObjectModel(byMerging: [first, second])
        #expect(merged.entities.map(\.name) == ["A", "B", "Shared"])
        #expect(merged.definition.configurations == ["c": ["A", "B"], "d": ["B"]])
        #expect(merged.definition.versionIdentifiers == ["1", "2"])
        #expect(try ManagedObjectModel(byMerging: [second, first]) == merged)
        #expect(try ManagedObjectModel(byMerging: [first]) == first)
        #expect(merged.versionHashesByEntityName["Shared"] == first.versionHashesByEntityName["Shared"])
    }

    @Test func contextsWithoutStoresHaveIdentitiesOfTheirOwn() throws {
        let model = try model(shared, identifier: "1")
        let identities = (0..<100).map { _ in StoreIdentity.unsaved(model).uuid }
        #expect(Set(identities).count == identities.count)
        for text in identities {
            #expect(UUID(uuidString: text)?.uuidString == text)
            let parts = text.split(separator: "-")
            #expect(parts[2].first == "4" && ["8", "9", "A", "B"].contains(parts[3].first))
        }
    }

    @Test func modelsThatContradictEachOtherDoNot() throws {
        var other = shared
        other.attributes[0].isOptional = false
        let first = try model(shared, EntityDefinition("A"), identifier: "1"),
            second = try model(other, EntityDefinition("A", isAbstract: true), identifier: "1")
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(byMerging: [first, second]) }
        #expect(error?.code == .mergeConflict)
        #expect(error?.faults.map(\.entity) == ["A", "Shared"])
    }
}
