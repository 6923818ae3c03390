import Coding
import Foundation
import ModelFiles
import Query
import Schema
import SQLiteKit
import TestSupport
import Testing

/// What stores of other people's applications remember of their models.
@Suite(.enabled(if: corpus != nil)) struct StoredModelTests {
    struct Store {
        let name: String
        let cache: Data?
        let metadata: PropertyListValue

        var hashes: [String: Data] {
            metadata[key: "NSStoreModelVersionHashes"]?.dictionary?.compactMapValues(\.data) ?? [:]
        }
    }

    private func stores() throws -> [Store] {
        let corpus = try #require(corpus)
        let names = try FileManager.default.subpathsOfDirectory(atPath: corpus.path).filter { $0.hasSuffix(".sqlite") }
            .sorted()
        return try names.map { name in
            try Connection.reading(corpus.appendingPathComponent(name).path) { connection in
                let metadata = try connection.value("SELECT Z_PLIST FROM Z_METADATA")
                let hasCache = try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'Z_MODELCACHE'")
                let cache = hasCache == .integer(1) ? try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE") : nil
                return Store(
                    name: name, cache: cache.flatMap(bytes),
                    metadata: try PropertyList.decode(try #require(bytes(metadata))))
            }
        }
    }

    private func bytes(_ value: SQLiteValue?) -> Data? {
        if case .blob(let bytes) = value { Data(bytes) } else { nil }
    }

    @Test func theModelInAStoreReadsAndHasTheHashesOfItsMetadata() throws {
        var compared = 0
        for store in try stores() {
            guard let cache = store.cache else { continue }
            let model = try ModelCache.decode(cache)
            let hashes = model.versionHashesByEntityName
            #expect(Set(hashes.keys) == Set(store.hashes.keys), "\(store.name)")
            // The hash of a derived attribute is not known, nor those of what it belongs to or is
            // inherited by.
            let derived = Set(model.entities.filter { $0.attributes.contains(where: \.isDerived) }.map(\.name))
            for (entity, hash) in store.hashes where !derived.contains(entity) {
                #expect(hashes[entity] == hash, "\(store.name) \(entity)")
                compared += 1
            }
            guard derived.isEmpty else { continue }
            if let digest = store.metadata[key: "NSStoreModelVersionHashesDigest"]?.string {
                #expect(model.versionHashesDigest == digest, "\(store.name)")
            }
            if let checksum = store.metadata[key: "NSStoreModelVersionChecksumKey"]?.string {
                #expect(model.versionChecksum == checksum, "\(store.name)")
            }
            #expect(
                model.definition.versionIdentifiers
                    == store.metadata[key: "NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string).sorted())
        }
        #expect(compared >= 20)
    }

    @Test func theModelInAStoreComesBackWhenItIsWritten() throws {
        for store in try stores() {
            guard let cache = store.cache else { continue }
            let model = try ModelCache.decode(cache)
            let copy = try ModelCache.decode(try ModelCache.encode(model))
            #expect(copy.compiledDescription == model.compiledDescription, "\(store.name)")
            #expect(try ModelContents.decode(try ModelContents.encode(model)) == model, "\(store.name)")
        }
    }

    @Test func aStoreFindsItsModelAmongTheSourcesOfItsApplication() throws {
        var found: [String] = []
        let stores = try stores()
        for store in stores {
            let repository = store.name.split(separator: "/")[0]
            let files = CorpusModels.urls.filter {
                $0.path.contains("/\(repository)/") && ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension)
            }
            if try files.contains(where: { try ModelFile(contentsOf: $0).model(matching: store.hashes) != nil }) {
                found.append(store.name)
            }
        }
        // Two stores belong to a model that was built in code.
        #expect(found.count == stores.count - 2, "\(stores.map(\.name).filter { !found.contains($0) })")
    }

    @Test func thePredicatesOfModelsParse() throws {
        var models = try stores().compactMap { try $0.cache.map { try ModelCache.decode($0) } }
        models += try CorpusModels.urls.map { try ModelFile(contentsOf: $0).model() }
        var count = 0
        for model in models {
            let requests =
                model.definition.fetchRequestTemplates
                + model.entities.flatMap(\.fetchedProperties).map(\.fetchRequest)
            for text in requests.compactMap(\.predicateFormat)
                + model.definition.entities.flatMap(\.indexes).compactMap(\.partialIndexPredicate)
            {
                #expect(throws: Never.self, "\(text)") { try FetchPredicate(format: text) }
                count += 1
            }
        }
        #expect(count >= 8)
    }
}
