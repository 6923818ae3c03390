import Foundation
import TestSupport
import Testing

/// The stores and models of the corpus, found by name.
enum Corpus {
    struct Store: CustomTestStringConvertible, Sendable {
        let url: URL
        var expected: URL { URL(fileURLWithPath: url.path + ".expected.json") }
        var testDescription: String { url.lastPathComponent }

        /// `--model` for stores of frameworks that kept no model in them.
        var modelArguments: [String] {
            guard let path = Corpus.models[url.lastPathComponent], let corpus else { return [] }
            return ["--model", corpus.appendingPathComponent(path).path]
        }
    }

    private static let models = [
        "Recipes.sqlite": "magicalpanda__MagicalRecord/Samples/iOS/Application/Models/Recipes.xcdatamodeld",
        "RKSeedDatabase.sqlite": "RestKit__RestKit/Examples/RKTwitterCoreData/Resources/RKTwitterCoreData.xcdatamodel",
    ]

    static let stores: [Store] = files { $0.hasSuffix(".expected.json") }.map {
        Store(url: URL(fileURLWithPath: String($0.path.dropLast(14))))
    }

    static func store(named name: String) throws -> Store {
        guard let store = stores.first(where: { $0.url.lastPathComponent == name }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return store
    }

    /// The files of the corpus whose path from its root fulfils a condition, in order.
    static func files(where condition: (String) -> Bool) -> [URL] {
        guard let corpus else { return [] }
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: corpus.path)) ?? []
        return names.filter(condition).sorted().map { corpus.appendingPathComponent($0) }
    }

    /// Copies a store with everything that belongs to it, writable.
    static func copy(_ store: Store, to folder: URL) throws -> URL {
        let source = store.url.deletingLastPathComponent()
        let name = store.url.lastPathComponent
        let support = "." + store.url.deletingPathExtension().lastPathComponent + "_SUPPORT"
        for item in try FileManager.default.contentsOfDirectory(atPath: source.path)
        where [name, name + "-wal", name + "-shm", support].contains(item) {
            let copy = folder.appendingPathComponent(item)
            try FileManager.default.copyContents(of: source.appendingPathComponent(item), to: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.path)
        }
        return folder.appendingPathComponent(name)
    }
}
