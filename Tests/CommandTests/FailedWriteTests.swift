import Foundation
import SQLiteKit
import Testing
import TestSupport

/// What a command that fails, or is asked for too much, leaves of the document: all of it.
struct FailedWriteTests {
    /// Runs a command that can't write files of more than a megabyte.
    private static let limited = ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2000; exec \"$@\"", "sh"]

    /// The save has autosaved before the archive is written, and takes that back where it can't be.
    @Test func aSaveOfAnArchiveThatFailsLeavesNothingUnsaved() throws {
        try withTemporaryDirectory { folder in
            let package = try FolioCommand.copyOfDocument(in: folder), archive = folder.path + "/A.folioz"
            #expect(try FolioCommand.run("save-as", package, archive, "--archive").exit == 0)
            let portrait = folder.appendingPathComponent("portrait")
            var random = SplitMix(state: 1)
            try Data((0..<2_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }).write(to: portrait)
            #expect(try FolioCommand.run("attach", archive, "Person/p1", "portrait", portrait.path).exit == 0)
            let state = ["/usr/bin/env", "XDG_STATE_HOME=" + folder.path + "/state"],
                before = try Data(contentsOf: URL(fileURLWithPath: archive))
            let failed = try FolioCommand.run(["insert", archive, "Person", "name=New"], through: Self.limited + state)
            #expect(failed.exit != 0 && failed.errors.count == 1, "\(failed.messages)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == before)
            let count = try FolioCommand.run(["fetch", archive, "Person", "--count"], through: state)
            #expect(count.output == "5\n" && count.messages.isEmpty, "\(count.messages)")
            let next = try FolioCommand.run(["insert", archive, "Person", "name=New"], through: state)
            #expect(next.exit == 0, "\(next.messages)")
        }
    }

    /// A new document is made at a place that is looked at first: what keeps it from being looked
    /// at is told as what it is.
    @Test func whatWritesANewDocumentWithHardlyAnyFilesSaysThatTheyAreTooFew() throws {
        try withTemporaryDirectory { folder in
            let archive = folder.path + "/A.folioz"
            #expect(try FolioCommand.run("pack", FolioCommand.document, archive).exit == 0)
            var refusals = 0
            for limit in 8...17 {
                for (number, words) in [
                    ["save-as", FolioCommand.document], ["unpack", archive], ["new", "--model", FolioCommand.model],
                ].enumerated() {
                    let target = folder.path + "/\(limit)-\(number).folio"
                    let arguments = words[0] == "new" ? ["new", target] + words.dropFirst() : words + [target]
                    let outcome = try FolioCommand.run(
                        arguments, through: ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$0\" \"$@\""])
                    #expect(
                        outcome.exit == 0 || outcome.exit == 74,
                        "\(limit), \(words[0]): \(outcome.exit) \(outcome.messages)")
                    if outcome.exit == 74 { refusals += 1 }
                }
            }
            #expect(refusals > 0)
        }
    }

    @Test(arguments: [
        "Doc.folio/manifest.json", "Doc.folio/store/new.json", "Doc.folioz", "Doc.sqlite", "link", "./../x/Doc.sqlite",
    ])
    func aFileInThePlaceOfTheDocumentIsRefused(name: String) throws {
        try withTemporaryDirectory { outside in
            let folder = outside.appendingPathComponent("x")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (name, form) in [
                ("Doc.folio", "--package"), ("Doc.folioz", "--archive"), ("Doc.sqlite", "--store=sqlite"),
            ] {
                #expect(try FolioCommand.run("save-as", FolioCommand.document, name, form, in: folder).exit == 0)
            }
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "Doc.sqlite")
            let before = try FolioCommand.contents(of: folder)
            let document = name.hasPrefix("Doc.folio/") ? "Doc.folio" : name == "Doc.folioz" ? name : "Doc.sqlite"
            for command in [
                ["export", document], ["model", document, "--format", "json"],
                ["extract", document, "Person/p1", "portrait"],
            ] {
                let outcome = try FolioCommand.run(command + ["-o", name], in: folder)
                // A value that is not there is told first.
                #expect(outcome.exit == 64 || command[0] == "extract" && outcome.exit == 66, "\(outcome.messages)")
            }
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }
}

