import Foundation
import Testing
import TestSupport

/// What is saved of damaged documents. The damage is what only a broken program or disk would do.
struct RepairTests {
    private struct Damaged {
        let path: String
        let target: String
        let folder: URL

        func edit(_ name: String, _ change: (inout Data) throws -> Void) throws {
            let url =
                name.isEmpty ? URL(fileURLWithPath: path) : URL(fileURLWithPath: path).appendingPathComponent(name)
            var bytes = try Data(contentsOf: url)
            try change(&bytes)
            try bytes.write(to: url)
        }
    }

    /// Repairs a copy of the sample that was damaged, which stays as it is, and looks at what comes
    /// out.
    private func repair(
        archive: Bool = false, exit: Int32, _ damage: (Damaged) throws -> Void,
        _ check: (FolioCommand.Outcome, Damaged) throws -> Void = { _, _ in }
    ) throws {
        try withTemporaryDirectory { folder in
            var path = try FolioCommand.copyOfDocument(in: folder)
            if archive {
                #expect(try FolioCommand.run("pack", path, folder.path + "/A.folioz").exit == 0)
                path = folder.path + "/A.folioz"
            }
            let damaged = Damaged(path: path, target: folder.path + "/Saved", folder: folder)
            try damage(damaged)
            let before = try FolioCommand.contents(of: folder)
            let outcome = try FolioCommand.run("repair", path, "-o", damaged.target, "--json")
            #expect(outcome.exit == exit, "\(outcome.messages)\(outcome.output)")
            #expect(try FolioCommand.contents(of: folder).filter { !$0.key.hasPrefix("Saved") } == before)
            if outcome.exit <= 1 {
                let verified = try FolioCommand.run("verify", damaged.target, "--deep")
                #expect(verified.exit == 0, "\(verified.output)")
            } else {
                #expect(!FileManager.default.fileExists(atPath: damaged.target))
            }
            try check(outcome, damaged)
        }
    }

    private func export(_ path: String) throws -> [String: [[String: Any]]] {
        let outcome = try FolioCommand.run("export", path)
        #expect(outcome.exit == 0, "\(outcome.messages)")
        return outcome.object["entities"] as? [String: [[String: Any]]] ?? [:]
    }

    private func lost(_ outcome: FolioCommand.Outcome) -> String { "\(outcome.object["lost"] ?? "")" }

    @Test(arguments: [false, true]) func aSoundDocumentIsSavedWhole(archive: Bool) throws {
        try repair(archive: archive, exit: 0) { _ in
        } _: { outcome, damaged throws in
            #expect(outcome.object["isComplete"] as? Bool == true)
            #expect(try FolioCommand.run("diff", damaged.path, damaged.target).exit == 0)
            #expect(
                try FolioCommand.run("info", damaged.target, "--json").object["kind"] as? String
                    == (archive ? "archive" : "package"))
        }
    }

    @Test func aManifestIsMadeAnew() throws {
        try repair(exit: 1) {
            try $0.edit("manifest.json") { $0 = Data("{".utf8) }
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("made anew"))
            #expect(try export(damaged.target)["Person"]?.count == 5)
        }
    }

    @Test func aModelIsTakenFromTheStore() throws {
        try repair(exit: 1) {
            try $0.edit("model/Expeditions.xcdatamodel/contents") { $0 = Data("<model".utf8) }
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("model/Expeditions.xcdatamodel"))
            #expect(try export(damaged.target)["Journey"]?.count == 3)
        }
    }
}

