import Foundation
import TestSupport
import Testing

/// Runs programs where /proc is not mounted.
private enum WithoutProc {
    private static let shell = "mount -t tmpfs none /proc && unset SWIFT_BACKTRACE && exec \"$@\""
    static let runner = ["unshare", "--mount", "--map-root-user", "sh", "-c", shell, "sh"]
    static let isPossible = (try? FolioCommand.run(["true"], through: runner, alone: true).exit) == 0
}

/// The command where /proc is not mounted, as in some containers and early in the start of a
/// system.
@Suite(.enabled(if: WithoutProc.isPossible, "namespaces can't be made here"))
struct WithoutProcTests {
    private func run(_ arguments: String..., in folder: URL? = nil) throws -> FolioCommand.Outcome {
        try FolioCommand.run(arguments, in: folder, through: WithoutProc.runner)
    }

    @Test func commandsReadAndWrite() throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            #expect(try run("--version").output.hasPrefix("folio "))
            let info = try run("info", document), usual = try FolioCommand.run("info", document)
            #expect(info.exit == 0 && info.output == usual.output, "\(info.messages)")
            #expect(try run("fetch", document, "Person", "--count").output == "5\n")
            let set = try run("set", document, "Person/p1", "name=Ada")
            #expect(set.exit == 0, "\(set.messages)")
            for form in ["Doc.folioz", "Doc.sqlite", "Doc.xml"] {
                let saved = try run("save-as", document, form, in: folder)
                #expect(saved.exit == 0, "\(saved.messages)")
                #expect(try run("set", form, "Person/p2", "name=Bea", in: folder).exit == 0)
                #expect(try run("verify", form, "--deep", in: folder).exit == 0)
            }
            #expect(try run("export", document, "-o", folder.path + "/all.json").exit == 0)
            #expect(try run("import", document, folder.path + "/all.json").exit == 0)
            #expect(try run("diff", document, document + "@1").exit == 1)
            #expect(try run("new", folder.path + "/New.folio", "--model", document).exit == 0)
            let locked = try ServeClient(in: folder, through: WithoutProc.runner)
            try locked.call("document/open", ["path": document])
            let refused = try run("set", document, "Person/p1", "name=Bea")
            #expect(refused.exit == 75 && refused.messages.contains("open in folio (process"), "\(refused.messages)")
            #expect(try locked.end() == 0)
            let wrong = try run("fetch", document, "Nothing")
            #expect(wrong.exit == 64 && wrong.errors.count == 1)
        }
    }

    @Test func theProgramBesideTheCommandIsFound() throws {
        try withTemporaryDirectory { folder in
            let source = folder.appendingPathComponent("Shelf.swift")
            try Data("@objc class Shelf {}\n".utf8).write(to: source)
            let port = try run("port", source.path, "--dry-run")
            #expect(port.exit == 0, "\(port.messages)")
        }
    }

    @Test func aDocumentThatIsMovedWhileItIsOpenIsFollowed() throws {
        for form in ["Doc.folio", "Doc.sqlite"] {
            try withTemporaryDirectory { folder in
                let path = folder.path + "/" + form, moved = folder.path + "/Moved-" + form
                #expect(try FolioCommand.run("save-as", FolioCommand.document, path).exit == 0)
                let client = try ServeClient(in: folder, through: WithoutProc.runner)
                let document = try #require(try client.object("document/open", ["path": path])["document"] as? String)
                try FileManager.default.moveItem(atPath: path, toPath: moved)
                try client.call(
                    "object/set", ["document": document, "edits": [["id": "Person/p1", "values": ["name": "Ada"]]]])
                let info = try client.object("document/save", ["document": document])
                #expect(info["path"] as? String == moved)
                try client.call("document/close", ["document": document])
                #expect(try client.end() == 0, "\(client.errorOutput)")
                #expect(try FolioCommand.run("get", moved, "Person/p1").output.contains("Ada"))
            }
        }
    }
}
