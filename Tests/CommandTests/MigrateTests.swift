import Foundation
import TestSupport
import Testing

/// `folio migrate` on documents of every form.
@Suite struct MigrateTests {
    private let models = FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path

    /// The names of all persons: what every version knows.
    private func names(_ document: String) throws -> [String] {
        let outcome = try FolioCommand.run("fetch", document, "Person", "--columns", "name", "--sort", "name", "--format", "json")
        return (outcome.json as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
    }

    @Test(arguments: [["--package"], ["--archive"], ["--store", "sqlite"]]) func aDocumentIsMigratedWhereItIsAndItsOldStateKept(form: [String]) throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Doc.document").path
            _ = try FolioCommand.run(["save-as", FolioCommand.document, document] + form)
            let before = try names(document)
            #expect(!before.isEmpty)
            let preview = try FolioCommand.run("migrate", document, "--model", models, "--dry-run", "--json")
            #expect(preview.exit == 0 && preview.object["needed"] as? Bool == true)
            let outcome = try FolioCommand.run("migrate", document, "--model", models, "--json")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(outcome.object["steps"] as? [String] == preview.object["steps"] as? [String])
            #expect(try names(document) == before)
            #expect(try FolioCommand.run("fetch", document, "Summit", "--count").exit == 0)
            #expect(try FolioCommand.run("verify", document).exit == 0)
            let backup = try #require(outcome.object["backup"] as? String)
            let isPackage = form == ["--package"]
            #expect(backup.hasSuffix(isPackage ? "Doc.document@1" : "Doc.before-Expeditions.document"))
            #expect(try names(backup) == before)
            #expect(try FolioCommand.run("insert", document, "Person", "name=Ada").exit == 0)
            let again = try FolioCommand.run("migrate", document, "--model", models, "--json")
            #expect(again.object["needed"] as? Bool == false)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".lock") }.sorted()
            #expect(left == (isPackage ? [] : ["Doc.before-Expeditions.document"]) + ["Doc.document"])
        }
    }

    @Test func aMigratedCopyLeavesTheDocumentAlone() throws {
        try withTemporaryDirectory { folder in
            let target = folder.appendingPathComponent("New.folio").path
            let before = try FolioCommand.run("export", FolioCommand.document).output
            #expect(try FolioCommand.run("migrate", FolioCommand.document, "--model", models + "#Expeditions 2", "-o", target).exit == 0)
            #expect(try FolioCommand.run("export", FolioCommand.document).output == before)
            #expect(try names(target) == names(FolioCommand.document))
            #expect(try FolioCommand.run("migrate", FolioCommand.document, "--model", models, "-o", target).exit == 73)
        }
    }

    @Test func whatCanNotBeInferredIsRefusedAndNothingChanges() throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Doc.folio").path, model = folder.appendingPathComponent("Other.xcdatamodel")
            #expect(try FolioCommand.run("save-as", FolioCommand.document, document).exit == 0)
            let before = try FolioCommand.run("export", document).output
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
            let text =
                "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"Person\"><attribute name=\"name\" optional=\"YES\" attributeType=\"Date\"/></entity></model>"
            try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
            let outcome = try FolioCommand.run("migrate", document, "--model", model.path)
            #expect(outcome.exit == 78)
            #expect(outcome.errors.first?.contains("Person.name changes its type from String to Date") == true)
            #expect(try FolioCommand.run("export", document).output == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasSuffix(".lock") }.sorted() == ["Doc.folio", "Other.xcdatamodel"])
            #expect(try FolioCommand.run("migrate", document).exit == 64)
        }
    }
}
