import Foundation
import TestSupport
import Testing

/// `folio model diff` on the versions of the sample, and on a pair that can't be inferred.
struct ModelDifferenceTests {
    private func version(_ name: String) -> String {
        FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path + "#" + name
    }

    @Test func itSaysWhatChangesAndThatItCanBeInferred() throws {
        let outcome = try FolioCommand.run("model", "diff", version("Expeditions"), version("Expeditions 2"), "--json")
        #expect(outcome.exit == 0)
        #expect(outcome.object["inferable"] as? Bool == true)
        #expect((outcome.object["reasons"] as? [String])?.isEmpty == true)
        let entities = try #require(outcome.object["entities"] as? [[String: Any]])
        #expect(
            entities.contains { $0["kind"] as? String == "transform" && !($0["properties"] as? [Any] ?? []).isEmpty })
        #expect(
            try FolioCommand.run("model", "diff", version("Expeditions"), version("Expeditions")).output
                == "no differences\n")
    }

    /// A model of one entity with one attribute.
    private func model(_ attribute: String, in folder: URL) throws -> String {
        let url = folder.appendingPathComponent("\(UUID().uuidString).xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let text =
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\"><entity name=\"A\">\(attribute)</entity></model>"
        try Data(text.utf8).write(to: url.appendingPathComponent("contents"))
        return url.path
    }

    @Test(arguments: [
        ("Decimal", "defaultValueString=\"0\"", "default: none → 0"),
        ("Decimal", "minValueString=\"1.5\"", "minimum: none → 1.5"),
        ("String", "defaultValueString=\"x\"", "default: none → “x”"),
        ("Boolean", "defaultValueString=\"YES\" usesScalarValueType=\"YES\"", "default: none → yes"),
        ("Date", "defaultDateTimeInterval=\"0\"", "default: none → 2001-01-01T00:00:00Z"),
        ("Integer 16", "defaultValueString=\"7\"", "default: none → 7"),
    ]) func valuesOfTheModelStandAsAPersonWritesThem(type: String, fields: String, change: String) throws {
        try withTemporaryDirectory { folder in
            let old = try model("<attribute name=\"x\" optional=\"YES\" attributeType=\"\(type)\"/>", in: folder),
                new = try model(
                    "<attribute name=\"x\" optional=\"YES\" attributeType=\"\(type)\" \(fields)/>", in: folder)
            let outcome = try FolioCommand.run("model", "diff", old, new)
            #expect(outcome.exit == 0 && outcome.output.contains(change), "\(outcome.output)\(outcome.messages)")
        }
    }

    @Test func itNamesEveryReasonAgainstInference() throws {
        try withTemporaryDirectory { folder in
            let old = try model("<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>", in: folder),
                new = try model("<attribute name=\"x\" optional=\"YES\" attributeType=\"Date\"/>", in: folder)
            let outcome = try FolioCommand.run("model", "diff", old, new, "--json")
            #expect(outcome.exit == 1)
            #expect(outcome.object["inferable"] as? Bool == false)
            #expect(
                (outcome.object["reasons"] as? [String])?.first?.hasPrefix("A.x changes its type from String to Date")
                    == true)
        }
    }
}
