import Foundation
import ModelFiles
import Schema
import TestSupport
import Testing

@Suite(.enabled(if: corpus != nil)) struct ModelReadingTests {
    @Test func everyVersionOfEveryModelReads() throws {
        let versions = try CorpusModels.versions()
        #expect(versions.count >= 170)
        for (name, file, version) in versions {
            #expect(throws: Never.self, "\(name)") { try file.model(version: version) }
        }
    }

    @Test func allVersionsOfTheLongChainAreThereInOrder() throws {
        let url = try #require(CorpusModels.urls.first { $0.lastPathComponent == "WooCommerce.xcdatamodeld" })
        let file = try ModelFile(contentsOf: url)
        #expect(file.versionNames.count == 117)
        #expect(file.versionNames.first == "Model")
        #expect(file.versionNames.last == "Model 117")
        #expect(file.saysWhichVersionIsCurrent)
        #expect(try file.model(version: "Model 2").entities.count < file.model().entities.count)
    }

    @Test func anEmptyCurrentVersionIsTolerated() throws {
        for url in CorpusModels.urls where url.path.contains("RestKit") && url.pathExtension == "xcdatamodeld" {
            let file = try ModelFile(contentsOf: url)
            #expect(file.versionNames.contains(file.currentVersionName))
        }
    }

    @Test func writingAndReadingGivesTheSameModel() throws {
        for (name, file, version) in try CorpusModels.versions() {
            let model = try file.model(version: version)
            let text = try ModelContents.encode(model)
            let copy = try ModelContents.decode(text)
            #expect(copy == model, "\(name)")
            #expect(try ModelContents.encode(copy) == text, "\(name)")
        }
    }

    @Test(arguments: [CompiledModel.Form.file, .storeCache])
    func compilingAndReadingGivesTheSameModel(form: CompiledModel.Form) throws {
        for (name, file, version) in try CorpusModels.versions() {
            let model = try file.model(version: version)
            let archive = try CompiledModel.encode(model, form: form)
            let copy = try CompiledModel.decode(archive)
            #expect(copy.compiledDescription == model.compiledDescription, "\(name)")
            #expect(try CompiledModel.encode(copy, form: form) == archive, "\(name)")
        }
    }

    @Test func hashesEqualThoseThatTheToolsRecorded() throws {
        var compared = 0
        for url in CorpusModels.urls where url.pathExtension == "momd" {
            let file = try ModelFile(contentsOf: url)
            #expect(file.recordedVersionHashes.count == file.versionNames.count)
            for (version, hashes) in file.recordedVersionHashes {
                #expect(
                    try file.model(version: version).versionHashesByEntityName == hashes,
                    "\(url.lastPathComponent)#\(version)")
                #expect(try file.model(matching: hashes) != nil)
                // The sources of the same application give the same hashes.
                let folder = url.deletingLastPathComponent().deletingLastPathComponent().path + "/"
                for source in CorpusModels.urls
                where source.path.hasPrefix(folder) && source.pathExtension == "xcdatamodeld" {
                    #expect(
                        try ModelFile(contentsOf: source).model(matching: hashes) != nil, "\(source.path) \(version)")
                }
                compared += hashes.count
            }
        }
        #expect(compared >= 14)
    }
}
