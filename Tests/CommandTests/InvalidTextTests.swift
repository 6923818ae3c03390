import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Text in a store that is not UTF-8.
struct InvalidTextTests {
    private static let contents = """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Place">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
            </entity>
        </model>
        """

    @Test(arguments: [3, 300]) func isShownAlikeAndNamedByVerify(_ count: Int) throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Places.xcdatamodel", path = folder.path + "/Doc.sqlite"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            try Data(Self.contents.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
            #expect(try FolioCommand.run("new", path, "--model", model).exit == 0)
            let connection = try Connection(path, .readWrite)
            // Latin-1, half of a character, a good one, and more rows than are read one by one.
            try connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT, ZNAME)
                    SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Place'), 1,
                        CASE i WHEN 1 THEN CAST(x'636166e9' AS TEXT) WHEN 2 THEN CAST(x'e282' AS TEXT) ELSE 'café' END FROM n;
                UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)
                """)
            try connection.close()
            let verified = try FolioCommand.run("verify", path, "--deep")
            #expect(verified.exit == 1)
            for finding in [
                "Place/p1: name (column ZNAME) is the text “caf\u{FFFD}”, which is not a String in UTF-8",
                "Place/p2: name (column ZNAME) is the text “\u{FFFD}”, which is not a String in UTF-8",
            ] {
                #expect(verified.output.contains(finding), "\(verified.messages)")
            }
            #expect(!verified.output.contains("Place/p3"))
            // By a fetch of one object, of all, by columns, and by the export.
            let shown = [
                ["fetch", path, "Place", "--where", "SELF == 'Place/p1'", "--format", "csv"],
                ["fetch", path, "Place", "--format", "csv"],
                ["fetch", path, "Place", "--columns", "name", "--format", "csv"],
                ["export", path, "--entity", "Place", "--format", "csv"],
                ["fetch", path, "Place", "--sort", "name", "--format", "csv"],
            ]
            for command in shown {
                let outcome = try FolioCommand.run(command)
                #expect(outcome.exit == 0 && outcome.output.contains("caf\u{FFFD}"), "\(command): \(outcome.messages)")
            }
        }
    }
}
