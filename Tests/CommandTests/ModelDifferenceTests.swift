import Foundation
import Testing

/// `folio model diff` on the versions of the sample, and on a pair that can't be inferred.
@Suite struct ModelDifferenceTests {
    private func version(_ name: String) -> String {
        FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path + "#" + name
    }

    @Test func itSaysWhatChangesAndThatItCanBeInferred() throws {
        let outcome = try FolioCommand.run("model", "diff", version("Expeditions"), version("Expeditions 2"), "--json")
        #expect(outcome.exit == 0)
        #expect(outcome.object["inferable"] as? Bool == true)
        #expect((outcome.object["reasons"] as? [String])?.isEmpty == true)
        let entities = try #require(outcome.object["entities"] as? [[String: Any]])
        #expect(entities.contains { $0["kind"] as? String == "transform" && !($0["properties"] as? [Any] ?? []).isEmpty })
        #expect(try FolioCommand.run("model", "diff", version("Expeditions"), version("Expeditions")).output == "no differences\n")
    }

    @Test func itNamesEveryReasonAgainstInference() throws {
        func model(_ attribute: String) throws -> String {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            let text = "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"A\">\(attribute)</entity></model>"
            try Data(text.utf8).write(to: url.appendingPathComponent("contents"))
            return url.path
        }
        let old = try model("<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>"), new = try model("<attribute name=\"x\" optional=\"YES\" attributeType=\"Date\"/>")
        defer { for path in [old, new] { try? FileManager.default.removeItem(atPath: path) } }
        let outcome = try FolioCommand.run("model", "diff", old, new, "--json")
        #expect(outcome.exit == 1)
        #expect(outcome.object["inferable"] as? Bool == false)
        #expect((outcome.object["reasons"] as? [String])?.first?.hasPrefix("A.x changes its type from String to Date") == true)
    }
}
