import Foundation
import TestSupport
import Testing

/// `folio versions`, `folio restore`, and `DOC@n` wherever a document is read.
struct VersionsTests {
    /// A document that was saved four times, with one more person each time.
    private func document(in folder: URL) throws -> String {
        let path = folder.appendingPathComponent("Doc.folio").path
        #expect(try FolioCommand.run("new", path, "--model", FolioCommand.model).exit == 0)
        for name in ["Ada", "Barbara", "Grace", "Radia"] {
            #expect(try FolioCommand.run("insert", path, "Person", "name=\(name)").exit == 0)
        }
        return path
    }

    private func people(_ path: String) throws -> String {
        try FolioCommand.run("fetch", path, "Person", "--count").output
    }

    @Test func versionsAreListedReadAndRestored() throws {
        try withTemporaryDirectory { folder in
            let path = try document(in: folder)
            let listed = try FolioCommand.run("versions", path, "--json")
            #expect(listed.exit == 0)
            let versions = try #require(listed.json as? [[String: Any]])
            #expect(versions.compactMap { $0["version"] as? Int } == [0, 1, 2, 3, 4])
            #expect(
                versions.dropLast().allSatisfy {
                    $0["reason"] as? String == "save" && $0["state"] as? String == "version"
                        && ($0["size"] as? Int ?? 0) > 4096
                })
            #expect(
                versions.last?["state"] as? String == "saved" && versions.last?["document"] as? String == path + "@4")
            for version in versions {
                #expect(
                    try FolioCommand.run("fetch", version["document"] as? String ?? "", "Person", "--count").exit == 0)
            }
            let lines = try FolioCommand.run("versions", path).output.split(separator: "\n")
            #expect(lines.count == 7 && lines.last?.hasPrefix("4, saved  ") == true)
            #expect(try FolioCommand.run("info", path, "--json").object["versions"] as? Int == 4)

            #expect(try people(path + "@2") == "2\n")
            #expect(try people(path + "@4") == "4\n")
            #expect(try people(path + "@saved") == "4\n")
            #expect(try FolioCommand.run("fetch", path + "@9", "Person").exit == 66)
            #expect(try FolioCommand.run("fetch", path + "@autosaved", "Person").exit == 66)
            #expect(
                try FolioCommand.run("info", path + "@1", "--json").object["entities"].flatMap {
                    $0 as? [String: Int]
                }?["Person"] == 1)
            #expect(try FolioCommand.run("diff", path + "@3", path).exit == 1)
            #expect(try FolioCommand.run("diff", path + "@4", path).exit == 0)
            let refused = try FolioCommand.run("insert", path + "@2", "Person", "name=No")
            #expect(refused.exit == 64 && refused.hints.count == 1)

            let copy = folder.appendingPathComponent("Old.folio").path
            #expect(try FolioCommand.run("restore", path + "@2", "-o", copy, "--dry-run").exit == 0)
            #expect(!FileManager.default.fileExists(atPath: copy))
            #expect(try FolioCommand.run("restore", path + "@2", "-o", copy).exit == 0)
            #expect(try people(copy) == "2\n")
            #expect(try FolioCommand.run("restore", path + "@2", "-o", copy).exit == 73)

            #expect(try FolioCommand.run("restore", path + "@1", "--dry-run").exit == 0)
            #expect(try people(path) == "4\n")
            let restored = try FolioCommand.run("restore", path + "@1", "--json")
            #expect(restored.exit == 0, "\(restored.messages)")
            #expect(restored.object["versions"] as? Int == 5)
            #expect(try people(path) == "1\n")
            #expect(try people(path + "@4") == "4\n")
            #expect(try FolioCommand.run("restore", path + "@77").exit == 66)
            #expect(try FolioCommand.run("restore", path).exit == 64)
            #expect(try FolioCommand.run("verify", path, "--deep").exit == 0)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["Doc.folio", "Old.folio"])
        }
    }
}

extension VersionsTests {
    @Test func prunedVersionsAreGoneAndTheOthersStay() throws {
        try withTemporaryDirectory { folder in
            let path = try document(in: folder)
            let preview = try FolioCommand.run("versions", "prune", path, "--keep", "2", "--dry-run", "--json")
            #expect((preview.json as? [[String: Any]])?.compactMap { $0["version"] as? Int } == [0, 1])
            #expect(try FolioCommand.run("info", path, "--json").object["versions"] as? Int == 4)
            #expect(try FolioCommand.run("versions", "prune", path, "--keep", "30d").exit == 0)
            #expect(try FolioCommand.run("info", path, "--json").object["versions"] as? Int == 4)
            #expect(try FolioCommand.run("versions", "prune", path, "--keep", "2").exit == 0)
            #expect(try FolioCommand.run("info", path, "--json").object["versions"] as? Int == 2)
            #expect(try people(path + "@2") == "2\n")
            #expect(try FolioCommand.run("fetch", path + "@1", "Person").exit == 66)
            for wrong in [
                ["versions", "prune", path], ["versions", "prune", path, "--keep", "some"],
                ["versions", path, "--keep", "2"],
            ] {
                #expect(try FolioCommand.run(wrong).exit == 64)
            }
        }
    }

