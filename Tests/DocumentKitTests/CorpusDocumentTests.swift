import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ModelFiles
import ObjectGraph
import Query
import RowMemory
import Schema
import Storage
import TestSupport
import Testing

/// Stores that Apple's framework wrote, as documents: read without a trace, written into packages
/// and archives value by value.
@Suite(.serialized, .enabled(if: corpus != nil)) struct CorpusDocumentTests {
    /// The stores, each with the models of its repository.
    private static func stores() -> [URL] {
        guard let corpus, let names = FileManager.default.enumerator(at: corpus, includingPropertiesForKeys: nil) else {
            return []
        }
        return names.compactMap { $0 as? URL }.filter {
            FileManager.default.fileExists(atPath: $0.path + ".expected.json")
        }
    }

    private static func model(for store: URL) -> ModelChoice {
        guard let corpus else { return .own }
        let repository = store.path.dropFirst(corpus.path.count + 1).split(separator: "/").first.map {
            corpus.appendingPathComponent(String($0))
        }
        guard let repository,
            let files = FileManager.default.enumerator(at: repository, includingPropertiesForKeys: nil)
        else { return .own }
        var models: [ModelFile] = []
        for case let url as URL in files
        where ["xcdatamodeld", "xcdatamodel", "momd", "mom"].contains(url.pathExtension) {
            if let file = try? ModelFile(contentsOf: url) { models.append(file) }
        }
        return .versions(models)
    }

    /// Every row of a store, as text without the store's UUID.
    private func dump(_ store: any StoreBackend) throws -> [String] {
        let model = store.identity.model
        var lines: [String] = []
        for entity in model.entities where !entity.isAbstract {
            let rows = try store.rows(RowRequest(entityIndex: entity.index, includesSubentities: false))
            let keys = (0..<rows.count).map { rows[$0].key }
            for property in entity.properties where !property.isTransient {
                let slot = store.layouts[entity.index].slots[property.index]
                if property.isToMany {
                    let related = try store.related(
                        entityIndex: entity.index, propertyIndex: property.index, owners: keys, includingRows: false)
                    for (key, members) in zip(keys, related.members) {
                        lines.append(
                            "\(entity.name)/\(key).\(property.name)=\(members.map { "\($0.entityIndex)/\($0.key)" })")
                    }
                } else if property.attribute == nil {
                    for index in 0..<rows.count {
                        lines.append(
                            "\(entity.name)/\(rows[index].key).\(property.name)=\(rows[index].reference(slot).map { "\($0.entityIndex)/\($0.key)" } ?? "nil")"
                        )
                    }
                } else {
                    for index in 0..<rows.count {
                        var text = "\(rows[index].value(slot))"
                        if case .large(let value) = rows[index].value(slot) {
                            text = (try? value.data().base64EncodedString()) ?? "missing"
                        }
                        lines.append("\(entity.name)/\(rows[index].key).\(property.name)=\(text)")
                    }
                }
            }
        }
        return lines.sorted()
    }

    @Test(arguments: stores()) func aStoreOfApplesGoesIntoAPackageAndAnArchiveUnchanged(_ original: URL) async throws {
        try await withFolder { folder in
            let source = folder.appendingPathComponent("source")
            try Disk.makeDirectory(source.path)
            let store = source.appendingPathComponent(original.lastPathComponent)
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: original.path + suffix) {
                try Disk.copyFile(original.path + suffix, to: store.path + suffix)
            }
            let before = try contents(of: source)
            let document = try await DocumentOpening.open(store, mode: .reading, fitting: Self.model(for: original))
            let expected = try dump(document.store)
            for (name, form) in [("A.folio", DocumentForm.package), ("A.folioz", .archive), ("A.sqlite", .store)] {
                let target = folder.appendingPathComponent(name)
                try await document.write(to: target, form: form)
                // Packages and archives carry their model.
                let copy =
                    form == .store
                    ? try await DocumentOpening.open(target, mode: .editing, fitting: Self.model(for: original))
                    : try await PersistentDocument.open(target)
                #expect(try dump(copy.store) == expected, "\(name)")
                #expect(copy.uuid != document.uuid)
                try await copy.close()
                if form != .store {
                    #expect(
                        try DocumentVerifier.verify(target, isThorough: true)
                            == (DocumentVerifier.verify(store, isThorough: false, fitting: Self.model(for: original))
                                .findings))
                }
            }
            try await document.close()
            #expect(try contents(of: source) == before)
        }
    }
}
