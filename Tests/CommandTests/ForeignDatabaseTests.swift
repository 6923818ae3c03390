import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Sound SQLite databases that are no stores, and URLs in the place of files.
struct ForeignDatabaseTests {
    @Test(arguments: [
        ["info", "F"], ["fetch", "F", "users"], ["verify", "F"], ["verify", "--deep", "F"],
        ["repair", "F", "-o", "N.folio"],
        ["save-as", "F", "N.folio"], ["export", "F"], ["insert", "F", "User", "name=x"],
        ["set", "F", "User/p1", "name=x"],
        ["import", "F", "/dev/null"], ["diff", "F", "F"], ["merge", "F", "F"], ["versions", "F"], ["model", "F"],
        ["recover", "F", "--list"],
    ]) func aDatabaseOfAnotherProgramIsToldToBeOne(_ arguments: [String]) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/users.sqlite"
            let connection = try Connection(path, .create)
            try connection.execute(
                "CREATE TABLE users (id INTEGER PRIMARY KEY, name); INSERT INTO users VALUES (1, 'a')")
            try connection.close()
            let before = try FolioCommand.contents(of: folder)
            let words = arguments.map { $0 == "F" ? path : $0 == "N.folio" ? folder.path + "/N.folio" : $0 }
            let outcome = try FolioCommand.run(words)
            #expect(outcome.exit == 65, "\(outcome.messages)")
            #expect(outcome.messages.contains("a SQLite database, but none of Core Data's"), "\(outcome.messages)")
            #expect(!outcome.messages.contains("folio repair"), "\(outcome.messages)")
            #expect(!outcome.messages.contains("damage"), "\(outcome.messages)")
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    @Test func migrationTellsOfAForeignDatabaseToo() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/empty.sqlite"
            let connection = try Connection(path, .create)
            try connection.execute("CREATE TABLE t (x)")
            try connection.close()
            let outcome = try FolioCommand.run(
                "migrate", path, "--model", FolioCommand.samples.path + "/Expeditions.xcdatamodeld")
            #expect(outcome.exit == 65 && outcome.messages.contains("none of Core Data's"), "\(outcome.messages)")
            #expect(!outcome.messages.contains("folio repair"))
        }
    }

    @Test func aStoreThatLostItsMetadataIsDamaged() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, path).exit == 0)
            let connection = try Connection(path, .readWrite)
            try connection.execute("DROP TABLE Z_METADATA")
            try connection.close()
            let outcome = try FolioCommand.run("info", path)
            #expect(outcome.exit == 65 && outcome.messages.contains("folio repair"), "\(outcome.messages)")
            #expect(try FolioCommand.run("verify", path).exit == 1)
        }
    }

    @Test(arguments: [
        "https://example.com/a.folio", "postgresql://localhost/db", "FILE:///tmp/a.folio", "s3://bucket/a",
    ])
    func urlsAreNotSupported(_ url: String) throws {
        try withTemporaryDirectory { folder in
            let document = FolioCommand.document, model = FolioCommand.samples.path + "/Expeditions.xcdatamodeld"
            for words in [
                ["info", url], ["fetch", url, "Person"], ["verify", url], ["repair", url, "-o", "N.folio"],
                ["new", url, "--model", model], ["new", "N.folio", "--model", url], ["save-as", document, url],
                ["export", document, "-o", url], ["import", document, url], ["diff", document, url], ["model", url],
                ["model", "hash", url], ["migrate", url, "--model", model], ["merge", document, url],
                ["pack", url, "N"],
                ["fetch", document, "Person", "--model", url],
            ] {
                let outcome = try FolioCommand.run(words, in: folder)
                #expect(outcome.exit == 69, "\(words) \(outcome.messages)")
                #expect(outcome.messages.contains("URL"), "\(outcome.messages)")
            }
            #expect(try FolioCommand.contents(of: folder).isEmpty)
            // Values and objects are no files.
            let outcome = try FolioCommand.run("get", document, "x-coredata://X/Person/p1")
            #expect(outcome.exit != 69)
        }
    }
}

/// Stores and models that are read without a part.
struct IncompleteInputTests {
    @Test func whatAStoreLacksIsNoted() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, path).exit == 0)
            let connection = try Connection(path, .readWrite)
            let table = try connection.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_[0-9]*' ORDER BY name"
            ).first?[0].text
            try connection.execute("DROP TABLE \(try #require(table))")
            try connection.close()
            let note = "the table \(try #require(table)) of"
            for words in [["info", path], ["fetch", path, "Person"], ["export", path]] {
                let outcome = try FolioCommand.run(words)
                #expect(outcome.exit == 0, "\(outcome.messages)")
                #expect(outcome.messages.contains(note), "\(words): \(outcome.messages)")
            }
            let saved = folder.path + "/Saved.folio"
            let copied = try FolioCommand.run("save-as", path, saved)
            #expect(copied.exit == 0 && copied.messages.contains(note))
            let verified = try FolioCommand.run("verify", path)
            #expect(verified.exit == 1 && verified.output.contains(note), "\(verified.output)")
            #expect(try FolioCommand.run("verify", saved, "--deep").exit == 0)
        }
    }

    @Test func aModelWithADefaultThatCanNotBeReadIsReadWithAWarning() throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Zims.xcdatamodel"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            try """
            <model><entity name="File"><attribute name="isMissing" attributeType="Boolean" defaultValueString="0.0"/>
            <attribute name="size" attributeType="Integer 16" defaultValueString="huge"/></entity></model>
            """.write(toFile: model + "/contents", atomically: true, encoding: .utf8)
            for words in [
                ["model", model], ["model", "hash", model], ["new", folder.path + "/A.folio", "--model", model],
            ] {
                let outcome = try FolioCommand.run(words)
                #expect(outcome.exit == 0, "\(outcome.messages)")
                #expect(outcome.messages.contains("warning: \(model): File.size: “huge”"), "\(outcome.messages)")
                #expect(!outcome.messages.contains("isMissing"))
            }
            #expect(try FolioCommand.run("model", model, "--json").output.contains("\"warnings\""))
        }
    }
}
