import Foundation
import SQLiteKit
import TestSupport
import Testing

/// What is read is written, or an error says that it is not.
struct RowCountTests {
    private static let contents = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Thing"><attribute name="name" optional="YES" attributeType="Integer 16"/></entity>
            <entity name="Tool" parentEntity="Thing"><attribute name="use" optional="YES" attributeType="String"/></entity>
        </model>
        """

    private func model(_ folder: URL, _ name: String, _ contents: String) throws -> String {
        let model = folder.path + "/\(name).xcdatamodel"
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
        return model
    }

    private func sql(_ path: String, _ statements: String) throws {
        let connection = try Connection(path, .readWrite)
        try connection.execute(statements)
        try connection.close()
    }

    /// A store with a thing, a tool, and what `statements` do to it.
    private func withStore(_ statements: String, _ body: (URL, _ path: String, _ old: String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let old = try model(folder, "Old", Self.contents)
            let path = folder.path + "/Doc.sqlite"
            #expect(try FolioCommand.run("new", path, "--model", old).exit == 0)
            #expect(try FolioCommand.run("insert", path, "Thing", "name=1").exit == 0)
            #expect(try FolioCommand.run("insert", path, "Tool", "name=2").exit == 0)
            try sql(path, statements)
            try body(folder, path, old)
        }
    }

    private static let stray = "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (9, 77, 1, 3)"
    private static let lost = "of no entity of the model"

    @Test(arguments: [true, false]) func rowsOfNoEntityAreNotLostByAMigrationInPlace(hasStray: Bool) throws {
        try withStore(hasStray ? Self.stray : "") { folder, path, _ in
            // The hierarchy is divided, so that its rows are copied.
            let name = "<attribute name=\"name\" optional=\"YES\" attributeType=\"Integer 16\"/>"
            let new = try model(
                folder, "New",
                """
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Thing">\(name)</entity>
                    <entity name="Tool">\(name)<attribute name="use" optional="YES" attributeType="String"/></entity>
                </model>
                """)
            let dry = try FolioCommand.run("migrate", path, "--model", new, "--dry-run")
            let real = try FolioCommand.run("migrate", path, "--model", new)
            #expect(real.exit == (hasStray ? 65 : 0) && dry.exit == real.exit, "\(real.messages)")
            #expect(real.messages.contains(Self.lost) == hasStray && dry.errors == real.errors, "\(dry.messages)")
        }
    }

    @Test func rowsOfNoEntityAreNotLeftBehindByAMerge() throws {
        try withStore(Self.stray) { folder, path, old in
            let ours = folder.path + "/Ours.sqlite"
            #expect(try FolioCommand.run("new", ours, "--model", old).exit == 0)
            for option in [["--dry-run"], []] {
                let merged = try FolioCommand.run(["merge", ours, path, "--base", "none"] + option)
                #expect(
                    merged.exit == 65 && merged.messages.contains(Self.lost)
                        && merged.messages.contains("Doc.sqlite: Of 3"), "\(merged.messages)")
            }
        }
    }

    @Test func rowsThatATriggerKeepsOutAreAnError() throws {
        let trigger =
            "CREATE TRIGGER keep BEFORE INSERT ON ZTHING WHEN new.ZNAME = 5 BEGIN SELECT RAISE(IGNORE); END"
        try withStore(trigger) { folder, path, _ in
            try Data("name\n4\n5\n".utf8).write(to: folder.appendingPathComponent("Thing.csv"))
            for command in [
                ["insert", path, "Thing", "name=5"], ["import", path, folder.path + "/Thing.csv", "--entity", "Thing"],
            ] {
                let outcome = try FolioCommand.run(command)
                #expect(outcome.exit == 65 && outcome.messages.contains("would be written"), "\(outcome.messages)")
            }
            let count = try FolioCommand.run("fetch", path, "Thing", "--count")
            #expect(count.output.trimmingCharacters(in: .whitespacesAndNewlines) == "2", "\(count.messages)")
        }
    }
}
