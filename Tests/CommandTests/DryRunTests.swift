import Foundation
import Glibc
import TestSupport
import Testing

/// `--dry-run` says what the run says: the same exit code, and the same refusal.
struct DryRunTests {
    /// A situation of the document `Doc` in a folder.
    struct Situation: Sendable, CustomTestStringConvertible {
        let name: String
        let prepare: @Sendable (_ folder: URL, _ document: String) throws -> Void
        /// The exit code of commands that change the document where it is.
        var refusal: Int32 = 0

        var testDescription: String { name }
    }

    private static func shell(_ words: String...) throws {
        let run = try ProgramRun(["/usr/bin/" + words[0]] + words.dropFirst())
        #expect(run.exit == 0, "\(words)")
    }

    private static let situations = [
        Situation(name: "as it should be", prepare: { _, _ in }),
        Situation(name: "locked", prepare: { _, document in try shell("chmod", "-R", "a-w", document) }, refusal: 77),
        Situation(
            name: "in a folder that can't be written to",
            prepare: { folder, _ in try shell("chmod", "a-w", folder.path) }, refusal: 77),
        Situation(
            name: "damaged",
            prepare: { _, document in
                let store = document + "/store/store.sqlite"
                let file = FileManager.default.fileExists(atPath: store) ? store : document
                try Data(repeating: 65, count: 20_000).write(to: URL(fileURLWithPath: file))
            }, refusal: 65),
        Situation(
            name: "gone", prepare: { _, document in try FileManager.default.removeItem(atPath: document) }, refusal: 66),
    ]

    private static let models = FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path

    /// Commands that change a document where it is, or write a new one.
    private static func commands(_ document: String, _ other: String, _ folder: String) -> [[String]] {
        let new = folder + "/New.folio", nowhere = folder + "/none/New.folio"
        return [
            ["set", document, "Person/p1", "name=Ada"], ["migrate", document, "--model", models],
            ["migrate", document, "--model", models, "-o", nowhere], ["merge", document, other],
            ["merge", document, other, "-o", new], ["restore", document + "@1"],
            ["restore", document + "@1", "-o", new],
            ["versions", "prune", document, "--keep", "1"], ["pack", document, new + "z"],
            ["save-as", document, nowhere],
            ["repair", document, "-o", nowhere], ["new", new, "--model", models],
        ]
    }

