import Foundation
import Testing
import TestSupport

/// Damage that is found. The sample is a package; what is done to it here, only a broken program or
/// disk would do.
struct VerifyTests {
    private func expectDamage(_ says: String..., deep: Bool = false, done damage: (String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
            try damage(document)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run(["verify", document] + (deep ? ["--deep"] : []))
            #expect(outcome.exit == 1, "\(outcome.messages)")
            for text in says { #expect(outcome.output.contains(text), "\(outcome.output)") }
            let json = try FolioCommand.run(["verify", document, "--json"] + (deep ? ["--deep"] : []))
            #expect(json.object["isDamaged"] as? Bool == true)
            #expect((json.object["findings"] as? [Any])?.isEmpty == false)
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    /// A model that is missing or wrong is a mistake of whoever calls, as it is to all commands.
    @Test(arguments: ["sqlite", "binary", "xml"]) func aStoreWithoutItsModelIsNotDamaged(kind: String) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/Doc.\(kind)",
                other = FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, path, "--store", kind).exit == 0)
            let wrong = try FolioCommand.run("verify", path, "--model", other)
            #expect(wrong.exit == 78 && wrong.output.isEmpty && wrong.errors.count == 1, "\(wrong.messages)")
            #expect(try FolioCommand.run("verify", path, "--model", FolioCommand.model).exit == 0)
            let bare = try FolioCommand.run("verify", path)
            #expect(bare.exit == (kind == "xml" ? 78 : 0), "\(bare.messages)")
        }
    }

    private func edit(_ document: String, _ name: String, _ change: (inout Data) throws -> Void) throws {
        let url = URL(fileURLWithPath: document).appendingPathComponent(name)
        var bytes = try Data(contentsOf: url)
        try change(&bytes)
        try bytes.write(to: url)
    }

    @Test func aManifestThatSaysSomethingElse() throws {
        try expectDamage("Person", deep: true) { document in
            try edit(document, "manifest.json") { bytes in
                bytes = Data(
                    String(decoding: bytes, as: UTF8.self).replacing(/"Person"\s*:\s*5/, with: "\"Person\": 7").utf8)
            }
        }
        try expectDamage("manifest") { document in try edit(document, "manifest.json") { $0 = Data("{}".utf8) } }
    }

    @Test func aStoreWithBrokenPages() throws {
        try expectDamage("store") { document in
            try edit(document, "store/store.sqlite") { bytes in
                for index in 8_200..<8_800 { bytes[index] = 0xA5 }
            }
        }
        try expectDamage("store") { document in try edit(document, "store/store.sqlite") { $0 = $0.prefix(30_000) } }
    }

    @Test func aModelThatIsGone() throws {
        try expectDamage("model/Expeditions.xcdatamodel") { document in
            try FileManager.default.removeItem(atPath: document + "/model/Expeditions.xcdatamodel/contents")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
    func referencesThatLeadNowhere() throws {
        func run(_ sql: String, _ document: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            process.arguments = [document + "/store/store.sqlite", sql]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        try expectDamage("Stop/p2: place leads to Place/p99", "Journey/p1", "Person/p77", "members", "up to 40") {
            document in
            try run(
                "UPDATE ZSTOP SET ZPLACE = 99 WHERE Z_PK = 2; UPDATE ZPERSON SET Z_PK = 40 WHERE Z_PK = 5;", document)
            try run(
                "INSERT INTO Z_1MEMBERS VALUES (1, 77); PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;",
                document)
            // What points at nothing is left out, not a reason to stop.
            let export = try FolioCommand.run("export", document)
            #expect(export.exit == 0, "\(export.messages)")
            #expect(!export.output.contains("/p99\"") && !export.output.contains("/p77\""))
        }
    }
}

extension VerifyTests {
    @Test func aVersionThatCanNotBeRestored() throws {
        try expectDamage("versions: ", deep: true) { document in
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=Fritjof").exit == 0)
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
            try edit(document, "versions/1.delta") { $0[$0.count / 2] ^= 1 }
        }
    }

    @Test func aFileThatIsNotWhatItsNameSays() throws {
        try expectDamage("content: ", deep: true) { document in
            let folder = URL(fileURLWithPath: document + "/content/ab")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: folder.appendingPathComponent("AB000000-0000-0000-0000-000000000000"))
        }
    }

    private func sqlite(_ sql: String, _ document: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = [
            document + "/store/store.sqlite",
            sql + "; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
    func aSchemaThatIsNotTheModels() throws {
        try expectDamage("the index ZSTOP_ZPLACE_INDEX is missing", deep: true) {
            try sqlite("DROP INDEX ZSTOP_ZPLACE_INDEX", $0)
        }
        try expectDamage("the table ZSTRANGER has no place in the model", deep: true) {
            try sqlite("CREATE TABLE ZSTRANGER (a)", $0)
        }
        try expectDamage("the entity Person has 2 numbers") {
            try sqlite("INSERT INTO Z_PRIMARYKEY VALUES (77, 'Person', 0, 0)", $0)
        }
    }
}

/// What `verify` says of the files of versions, of writers, and of what they left.
struct VerifiedPartTests {
    /// A package whose versions 1, 2 and 3 are kept.
    private static func document(in folder: URL) throws -> String {
        let document = try FolioCommand.copyOfDocument(in: folder)
        for name in ["a", "b", "c"] {
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=\(name)").exit == 0)
        }
        return document
    }

    @Test(arguments: [[], ["--deep"]]) func aMissingFileOfAVersionIsSaidOnceWithTheVersionsThatItTakesAlong(
        options: [String]
    ) throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(in: folder)
            let listed = try FolioCommand.run("versions", document, "--json").json as? [[String: Any]] ?? []
            let deltas = try FileManager.default.contentsOfDirectory(atPath: document + "/versions").filter {
                $0.hasSuffix(".delta")
            }.sorted()
            #expect(deltas.count >= 3)
            #expect(try FolioCommand.run(["verify", document] + options).exit == 0)
            try FileManager.default.removeItem(atPath: document + "/versions/" + deltas[1])
            let outcome = try FolioCommand.run(["verify", document] + options)
            #expect(outcome.exit == 1)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.filter { $0.contains(deltas[1]) }.count == 1, "\(outcome.output)")
            #expect(
                lines.filter { $0.contains("can't be restored any more") }.count == 1 && lines.count == 2,
                "\(outcome.output) \(listed)")
        }
    }

    @Test func whatAKilledWriterLeftIsANoteAndGoesWithTheNextEdit() throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(in: folder),
                left = document + "/content/.value.tmp-0123abcd-0123-4567-89ab-0123456789ab"
            try FileManager.default.createDirectory(atPath: document + "/content", withIntermediateDirectories: true)
            try Data("half".utf8).write(to: URL(fileURLWithPath: left))
            let outcome = try FolioCommand.run("verify", document, "--deep")
            #expect(
                outcome.exit == 0 && outcome.messages.contains("note: ") && outcome.messages.contains(".value.tmp-"),
                "\(outcome.output)\(outcome.messages)")
            #expect(try FolioCommand.run("set", document, "Person/p1", "name=d").exit == 0)
            #expect(!FileManager.default.fileExists(atPath: left))
        }
    }

    @Test func aWriterIsNoDamage() throws {
        try withTemporaryDirectory { folder in
            let document = try Self.document(in: folder)
            let writer = Process()
            writer.executableURL = URL(fileURLWithPath: "/bin/sh")
            writer.arguments = [
                "-c", "i=0; while [ $i -lt 40 ]; do i=$((i+1)); \"$0\" set \"$1\" Person/p1 name=$i; done",
                FolioCommand.binary.path, document,
            ]
            writer.environment = ProcessInfo.processInfo.environment.merging(["XDG_STATE_HOME": folder.path + "/state"])
            { $1 }
            writer.standardError = FileHandle.nullDevice
            try writer.run()
            var looked = 0
            while writer.isRunning {
                let outcome = try FolioCommand.run("verify", document, "--deep")
                #expect(outcome.exit == 0 || outcome.exit == 75, "\(outcome.output)\(outcome.messages)")
                looked += 1
            }
            #expect(looked > 0)
            #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
        }
    }
}
