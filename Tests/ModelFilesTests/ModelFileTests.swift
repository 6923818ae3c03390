import Coding
import Foundation
import ModelFiles
import Schema
import TestSupport
import Testing

struct ModelFileTests {
    private func model(_ attributes: String...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("A", attributes: attributes.map { AttributeDescription($0, .string) })
        ])
    }

    private func write(_ data: Data, _ path: String..., in folder: URL) throws {
        let url = path.reduce(folder) { $0.appendingPathComponent($1) }
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    /// Versions “Shop”, “Shop 2” and “Shop 10”, the second one current.
    private func makeShop(in folder: URL, current: String?) throws -> URL {
        let url = folder.appendingPathComponent("Shop.xcdatamodeld")
        try write(try ModelContents.encode(try model("a")), "Shop.xcdatamodel", "contents", in: url)
        try write(try ModelContents.encode(try model("a", "b")), "Shop 2.xcdatamodel", "contents", in: url)
        try write(try ModelContents.encode(try model("a", "b", "c")), "Shop 10.xcdatamodel", "contents", in: url)
        try write(Data("junk".utf8), "Shop 10.xcdatamodel", "contents.orig", in: url)
        if let current { try write(Data(current.utf8), ".xccurrentversion", in: url) }
        return url
    }

    private let second =
        "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>Shop 2.xcdatamodel</string></dict></plist>"

    @Test func versionsAreListedAndTheCurrentOneIsRead() throws {
        try withTemporaryDirectory { folder in
            let file = try ModelFile(contentsOf: try makeShop(in: folder, current: second))
            #expect(file.kind == .versionedSource)
            #expect(file.versionNames == ["Shop", "Shop 2", "Shop 10"])
            #expect(file.currentVersionName == "Shop 2")
            #expect(file.saysWhichVersionIsCurrent)
            #expect(try file.model() == model("a", "b"))
            #expect(try file.model(version: "Shop 10") == model("a", "b", "c"))
            #expect(try file.model(version: "Shop.xcdatamodel") == model("a"))
            #expect(#expect(throws: ModelError.self) { try file.model(version: "Shop 3") }?.code == .notFound)
            #expect(try ManagedObjectModel(contentsOf: file.url) == model("a", "b"))
        }
    }

    @Test(arguments: [nil, "<plist version=\"1.0\"><dict/></plist>"])
    func withoutACurrentVersionTheLastIsTaken(current: String?) throws {
        try withTemporaryDirectory { folder in
            let file = try ModelFile(contentsOf: try makeShop(in: folder, current: current))
            #expect(file.currentVersionName == "Shop 10")
            #expect(!file.saysWhichVersionIsCurrent)
        }
    }

    @Test func theVersionThatFitsAStoreIsFound() throws {
        try withTemporaryDirectory { folder in
            let url = try makeShop(in: folder, current: second)
            let hashes = try model("a").versionHashesByEntityName
            #expect(try ModelFile(contentsOf: url).model(matching: hashes)?.name == "Shop")
            #expect(try ModelReference(url.path).model(matching: hashes) == model("a"))
            #expect(try ModelReference(url.path + "#Shop").model(matching: hashes) == model("a"))
            #expect(try ModelReference(url.path + "#Shop 2").model(matching: hashes) == nil)
            #expect(try ModelFile(contentsOf: url).model(matching: [:]) == nil)
        }
    }

    @Test func contentDecidesNotTheExtension() throws {
        try withTemporaryDirectory { folder in
            let sample = try model("a", "b")
            try write(try ModelContents.encode(sample), "one.bin", in: folder)
            try write(try CompiledModel.encode(sample), "two.txt", in: folder)
            try write(try ModelContents.encode(sample), "three", "contents", in: folder)
            try write(try CompiledModel.encode(sample), "four", "V1.mom", in: folder)
            try write(try CompiledModel.encode(sample), "four", "V2.mom", in: folder)
            let hashes: PropertyListValue = .dictionary(sample.versionHashesByEntityName.mapValues { .data($0) })
            let info: PropertyListValue = [
                "NSManagedObjectModel_CurrentVersionName": "V1", "NSManagedObjectModel_VersionHashes": ["V1": hashes],
            ]
            try write(PropertyList.encodeBinary(info), "four", "VersionInfo.plist", in: folder)
            let kinds: [String: ModelFile.Kind] = [
                "one.bin": .source, "two.txt": .compiled, "three": .source, "four": .versionedCompiled,
            ]
            for (name, kind) in kinds {
                let file = try ModelFile(contentsOf: folder.appendingPathComponent(name))
                #expect(file.kind == kind)
                #expect(try file.model() == sample)
            }
            let file = try ModelFile(contentsOf: folder.appendingPathComponent("four"))
            #expect(file.currentVersionName == "V1")
            #expect(file.recordedVersionHashes == ["V1": sample.versionHashesByEntityName])
        }
    }
}