    @Test func anArchiveHasTheVersionsThatWerePackedWithIt() throws {
        try withTemporaryDirectory { folder in
            let path = try document(in: folder), archive = folder.appendingPathComponent("Doc.folioz").path
            #expect(try FolioCommand.run("pack", path, archive, "--with-versions").exit == 0)
            #expect((try FolioCommand.run("versions", archive, "--json").json as? [Any])?.count == 5)
            #expect(try FolioCommand.run("info", archive, "--json").object["versions"] as? Int == 4)
            #expect(try people(archive + "@2") == "2\n")
            #expect(try people(archive) == "4\n")
            // A save keeps the state before it there too.
            #expect(try FolioCommand.run("insert", archive, "Person", "name=Frances").exit == 0)
            #expect(try people(archive + "@4") == "4\n")
            #expect(try people(archive + "@1") == "1\n")
            #expect(try people(archive) == "5\n")

            let plain = folder.appendingPathComponent("Plain.folioz").path
            #expect(try FolioCommand.run("pack", path, plain).exit == 0)
            #expect(
                (try FolioCommand.run("versions", plain, "--json").json as? [[String: Any]])?.compactMap {
                    $0["state"] as? String
                } == ["saved"])
            #expect(try FolioCommand.run("fetch", plain + "@2", "Person").exit == 66)
            let store = folder.appendingPathComponent("Doc.sqlite").path
            #expect(try FolioCommand.run("save-as", path, store, "--store", "sqlite").exit == 0)
            #expect(try FolioCommand.run("fetch", store + "@1", "Person").exit == 69)
        }
    }

    /// What only versions refer to stays in the document while it is an archive and after that,
    /// until the versions go; where it is gone, `verify --deep` says so.
    @Test(arguments: ["pack", "save-as"]) func largeValuesOfAnArchivesVersionsStay(command: String) throws {
        try withTemporaryDirectory { folder in
            func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
            func run(_ words: String...) throws { #expect(try FolioCommand.run(words).exit == 0, "\(words)") }
            let source = try document(in: folder), archive = path("A.folioz"), package = path("A.folio")
            func portrait(_ byte: UInt8) throws -> String {
                let file = folder.appendingPathComponent("\(byte)")
                try Data(repeating: byte, count: 200_000).write(to: file)
                return file.path
            }
            try run("attach", source, "Person/p1", "portrait", portrait(1))
            try run(command, source, archive, "--with-versions")
            try run("attach", archive, "Person/p1", "portrait", portrait(2))
            try run("attach", archive, "Person/p1", "portrait", portrait(3))
            try run("unpack", archive, package)
            let states = try #require(FolioCommand.run("versions", package, "--json").json as? [[String: Any]])
            let numbers = states.dropLast().suffix(2).compactMap { $0["version"] as? Int }
            func portraits() throws -> [UInt8?] {
                try numbers.map { number in
                    let out = path("out-\(UUID().uuidString)")
                    let exit = try FolioCommand.run(
                        "extract", "\(package)@\(number)", "Person/p1", "portrait", "-o", out
                    )
                    .exit
                    return exit == 0 ? try Data(contentsOf: URL(fileURLWithPath: out)).first : nil
                }
            }
            #expect(try portraits() == [1, 2])
            try run("versions", "prune", package, "--keep", "2")
            #expect(try portraits() == [1, 2])
            try run("verify", "--deep", package)
            for group in try FileManager.default.contentsOfDirectory(atPath: package + "/content") {
                for name in try FileManager.default.contentsOfDirectory(atPath: "\(package)/content/\(group)") {
                    let file = URL(fileURLWithPath: "\(package)/content/\(group)/\(name)")
                    if try Data(contentsOf: file).first == 2 { try FileManager.default.removeItem(at: file) }
                }
            }
            let damaged = try FolioCommand.run("verify", "--deep", package)
            #expect(damaged.exit == 1 && damaged.output.contains("a large value of version"), "\(damaged.output)")
        }
    }
}

extension VersionsTests {
    @Test(arguments: ["--package", "--archive"]) func aCopyHasTheVersionsOnlyWhereTheyAreAskedFor(form: String) throws {
        try withTemporaryDirectory { folder in
            let path = try document(in: folder), copy = folder.appendingPathComponent("Copy").path,
                bare = folder.appendingPathComponent("Bare").path
            #expect(try FolioCommand.run("save-as", path, bare, form).exit == 0)
            #expect(try FolioCommand.run("info", bare, "--json").object["versions"] as? Int == 0)
            let outcome = try FolioCommand.run("save-as", path, copy, form, "--with-versions", "--json")
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(
                (try FolioCommand.run("versions", copy, "--json").json as? [[String: Any]])?.compactMap {
                    $0["version"] as? Int
                } == [0, 1, 2, 3, 4, 5])
            for number in 1...4 { #expect(try people("\(copy)@\(number)") == "\(number)\n") }
            // A version is one of the copy, and not of the document that it was copied from.
            #expect(
                try FolioCommand.run("info", copy + "@2", "--json").object["uuid"] as? String == outcome.object["uuid"]
                    as? String)
            #expect(try FolioCommand.run("insert", copy, "Person", "name=Frances").exit == 0)
            #expect(try people(copy + "@2") == "2\n")
            if form == "--package" {
                #expect(try FolioCommand.run("restore", copy + "@2").exit == 0)
                #expect(try people(copy) == "2\n")
            }
            #expect(try FolioCommand.run("verify", copy, "--deep").exit == 0)
            #expect(
                try FolioCommand.run(
                    "save-as", path, folder.appendingPathComponent("S").path, "--store", "sqlite", "--with-versions"
                ).exit == 64)
        }
    }
}
