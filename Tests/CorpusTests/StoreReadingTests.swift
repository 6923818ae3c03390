import Foundation
import ModelFiles
import RowMemory
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Every store of the corpus, read in place and compared with what an independent reader saw in it.
@Suite(.enabled(if: corpus != nil))
struct StoreReadingTests {
    static let stores: [URL] = {
        guard let corpus, let files = FileManager.default.enumerator(at: corpus, includingPropertiesForKeys: nil) else {
            return []
        }
        return files.compactMap { $0 as? URL }.filter { $0.path.hasSuffix(".expected.json") }
            .map { URL(fileURLWithPath: String($0.path.dropLast(".expected.json".count))) }.sorted { $0.path < $1.path }
    }()

    @Test(arguments: stores) func everyValueIsReadAndNothingIsTouched(url: URL) throws {
        let before = try snapshot(around: url)
        var description = PersistentStoreDescription(url: url)
        description.isReadOnly = true
        let store = try SQLitePersistentStore.open(description, model: try missingModel(of: url))
        let expected = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: url.appendingPathExtension("expected.json")))
                as? [String: Any])
        let entities = try #require(expected["entities"] as? [String: [[String: Any]]])
        for entity in store.identity.model.entities where !entity.isAbstract {
            let objects = try #require(entities[entity.name], "\(entity.name)")
            let request = RowRequest(entityIndex: entity.index, includesSubentities: false)
            let rows = try store.rows(request)
            #expect(rows.count == objects.count)
            #expect(try store.count(request) == objects.count)
            let byID = Dictionary(uniqueKeysWithValues: objects.map { ($0["id"] as? String ?? "", $0) })
            for index in 0..<rows.count { try compare(rows[index], of: entity, in: store, with: byID) }
            try compareToManys(of: entity, rows, in: store, with: byID)
        }
        try store.close()
        #expect(try snapshot(around: url) == before)
    }

    // MARK: Comparing

    private func compare(
        _ row: Row, of entity: EntityDescription, in store: SQLitePersistentStore, with objects: [String: [String: Any]]
    ) throws {
        let id = ManagedObjectID(store: store.identity, entityIndex: entity.index, key: row.key).description
        let object = try #require(objects[id])
        let attributes = try #require(object["attributes"] as? [String: Any]),
            relationships = try #require(object["relationships"] as? [String: Any])
        for property in entity.properties where !property.isTransient && !property.isToMany {
            let slot = row.layout.slots[property.index]
            if property.relationship != nil {
                let reference = row.reference(slot).map {
                    ManagedObjectID(store: store.identity, entityIndex: $0.entityIndex, key: $0.key).description
                }
                #expect(reference == relationships[property.name] as? String, "\(id).\(property.name)")
            } else {
                try compare(
                    row.value(slot), with: try #require(attributes[property.name], "\(id).\(property.name)"),
                    "\(id).\(property.name)")
            }
        }
    }

    private func compareToManys(
        of entity: EntityDescription, _ rows: RowBatch, in store: SQLitePersistentStore,
        with objects: [String: [String: Any]]
    ) throws {
        for property in entity.properties where property.isToMany && !property.isTransient {
            let owners = (0..<rows.count).map { rows[$0].key }
            let related = try store.related(
                entityIndex: entity.index, propertyIndex: property.index, owners: owners, includingRows: false)
            for (owner, members) in zip(owners, related.members) {
                let id = ManagedObjectID(store: store.identity, entityIndex: entity.index, key: owner).description
                let relationships = try #require(objects[id]?["relationships"] as? [String: Any])
                let names = members.map {
                    ManagedObjectID(store: store.identity, entityIndex: $0.entityIndex, key: $0.key).description
                }
                #expect(names == relationships[property.name] as? [String], "\(id).\(property.name)")
            }
        }
    }

    private func compare(_ value: PropertyValue, with json: Any, _ place: String) throws {
        switch value {
        case .null: #expect(json is NSNull, "\(place)")
        case .int(let number): #expect((json as? NSNumber)?.int64Value == number, "\(place)")
        case .bool(let flag): #expect((json as? NSNumber)?.boolValue == flag, "\(place)")
        case .double(let number): #expect((json as? NSNumber)?.doubleValue == number, "\(place)")
        case .float(let number): #expect((json as? NSNumber)?.floatValue == number, "\(place)")
        case .decimal(let number): #expect(json as? String == number.description, "\(place)")
        case .string(let text): #expect(json as? String == text, "\(place)")
        case .uri(let url): #expect(json as? String == url.absoluteString, "\(place)")
        case .uuid(let uuid): #expect(json as? String == uuid.uuidString, "\(place)")
        case .data(let data): #expect(json as? String == data.base64EncodedString(), "\(place)")
        case .large(let large): #expect(json as? String == (try large.data()).base64EncodedString(), "\(place)")
        case .date(let date):
            let text = try #require(json as? String, "\(place)")
            let expected = try Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")).parse(text)
            #expect(abs(expected.timeIntervalSince(date)) < 0.001, "\(place)")
        case .composite, .object, .list: Issue.record("unexpected value at \(place)")
        }
    }

    // MARK: Files

    /// The model of a store that carries none: the only one of its repository that fits.
    func missingModel(of url: URL) throws -> ManagedObjectModel? {
        let info = try SQLiteStoreFile(url).modelInfo()
        if info.hasEmbeddedModel { return nil }
        let corpus = try #require(corpus)
        let repository = corpus.appendingPathComponent(
            String(url.path.dropFirst(corpus.path.count + 1).split(separator: "/")[0]))
        let files =
            FileManager.default.enumerator(at: repository, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
            ?? []
        for file in files where file.pathExtension == "xcdatamodel" {
            guard let model = try? ModelFile(contentsOf: file).model() else { continue }
            if try info.differences(from: model).isEmpty { return model }
        }
        return nil
    }

    /// Names, sizes, dates and content of everything in a store's folder.
    private func snapshot(around url: URL) throws -> [String: String] {
        let folder = url.deletingLastPathComponent()
        var result: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let file = folder.appendingPathComponent(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let isFile = attributes[.type] as? FileAttributeType == .typeRegular
            result[name] =
                "\(attributes[.modificationDate] ?? "") \(isFile ? (try Data(contentsOf: file)).hashValue : 0)"
        }
        return result
    }
}