extension RepairTests {
    /// The page of the sample's store that begins a table.
    private func rootPage(_ table: String, _ store: String) throws -> Int {
        let process = Process(), pipe = privatePipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
        process.arguments = ["file:\(store)?immutable=1", "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"]
        process.standardOutput = pipe
        try process.run()
        process.waitUntilExit()
        return try #require(
            Int(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).dropLast()))
    }

    private static let hasShell = FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")

    @Test(.enabled(if: hasShell)) func oneTableThatIsGoneTakesNoOtherWithIt() throws {
        try repair(exit: 1) { damaged in
            let page = try rootPage("ZPERSON", damaged.path + "/store/store.sqlite")
            try damaged.edit("store/store.sqlite") { bytes in
                for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0xA5 }
            }
        } _: { outcome, damaged throws in
            let saved = try export(damaged.target)
            #expect(saved["Person"]?.isEmpty == true)
            #expect(saved["Journey"]?.count == 3)
            #expect(saved["Stop"]?.count == 6)
            #expect(lost(outcome).contains("be read"))
            #expect(lost(outcome).contains("leader leads to Person/p1"))
            #expect(lost(outcome).contains("Journey.members") || lost(outcome).contains("Person.journeys"))
        }
    }

    /// A definition is read no further than SQLite lets a table have columns: what stands beyond
    /// that says nothing of the rows.
    @Test(.enabled(if: hasShell)) func columnsBeyondTheMostThatATableCanHaveAreNotTaken() throws {
        try repair(exit: 1) { damaged in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            process.arguments = [
                damaged.path + "/store/store.sqlite",
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = 'CREATE TABLE ZPERSON (' || (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 40000) SELECT group_concat('c' || x) FROM c)
                || ', ' || substr(sql, instr(sql, '(') + 1) WHERE name = 'ZPERSON';
                """,
            ]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("the definition of the table ZPERSON is damaged"))
            func names(_ path: String) throws -> [String] {
                try export(path)["Person"]?.compactMap { ($0["attributes"] as? [String: Any])?["name"] as? String }
                    ?? []
            }
            #expect(try names(damaged.target) == names(FolioCommand.document))
        }
    }

    /// SQLite opens no database that lacks the first page of anything.
    @Test(.enabled(if: hasShell), arguments: ["ZSTOP_ZPLACE_INDEX", "ZSTOP"]) func whatStandsBeforeTheCutIsSaved(
        first: String
    ) throws {
        try repair(exit: 1) { damaged in
            let page = try rootPage(first, damaged.path + "/store/store.sqlite")
            #expect(page > 2)
            try damaged.edit("store/store.sqlite") { $0.removeSubrange(((page - 1) * 4096)...) }
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("is cut off: "))
            let saved = try export(damaged.target), whole = try export(FolioCommand.document),
                store = FolioCommand.document + "/store/store.sqlite"
            let cut = try rootPage(first, store)
            for (entity, table) in [("Person", "ZPERSON"), ("Journey", "ZJOURNEY"), ("Stop", "ZSTOP")] {
                #expect(
                    saved[entity]?.count == (try rootPage(table, store) < cut ? whole[entity]?.count : 0), "\(entity)")
            }
        }
    }
}

extension RepairTests {
    /// A header may promise any number of pages, more than a file may have here.
    @Test(arguments: [[], ["/usr/bin/prlimit", "--fsize=8000000", "--"]]) func aHeaderThatPromisesATerabyteCostsNothing(
        runner: [String]
    ) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder), store = document + "/store/store.sqlite",
                target = folder.appendingPathComponent("Repaired.folio").path
            var bytes = try Data(contentsOf: URL(fileURLWithPath: store))
            bytes.replaceSubrange(28..<32, with: [0x10, 0, 0, 0])
            try bytes.write(to: URL(fileURLWithPath: store))
            let outcome = try FolioCommand.run(["repair", document, "-o", target], through: runner)
            #expect(outcome.exit == 1, "\(outcome.messages)")
            #expect(try export(target)["Person"]?.count == export(FolioCommand.document)["Person"]?.count)
        }
    }

    @Test(.enabled(if: hasShell)) func indexesAndFreePagesThatAreBrokenCostNothing() throws {
        try repair(exit: 0) { damaged in
            let page = try rootPage("ZSTOP_ZPLACE_INDEX", damaged.path + "/store/store.sqlite")
            try damaged.edit("store/store.sqlite") { bytes in
                for index in (page - 1) * 4096..<page * 4096 { bytes[index] = 0xA5 }
                bytes.replaceSubrange(32..<40, with: [0, 0, 0, 7, 0, 0, 0, 9])
            }
        } _: { outcome, damaged throws in
            #expect(try export(damaged.target)["Stop"]?.count == 6)
        }
    }

    /// The second page says what the next ones are; rows may stand there all the same, after two
    /// pages were exchanged.
    @Test(.enabled(if: hasShell)) func rowsInThePlaceOfThePointerMapAreFound() throws {
        try repair(exit: 1) { damaged in
            let page = try rootPage("ZPERSON", damaged.path + "/store/store.sqlite")
            try damaged.edit("store/store.sqlite") { bytes in
                let map = Data(bytes[4096..<8192]), rows = Data(bytes[(page - 1) * 4096..<page * 4096])
                bytes.replaceSubrange(4096..<8192, with: rows)
                bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: map)
            }
        } _: { _, damaged throws in
            #expect(try export(damaged.target)["Person"]?.count == 5)
        }
    }

    @Test(.enabled(if: hasShell)) func onlyTheRowsOfABrokenPageAreLost() throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            let lines = (1...3_000).map { "{\"attributes\":{\"name\":\"Somebody called number \($0)\"}}" }.joined(
                separator: "\n")
            try Data(lines.utf8).write(to: folder.appendingPathComponent("people.jsonl"))
            let imported = try FolioCommand.run("import", path, folder.path + "/people.jsonl", "--entity", "Person")
            #expect(imported.exit == 0, "\(imported.messages)")
            let store = URL(fileURLWithPath: path + "/store/store.sqlite")
            var bytes = try Data(contentsOf: store)
            // The leaf with this row, found by its text.
            let place = try #require(bytes.range(of: Data("Somebody called number 1500".utf8))).lowerBound
            let page = place / 4096 * 4096
            for index in page..<page + 4096 { bytes[index] = 0xA5 }
            try bytes.write(to: store)
            let outcome = try FolioCommand.run("repair", path, "-o", folder.path + "/Saved", "--json")
            #expect(outcome.exit == 1, "\(outcome.messages)")
            let people = try #require((outcome.object["entities"] as? [String: Int])?["Person"])
            #expect(people > 2_800 && people < 3_005, "\(people)")
            #expect(lost(outcome).contains("the rows "))
            #expect(try FolioCommand.run("verify", folder.path + "/Saved", "--deep").exit == 0)
        }
    }
}

extension RepairTests {
    /// The model is known: which columns there are, and what rows look like.
    @Test(arguments: [
        "CREATE TABLE ZPERSON", "ZNAME", "Z_PK INTEGER PRIMARY KEY", "tableZJOURNEY", "ZSTOP (", "Z_PRIMARYKEY",
        "Z_METADATA (",
    ]) func oneByteOfTheSchemaTakesNoRowsWithIt(text: String) throws {
        for offset in [0, text.utf8.count / 2, text.utf8.count - 1] {
            try withTemporaryDirectory { folder in
                let path = try FolioCommand.copyOfDocument(in: folder),
                    store = URL(fileURLWithPath: path + "/store/store.sqlite"), target = folder.path + "/Saved"
                var bytes = try Data(contentsOf: store)
                bytes[try #require(bytes[..<8192].firstRange(of: Data(text.utf8))).lowerBound + offset] ^= 0x81
                try bytes.write(to: store)
                // A byte that says nothing of names or places is not missed.
                let outcome = try FolioCommand.run("repair", path, "-o", target, "--json")
                #expect(outcome.exit <= 1, "\(text) \(offset): \(outcome.messages)")
                let saved = try export(target), whole = try export(FolioCommand.document)
                for (entity, objects) in whole {
                    #expect(saved[entity]?.count == objects.count, "\(text) \(offset) \(entity): \(lost(outcome))")
                }
                let names = Set(
                    saved["Person"]?.compactMap { ($0["attributes"] as? [String: Any])?["name"] as? String } ?? [])
                #expect(names.contains("Fridtjof Nansen"), "\(text) \(offset): \(names)")
            }
        }
    }

    @Test(.enabled(if: hasShell)) func columnsAndTablesOfOtherProgramsAreNoHindrance() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/A.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
            process.arguments = [
                store, "ALTER TABLE ZPERSON ADD COLUMN loud AS (upper(ZNAME))",
                "CREATE TABLE more(a, b AS (a + 1) STORED, c AS (a) VIRTUAL)",
                "CREATE VIRTUAL TABLE words USING fts5(word)", "INSERT INTO words VALUES('one')",
            ]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let outcome = try FolioCommand.run("repair", store, "-o", folder.path + "/Saved.sqlite", "--json")
            #expect(outcome.exit == 0, "\(outcome.output)\(outcome.messages)")
            #expect(try export(folder.path + "/Saved.sqlite")["Person"]?.count == 5)
        }
    }

    @Test func aStoreBehindALinkIsNotTheDocumentsOwn() throws {
        try repair(exit: 65) { damaged in
            let store = damaged.path + "/store", other = damaged.folder.path + "/elsewhere"
            try FileManager.default.moveItem(atPath: store, toPath: other)
            try FileManager.default.createSymbolicLink(atPath: store, withDestinationPath: other)
        }
        try repair(exit: 1) { damaged in
            try FileManager.default.createDirectory(
                atPath: damaged.folder.path + "/elsewhere", withIntermediateDirectories: false)
            try Data("x".utf8).write(to: URL(fileURLWithPath: damaged.folder.path + "/elsewhere/file"))
            try FileManager.default.createSymbolicLink(
                atPath: damaged.path + "/extra", withDestinationPath: damaged.folder.path + "/elsewhere")
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("is a link"))
            #expect(!FileManager.default.fileExists(atPath: damaged.target + "/extra"))
        }
    }
}

extension RepairTests {
    @Test func aLinkAmongTheApplicationsFilesTakesNoOtherWithIt() throws {
        try repair(exit: 1) { damaged in
            let extra = damaged.path + "/extra"
            try FileManager.default.createDirectory(atPath: extra, withIntermediateDirectories: true)
            try Data("kept".utf8).write(to: URL(fileURLWithPath: extra + "/file"))
            try FileManager.default.createSymbolicLink(
                atPath: extra + "/link", withDestinationPath: damaged.path + "/manifest.json")
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("extra/link"))
            #expect(try String(contentsOfFile: damaged.target + "/extra/file", encoding: .utf8) == "kept")
        }
    }

    @Test func aHeaderIsMended() throws {
        try repair(exit: 1) {
            try $0.edit("store/store.sqlite") { $0.replaceSubrange(0..<18, with: [UInt8](repeating: 0, count: 18)) }
        } _: { outcome, damaged throws in
            #expect(try export(damaged.target)["Person"]?.count == 5)
            #expect(lost(outcome).contains("does not begin as a database does"))
        }
    }

    @Test func anArchiveWithoutItsDirectoryIsReadByItsEntries() throws {
        try repair(archive: true, exit: 1) {
            try $0.edit("") { $0 = $0.dropLast(120) }
        } _: { outcome, damaged throws in
            #expect(try export(damaged.target)["Person"]?.count == 5)
            #expect(lost(outcome).contains("archive"))
        }
    }

    @Test func junkAroundAnArchiveIsPassedOver() throws {
        try repair(archive: true, exit: 1) {
            try $0.edit("") { $0 = Data("#!/bin/sh\nexit\n".utf8) + $0 + Data("junk".utf8) }
        } _: { outcome, damaged throws in
            #expect(try export(damaged.target)["Person"]?.count == 5)
            #expect(lost(outcome).contains("junk"))
        }
    }

    @Test func aWrongChecksumIsToldAndTheRestSaved() throws {
        try repair(archive: true, exit: 1) { damaged in
            try damaged.edit("") { bytes in
                let name = try #require(bytes.range(of: Data("Nansen".utf8)))
                bytes[name.lowerBound] = UInt8(ascii: "M")
            }
        } _: { outcome, damaged throws in
            #expect(lost(outcome).contains("its checksum is wrong"))
            #expect(try FolioCommand.run("export", damaged.target).output.contains("Mansen"))
        }
    }

    @Test func whereNothingIsLeftNothingIsWritten() throws {
        try repair(exit: 65) { try $0.edit("store/store.sqlite") { $0 = Data(repeating: 0xA5, count: 40_000) } }
        try repair(archive: true, exit: 65) {
            try $0.edit("") { $0 = Data("PK\u{3}\u{4}".utf8) + Data(repeating: 1, count: 5_000) }
        }
    }

    @Test func nothingIsReplacedUnaskedAndDryRunsWriteNothing() throws {
        try withTemporaryDirectory { folder in
            let path = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("repair", path).exit == 64)
            #expect(try FolioCommand.run("repair", path, "-o", path, "--force").exit == 64)
            let dry = try FolioCommand.run("repair", path, "-o", folder.path + "/B.folio", "--dry-run")
            #expect(dry.exit == 0)
            #expect(dry.messages.hasPrefix("would save "))
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/B.folio"))
            #expect(try FolioCommand.run("repair", path, "-o", folder.path + "/B.folio").exit == 0)
            #expect(try FolioCommand.run("repair", path, "-o", folder.path + "/B.folio").exit == 73)
            #expect(try FolioCommand.run("repair", path, "-o", folder.path + "/B.folio", "--force").exit == 0)
        }
    }
}
