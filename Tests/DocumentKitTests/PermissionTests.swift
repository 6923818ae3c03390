import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// What an ordinary user meets in folders that can't be written to. The superuser may write
/// everywhere, so a child of this test program gives that up.
@Suite(.serialized) struct PermissionTests {
    private static let part = ProcessInfo.processInfo.environment["FOLIO_TEST_PART"]
    private static let folder = ProcessInfo.processInfo.environment["FOLIO_TEST_PATH"] ?? ""
    private static let nobody: UInt32 = 65_534

    /// What an operation is refused with, and for which file.
    private func answer(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch let error as DocumentError {
            return "\(error.code) of \(error.path.map(FilePath.name) ?? "nothing")"
        } catch {
            return "\(error)"
        }
    }

    @Test(.enabled(if: part == "stranger")) func playStranger() async throws {
        if getuid() == 0 {
            setgid(Self.nobody)
            setuid(Self.nobody)
        }
        let locked = URL(fileURLWithPath: Self.folder + "/locked")
        let model = try Library.model()
        var lines: [String] = []
        for name in ["A.folio", "A.folioz", "A.sqlite"] {
            let url = locked.appendingPathComponent(name)
            lines.append(
                "\(name) read "
                    + (await answer {
                        let document = try await PersistentDocument.open(url, mode: .reading)
                        guard try Library.titles(document) == ["saved"] else {
                            throw DocumentError(.inputOutput, "other titles")
                        }
                        try await document.close()
                    }))
            lines.append(
                "\(name) verify "
                    + (await answer {
                        if try !DocumentVerifier.verify(url).isEmpty { throw DocumentError(.malformed, "damaged") }
                    }))
            lines.append("\(name) edit " + (await answer { try await PersistentDocument.open(url).close() }))
        }
        lines.append(
            "secret verify "
                + (await answer {
                    if try !DocumentVerifier.verify(locked.appendingPathComponent("Secret.folio")).isEmpty {
                        throw DocumentError(.malformed, "damaged")
                    }
                }))
        lines.append(
            "create "
                + (await answer {
                    try await PersistentDocument.create(at: locked.appendingPathComponent("B.folio"), model: model)
                        .close()
                }))
        try Disk.replaceFile(Self.folder + "/answers/said", with: Array(lines.joined(separator: "\n").utf8))
    }

    @Test(.enabled(if: part == nil)) func aFolderThatCantBeWrittenToCanBeReadAndNothingElse() async throws {
        try await withFolder { folder in
            let locked = folder.appendingPathComponent("locked")
            try Disk.makeDirectory(locked.path)
            try Disk.makeDirectory(folder.path + "/answers")
            for (name, form) in [
                ("A.folio", DocumentForm.package), ("A.folioz", .archive), ("A.sqlite", .store),
                ("Secret.folio", .package),
            ] {
                let document = try await PersistentDocument.create(
                    at: locked.appendingPathComponent(name), model: Library.model(), form: form)
                try Library.insertBook("saved", document)
                try await document.save()
                try await document.close()
            }
            let before = try contents(of: locked)
            chmod(folder.path, 0o755)
            chmod(folder.path + "/answers", 0o777)
            chmod(locked.path, 0o555)
            for name in try Disk.list(locked.path).map(\.name) where name == "A.folio" {
                chmod(locked.path + "/" + name, 0o555)
            }
            let secret = locked.path + "/Secret.folio/store"
            chmod(secret, 0)
            defer { for name in ["", "/A.folio"] { chmod(locked.path + name, 0o755) } }

            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = ["--testing-library", "swift-testing", "--filter", "PermissionTests/playStranger"]
            process.environment = ProcessInfo.processInfo.environment.merging(
                [
                    "FOLIO_TEST_PART": "stranger", "FOLIO_TEST_PATH": folder.path, "HOME": folder.path + "/answers",
                    "XDG_RUNTIME_DIR": "",
                ]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            chmod(secret, 0o755)
            let said = try String(decoding: Disk.read(folder.path + "/answers/said", limit: 10_000), as: UTF8.self)
            #expect(
                said == """
                    A.folio read none
                    A.folio verify none
                    A.folio edit permission of A.folio
                    A.folioz read none
                    A.folioz verify none
                    A.folioz edit permission of A.folioz
                    A.sqlite read none
                    A.sqlite verify none
                    A.sqlite edit permission of A.sqlite
                    secret verify permission of store
                    create permission of B.folio
                    """)
            #expect(try contents(of: locked) == before)
        }
    }
}
