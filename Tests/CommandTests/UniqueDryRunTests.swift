import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Values that are not unique are told by a dry run as by the run.
struct UniqueDryRunTests {
    private static let contents = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Tag">
                <attribute name="word" optional="YES" attributeType="String"/>
                <attribute name="more" optional="YES" attributeType="String"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="word"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
        </model>
        """

    @Test(arguments: ["folio", "folioz", "sqlite", "binary", "xml"])
    func valuesThatAreNotUniqueAreRefusedAlike(_ form: String) throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Tags.xcdatamodel"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            try Data(Self.contents.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
            let document = folder.path + "/Doc.\(form)", other = folder.path + "/Other.\(form)"
            let options = form == "xml" ? ["--model", model] : []
            let store = ["binary", "xml"].contains(form) ? ["--store", form] : []
            #expect(try FolioCommand.run(["new", document, "--model", model] + store).exit == 0)
            for word in ["a", "b"] {
                #expect(try FolioCommand.run(["insert", document, "Tag", "word=\(word)"] + options).exit == 0)
            }
            try FileManager.default.copyItem(atPath: document, toPath: other)
            #expect(
                try FolioCommand.run(["set", other, "Tag", "--where", "word == 'b'", "word=c"] + options).exit == 0)
            #expect(
                try FolioCommand.run(["set", document, "Tag", "--where", "word == 'a'", "word=c"] + options).exit == 0)
            try Data("word\nb\n".utf8).write(to: folder.appendingPathComponent("again.csv"))
            try Data("word\nx\nx\n".utf8).write(to: folder.appendingPathComponent("twice.csv"))
            let commands = [
                ["insert", document, "Tag", "word=b"], ["set", document, "Tag", "--where", "word == 'c'", "word=b"],
                ["set", document, "Tag", "--where", "TRUEPREDICATE", "word=z"],
                ["import", document, folder.path + "/again.csv", "--entity", "Tag"],
                ["import", document, folder.path + "/twice.csv", "--entity", "Tag"],
                ["merge", document, other, "--theirs"], ["merge", document, other, "--base", "none"],
                ["merge", document, other, "--theirs", "-o", folder.path + "/New.\(form)"],
            ]
            for command in commands {
                let dry = try FolioCommand.run(command + options + ["--dry-run"])
                let real = try FolioCommand.run(command + options)
                #expect(dry.exit == real.exit, "\(command): \(dry.messages) – \(real.messages)")
                let rule = "Tag.word must be unique"
                #expect(dry.messages.contains(rule) == real.messages.contains(rule), "\(command)")
                if command[0] != "merge" {
                    #expect(real.exit == 65 && real.messages.contains(rule), "\(command): \(real.messages)")
                }
            }
            // What passes a value on is no violation. An XML store has other numbers.
            if form == "xml" { return }
            let exchange = ["import", document, folder.path + "/exchange.csv", "--entity", "Tag", "--match", "id"]
            try Data("id,word\nTag/p1,b\nTag/p2,c\n".utf8).write(to: folder.appendingPathComponent("exchange.csv"))
            #expect(try FolioCommand.run(exchange + options + ["--dry-run"]).exit == 0)
        }
    }
}