extension ModelFileTests {
    @Test func whatIsNoModelIsSaidToBeNone() throws {
        try withTemporaryDirectory { folder in
            try write(Data("SQLite format 3\0".utf8), "store.sqlite", in: folder)
            try write(Data(), "empty", in: folder)
            try write(PropertyList.encodeBinary(["a": 1]), "list", in: folder)
            for name in ["store.sqlite", "empty", "list", "."] {
                #expect(
                    #expect(throws: ModelError.self) { try ModelFile(contentsOf: folder.appendingPathComponent(name)) }?
                        .code == .unreadable, "\(name)")
            }
            #expect(
                #expect(throws: ModelError.self) { try ModelFile(contentsOf: folder.appendingPathComponent("none")) }?
                    .code == .notFound)
            #expect(!ModelReference(folder.appendingPathComponent("store.sqlite").path).isModelFile)
        }
    }

    @Test func aNameMayHoldTheMarkOfVersions() throws {
        try withTemporaryDirectory { folder in
            try write(try ModelContents.encode(try model("a")), "C#.xcdatamodel", "contents", in: folder)
            let path = folder.appendingPathComponent("C#.xcdatamodel").path
            #expect(ModelReference(path).version == nil)
            #expect(ModelReference(path + "#V").version == "V")
            #expect(try ModelReference(path).model() == model("a"))
        }
    }

    @Test func aNamedVersionFitsAStoreOfOneOfItsConfigurations() throws {
        var description = ManagedObjectModel.Definition()
        description.entities = [EntityDefinition("A"), EntityDefinition("B")]
        description.configurations = ["Local": ["A"]]
        let model = try ManagedObjectModel(description)
        try withTemporaryDirectory { folder in
            try write(try ModelContents.encode(model), "M.xcdatamodel", "contents", in: folder)
            let path = folder.appendingPathComponent("M.xcdatamodel").path
            let hashes = model.versionHashesByEntityName.filter { $0.key == "A" }
            for name in [path, path + "#M"] { #expect(try ModelReference(name).model(matching: hashes) == model) }
        }
    }
}

extension ModelFileTests {
    @Test func aVersionIsReadOnceUntilItsFileChanges() throws {
        try withTemporaryDirectory { folder in
            let url = try makeShop(in: folder, current: second)
            let contents = url.appendingPathComponent("Shop 2.xcdatamodel").appendingPathComponent("contents")
            func age(_ seconds: Double) throws {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: contents.path)
            }
            try age(100)
            let file = try ModelFile(contentsOf: url), first = try file.model()
            #expect(try file.model() === first)
            #expect(try ModelFile(contentsOf: url).model(matching: first.versionHashesByEntityName)?.model === first)
            try ModelContents.encode(try model("x", "y")).write(to: contents)
            #expect(try file.model() == model("x", "y"))
            try age(50)
            #expect(try file.model() == model("x", "y"))
        }
    }
}