    @Test(arguments: situations.indices, ["--package", "--archive", "--store"]) func aDryRunRefusesWhatTheRunRefuses(
        index: Int, form: String
    ) throws {
        let situation = Self.situations[index]
        try withTemporaryDirectory { root in
            let place = root.appendingPathComponent("place"), document = place.appendingPathComponent("Doc.document")
            let other = root.appendingPathComponent("Other.document").path, kept = root.path + "/kept"
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let arguments = form == "--store" ? [form, "sqlite"] : [form]
            #expect(try FolioCommand.run(["save-as", FolioCommand.document, document.path] + arguments).exit == 0)
            try Self.shell("cp", "-a", document.path, other)
            // Permissions do not count for root.
            var user = ["/usr/bin/env", "XDG_STATE_HOME=\(root.path)/state", "TMPDIR=\(root.path)/temporary"]
            try Self.shell("mkdir", root.path + "/temporary", root.path + "/state")
            if getuid() == 0 {
                user = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + user
                try Self.shell("chown", "-R", "65534:65534", root.path)
            }
            try Self.shell("cp", "-a", place.path, kept)
            for command in Self.commands(document.path, other, place.path) {
                try situation.prepare(place, document.path)
                let before = try FolioCommand.contents(of: place)
                let dry = try FolioCommand.run(command + ["--dry-run"], through: user)
                #expect(try FolioCommand.contents(of: place) == before, "\(command) --dry-run")
                let real = try FolioCommand.run(command, through: user)
                #expect(dry.exit == real.exit, "\(situation.name), \(command): \(dry.messages) – \(real.messages)")
                if real.exit > 1 { #expect(dry.errors == real.errors, "\(situation.name), \(command)") }
                if command[0] == "set" { #expect(real.exit == situation.refusal) }
                try Self.shell("chmod", "-R", "u+w", place.path)
                try Self.shell("rm", "-rf", place.path)
                try Self.shell("cp", "-a", kept, place.path)
            }
        }
    }

    // MARK: Rows

    private static func model(_ folder: URL, _ name: String, _ entities: String) throws -> String {
        let model = folder.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text =
            "<model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(entities)</model>"
        try Data(text.utf8).write(to: model.appendingPathComponent("contents"))
        return model.path
    }

    /// Rules that come with a version, and an object that breaks each.
    private static let rules: [(attributes: String, says: String)] = [
        ("<attribute name=\"x\" attributeType=\"String\"/>", "M.x is required (M/p2)"),
        (
            "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\" maxValueString=\"2\"/>",
            "M.x is longer than 2 (M/p1)"
        ),
        (
            "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\" regularExpressionString=\"[a-z]\"/>",
            "M.x does not match [a-z] (M/p1)"
        ),
        (
            "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/><relationship name=\"t\" maxCount=\"1\" destinationEntity=\"M\"/>",
            "M.t is required (2 objects, such as M/p1)"
        ),
    ]

    @Test(arguments: rules.indices, ["folio", "folioz", "sqlite", "binary", "xml"])
    func objectsThatBreakANewRuleAreRefusedInEveryForm(index: Int, form: String) throws {
        let rule = Self.rules[index]
        try withTemporaryDirectory { folder in
            let old = try Self.model(
                folder, "Old",
                "<entity name=\"M\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>")
            let new = try Self.model(
                folder, "New",
                "<entity name=\"M\">\(rule.attributes)<attribute name=\"more\" optional=\"YES\" attributeType=\"Date\"/></entity>"
            )
            let document = folder.appendingPathComponent("Doc.\(form)").path
            let arguments = ["binary", "xml"].contains(form) ? ["--store", form] : []
            func model() -> [String] { form == "xml" ? ["--model", old] : [] }
            #expect(try FolioCommand.run(["new", document, "--model", old] + arguments).exit == 0)
            let empty = folder.appendingPathComponent("Empty.\(form)").path
            try FileManager.default.copyContents(of: URL(fileURLWithPath: document), to: URL(fileURLWithPath: empty))
            if form != "xml" {
                #expect(try FolioCommand.run("migrate", empty, "--model", new, "--no-backup").exit == 0)
            }
            #expect(try FolioCommand.run(["insert", document, "M", "x=ABCD"] + model()).exit == 0)
            #expect(try FolioCommand.run(["insert", document, "M"] + model()).exit == 0)
            let target = form == "xml" ? try Self.package(folder, old, new) : new
            let before = try FolioCommand.contents(of: folder)
            for extra in [
                ["--dry-run"], [], ["--dry-run", "-o", folder.path + "/N.\(form)"], ["-o", folder.path + "/N.\(form)"],
            ] {
                let outcome = try FolioCommand.run(["migrate", document, "--model", target] + extra)
                #expect(outcome.exit == 65, "\(outcome.messages)")
                // An XML store has numbers of its own.
                let says = form == "xml" ? String(rule.says.prefix { $0 != "(" }) : rule.says
                #expect(outcome.messages.contains(says), "\(outcome.messages)")
            }
            #expect(try FolioCommand.contents(of: folder) == before)
        }
    }

    /// Both versions in one model file, which a store without a model needs.
    private static func package(_ folder: URL, _ old: String, _ new: String) throws -> String {
        let model = folder.appendingPathComponent("Both.xcdatamodeld")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        for (path, name) in [(old, "Old"), (new, "New")] {
            try FileManager.default.copyContents(
                of: URL(fileURLWithPath: path), to: model.appendingPathComponent("\(name).xcdatamodel"))
        }
        return model.path + "#New"
    }

    @Test func lossesAreRefusedByADryRunToo() throws {
        try withTemporaryDirectory { folder in
            let both = "<entity name=\"M\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>"
            let old = try Self.model(folder, "Old", both + "<entity name=\"Gone\"/>")
            let new = try Self.model(folder, "New", both), document = folder.appendingPathComponent("Doc.folio").path
            #expect(try FolioCommand.run("new", document, "--model", old).exit == 0)
            #expect(try FolioCommand.run("insert", document, "Gone").exit == 0)
            let dry = try FolioCommand.run("migrate", document, "--model", new, "--dry-run")
            let real = try FolioCommand.run("migrate", document, "--model", new)
            #expect(dry.exit == 78 && real.exit == 78 && dry.errors == real.errors)
            #expect(try FolioCommand.run("migrate", document, "--model", new, "--dry-run", "--allow-loss").exit == 0)
        }
    }

    // MARK: Archives

    /// What differs in version hashes alone has no other tables.
    @Test(arguments: ["folio", "folioz", "sqlite"]) func versionsWithTheSameTablesAreMigrated(form: String) throws {
        try withTemporaryDirectory { folder in
            func entity(_ words: String) -> String {
                "<entity name=\"M\"><attribute name=\"x\" attributeType=\"String\" \(words)/></entity>"
            }
            let old = try Self.model(folder, "Old", entity(""))
            let document = folder.appendingPathComponent("Doc.\(form)").path
            #expect(try FolioCommand.run("new", document, "--model", old).exit == 0)
            #expect(try FolioCommand.run("insert", document, "M", "x=a").exit == 0)
            for (name, words) in [("Optional", "optional=\"YES\""), ("Modified", "versionHashModifier=\"2\"")] {
                let new = try Self.model(folder, name, entity(words))
                let outcome = try FolioCommand.run("migrate", document, "--model", new)
                #expect(outcome.exit == 0, "\(outcome.messages)")
                #expect(try FolioCommand.run("fetch", document, "M", "--columns", "x").output.contains("a"))
                #expect(try FolioCommand.run("verify", document, "--deep").exit == 0)
                #expect(
                    try FolioCommand.run("migrate", document, "--model", new, "--json").object["needed"] as? Bool
                        == false)
            }
        }
    }

    /// Copies of an archive have one UUID, and so working sets in one folder.
    @Test func copiesOfOneArchiveAreMigratedSideBySide() throws {
        try withTemporaryDirectory { folder in
            func entity(_ more: String) -> String {
                "<entity name=\"M\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>\(more)</entity>"
            }
            let old = try Self.model(folder, "Old", entity(""))
            let new = try Self.model(
                folder, "New", entity("<attribute name=\"y\" optional=\"YES\" attributeType=\"String\"/>"))
            let first = folder.appendingPathComponent("Doc.folioz").path
            #expect(try FolioCommand.run("new", first, "--model", old).exit == 0)
            let copies = try (0..<48).map { number -> String in
                let copy = folder.appendingPathComponent("Copy\(number).folioz")
                try FileManager.default.copyContents(of: URL(fileURLWithPath: first), to: copy)
                return copy.path
            }
            let outcome = try FolioCommand.run(
                ["migrate"] + copies + ["--model", new, "--jobs", "8", "--no-backup", "--json"])
            #expect(outcome.exit == 0, "\(outcome.output)")
        }
    }
}
