import Foundation
import TestSupport
import Testing

/// The name of a model, after a migration to another one and back.
struct FormerModelTests {
    private static let models = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"

    private func modelName(_ document: String) throws -> String? {
        let info = try FolioCommand.run("info", document, "--json").object
        return (info["model"] as? [String: Any])?["name"] as? String
    }

    @Test func aStateBeforeAMigrationHasTheModelThatItHad() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let before = try FolioCommand.run("versions", document, "--json").json as? [[String: Any]]
            let state = try #require(before?.last?["version"] as? Int)
            #expect(try modelName(document) == "Expeditions")
            #expect(try FolioCommand.run("migrate", document, "--model", Self.models).exit == 0)
            #expect(try modelName(document) == "Expeditions 3")
            #expect(try modelName("\(document)@\(state)") == "Expeditions")
            #expect(try FolioCommand.run("restore", "\(document)@\(state)").exit == 0)
            #expect(try modelName(document) == "Expeditions")
            #expect(try FolioCommand.run("verify", document).exit == 0)
            // The model that the document still has is used again.
            #expect(try FolioCommand.run("migrate", document, "--model", Self.models).exit == 0)
            #expect(try modelName(document) == "Expeditions 3")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: document + "/model") == [
                    "Expeditions 3.xcdatamodel"
                ])
            #expect(try FolioCommand.run("verify", document).exit == 0)
        }
    }

    @Test func aCopyWithItsVersionsKnowsTheirModels() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), copy = folder.path + "/Copy.folio"
            #expect(try FolioCommand.run("migrate", document, "--model", Self.models).exit == 0)
            #expect(try FolioCommand.run("save-as", document, copy, "--with-versions").exit == 0)
            let versions = try FolioCommand.run("versions", copy, "--json").json as? [[String: Any]]
            let first = try #require(versions?.first?["version"] as? Int)
            #expect(try modelName("\(copy)@\(first)") == "Expeditions")
        }
    }
}