extension FailedWriteTests {
    /// What was written aside has a name that nobody gave.
    @Test func whatCannotBeWrittenIsNamedByItsPlace() throws {
        try withTemporaryDirectory { folder in
            let package = try FolioCommand.copyOfDocument(in: folder),
                portrait = folder.appendingPathComponent("portrait")
            var random = SplitMix(state: 2)
            try Data((0..<2_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }).write(to: portrait)
            #expect(try FolioCommand.run("attach", package, "Person/p1", "portrait", portrait.path).exit == 0)
            let before = try FolioCommand.contents(of: folder)
            for words in [
                ["save-as", package, "New.folio"], ["save-as", package, "New.folioz"],
                ["save-as", package, "New.sqlite"], ["pack", package, "New.folioz"],
                ["export", package, "-o", "New.json"], ["extract", package, "Person/p1", "portrait", "-o", "New.jpg"],
            ] {
                let outcome = try FolioCommand.run(words, in: folder, through: Self.limited)
                // A file of that size can't be created.
                #expect(
                    outcome.exit == (words.contains("-o") ? 74 : 73) && outcome.errors.count == 1,
                    "\(words): \(outcome.messages)")
                #expect(
                    outcome.messages.contains("New.") && !outcome.messages.contains(".tmp-")
                        && !outcome.messages.contains("Expeditions.folio"), "\(words): \(outcome.messages)")
            }
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    @Test func aStoreWithoutNumbersIsNoFullDisk() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/Store.sqlite"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, store).exit == 0)
            let connection = try Connection(store, .readWrite)
            try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807")
            try connection.close()
            let outcome = try FolioCommand.run("insert", store, "Person", "name=A")
            #expect(
                outcome.exit == 69 && outcome.messages.contains("Store.sqlite")
                    && outcome.messages.contains("no numbers left"), "\(outcome.messages)")
        }
    }
}

/// What a command says of work that it could neither save nor take back.
struct KeptWorkTests {
    private static let tracer = "/usr/bin/strace"

    /// A tracer lets every renaming fail that takes the working set away or puts the new archive in
    /// its place.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: tracer), "there is no strace here"))
    func workThatIsKeptIsTold() throws {
        try withTemporaryDirectory { folder in
            let package = try FolioCommand.copyOfDocument(in: folder), archive = folder.path + "/A.folioz"
            #expect(try FolioCommand.run("save-as", package, archive, "--archive").exit == 0)
            let before = try Data(contentsOf: URL(fileURLWithPath: archive)),
                state = ["/usr/bin/env", "XDG_STATE_HOME=" + folder.path + "/state"]
            // The first of its kind gives the working set its name.
            let failing = [
                Self.tracer, "-f", "-q", "-o", "/dev/null", "-e", "inject=renameat2:error=EIO:when=2+", "-e",
                "inject=rename,renameat:error=EIO",
            ]
            let failed = try FolioCommand.run(["insert", archive, "Person", "name=New"], through: state + failing)
            #expect(failed.exit == 74 && failed.errors.count == 1, "\(failed.exit) \(failed.messages)")
            #expect(
                failed.messages.contains("note: what was to be saved is kept as autosaved work: folio recover"),
                "\(failed.messages)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: archive)) == before)
            let refused = try FolioCommand.run(["insert", archive, "Person", "name=Other"], through: state)
            #expect(refused.exit == 75 && refused.messages.contains("recover"), "\(refused.messages)")
            #expect(try FolioCommand.run(["recover", archive, "--keep"], through: state).exit == 0)
            #expect(try FolioCommand.run(["insert", archive, "Person", "name=Other"], through: state).exit == 0)
            #expect(
                try FolioCommand.run(
                    ["fetch", archive, "Person", "--where", "name IN {'New', 'Other'}", "--count"], through: state
                ).output == "2\n")
            #expect(try FolioCommand.run("verify", archive, "--deep").exit == 0)
        }
    }
}
