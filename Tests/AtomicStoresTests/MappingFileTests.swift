import AtomicStores
import Foundation
import RowMemory
import Schema
import Storage
import Testing
import TestSupport

/// Mapping models are XML stores that Apple's framework wrote.
@Suite(.enabled(if: corpus != nil)) struct MappingFileTests {
    private static func model() throws -> ManagedObjectModel {
        func mapping(_ name: String, _ attributes: [AttributeDescription], inverse: String) -> EntityDefinition {
            EntityDefinition(
                name,
                attributes: [
                    .init("name", .string), .init("autogenerateExpression", .boolean),
                    .init("valueExpressionData", .binary),
                ] + attributes,
                relationships: [.init("entityMapping", to: "XDDevEntityMapping", inverse: inverse)])
        }
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "XDDevMappingModel",
                attributes: ["sourceModelPath", "destinationModelPath"].map { .init($0, .string) }
                    + ["sourceModelData", "destinationModelData"].map { .init($0, .binary) },
                relationships: [.init("entityMappings", to: "XDDevEntityMapping", inverse: "mappingModel", maxCount: 0)]
            ),
            EntityDefinition(
                "XDDevEntityMapping",
                attributes: [
                    "name", "sourceName", "destinationName", "mappingTypeName", "migrationPolicyClassName",
                    "sourceFilterPredicateString",
                ].map { .init($0, .string) }
                    + [.init("mappingNumber", .integer16), .init("autogenerateExpression", .boolean)],
                relationships: [
                    .init("mappingModel", to: "XDDevMappingModel", inverse: "entityMappings"),
                    .init("attributeMappings", to: "XDDevAttributeMapping", inverse: "entityMapping", maxCount: 0),
                    .init(
                        "relationshipMappings", to: "XDDevRelationshipMapping", inverse: "entityMapping", maxCount: 0),
                ]),
            mapping("XDDevAttributeMapping", [], inverse: "attributeMappings"),
            mapping(
                "XDDevRelationshipMapping", ["sourceKeyPath", "sourceMappingName"].map { .init($0, .string) },
                inverse: "relationshipMappings"),
        ])
    }

    private static func files() throws -> [URL] {
        guard let corpus, let enumerator = FileManager.default.enumerator(at: corpus, includingPropertiesForKeys: nil)
        else { return [] }
        return enumerator.compactMap { $0 as? URL }.filter { $0.lastPathComponent == "xcmapping.xml" }.sorted {
            $0.path < $1.path
        }
    }

    /// Everything in a store, as text.
    private static func dump(_ store: any StoreBackend, _ model: ManagedObjectModel) throws -> [String] {
        var lines: [String] = []
        for entity in model.entities {
            let rows = try store.rows(RowRequest(entityIndex: entity.index, includesSubentities: false))
            for index in 0..<rows.count {
                var line = "\(entity.name) \(rows[index].key)"
                for (property, slot) in zip(entity.properties, rows[index].layout.slots) {
                    switch slot.kind {
                    case .toOne: line += " \(property.name)=\(rows[index].reference(slot)?.key ?? 0)"
                    case .toMany:
                        let members = try store.related(
                            entityIndex: entity.index, propertyIndex: property.index, owners: [rows[index].key],
                            includingRows: false)
                        line += " \(property.name)=\(members.members[0].map(\.key))"
                    default: line += " \(property.name)=\(rows[index].value(slot))"
                    }
                }
                lines.append(line)
            }
        }
        return lines
    }

    @Test func realFilesAreReadAndWrittenBack() throws {
        let files = try Self.files()
        #expect(files.count >= 7)
        let model = try Self.model()
        for file in files {
            try withTemporaryDirectory { folder in
                let copy = folder.appendingPathComponent("copy.xml")
                try FileManager.default.copyContents(of: file, to: copy)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
                let text = try String(contentsOf: file, encoding: .utf8)

                let description = PersistentStoreDescription(url: copy, type: .xml)
                let store = try AtomicPersistentStore.openXML(description, ignoringVersionHashesOf: model)
                let content = try Self.dump(store, model)
                #expect(content.count == text.components(separatedBy: "<object ").count - 1)
                for name in ["entitymapping", "mappingmodel"] {
                    let stored = text.components(separatedBy: "<relationship name=\"\(name)\"").dropFirst().filter {
                        $0.prefix { $0 != ">" }.contains("idrefs=")
                    }.count
                    let read = content.filter {
                        $0.range(
                            of: " \(name == "entitymapping" ? "entityMapping" : "mappingModel")=[1-9]",
                            options: .regularExpression) != nil
                    }.count
                    #expect(stored == read, "\(file.lastPathComponent) \(name)")
                }
                let metadata = try store.metadata()
                #expect(metadata["NSStoreType"] == .string("XML"))

                // The next object gets the next number: in these files `nextObjectID` is the last
                // one that was given.
                let digits = try #require(text.firstMatch(of: /<nextObjectID>(\d+)</)).output.1
                let last = try #require(Int64(digits))
                var changes = ChangeSet()
                var rows = RowBatch()
                _ = rows.appendRow(store.layouts[0], key: -1, version: 0)
                changes.insertions = [.init(entityIndex: 0, rows: rows)]
                let receipt = try store.apply(changes)
                #expect(receipt.keys == [[last + 1]])
                changes = ChangeSet()
                changes.deletions = [.init(entityIndex: 0, key: receipt.keys[0][0], version: 1)]
                _ = try store.apply(changes)

                let again = try AtomicPersistentStore.openXML(description, ignoringVersionHashesOf: model)
                #expect(try Self.dump(again, model) == content)
                #expect(try again.metadata() == metadata)
            }
        }
    }

    @Test func theirModelIsAskedForAndCompared() throws {
        let file = try #require(Self.files().first)
        var description = PersistentStoreDescription(url: file, type: .xml)
        description.isReadOnly = true
        #expect(throws: StorageError.self) { _ = try AtomicPersistentStore.xmlFactory.open(description, nil) }
        let error = #expect(throws: StorageError.self) {
            _ = try AtomicPersistentStore.xmlFactory.open(description, Self.model())
        }
        #expect(error?.code == .incompatibleModel)
    }
}
