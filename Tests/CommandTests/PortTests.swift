import Foundation
import TestSupport
import Testing

@Suite("folio port")
struct PortTests {
    // A line that begins with it would be an import of this file to the tests of the house.
    private static let coreData = "import CoreData"
    private static let book = """
        \(Self.coreData)

        @objc(Book)
        final class Book: NSManagedObject {
            @NSManaged var title: String?
            @objc func go() { perform(#selector(go)) }
        }

        """
    private static let ported = """
        \(Self.coreData)

        final class Book: NSManagedObject {
            @Managed var title: String?
            func go() { perform(#selector(go)) }
        }

        """

    private func withSources(_ body: (URL) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let hidden = folder.appendingPathComponent(".build"), models = folder.appendingPathComponent("Models")
            for name in [hidden, models] {
                try FileManager.default.createDirectory(at: name, withIntermediateDirectories: true)
                try Data(Self.book.utf8).write(to: name.appendingPathComponent("Book.swift"))
            }
            try Data("let one = 1".utf8).write(to: folder.appendingPathComponent("Other.swift"))
            try body(folder)
        }
    }

    private func text(_ name: String, in folder: URL) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func sourcesAreRewrittenAndTheRestIsListed() throws {
        try withSources { folder in
            let outcome = try FolioCommand.run("port", folder.path)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(
                outcome.output == """
                    changed  \(folder.path)/Models/Book.swift
                    Models/Book.swift:5:25: methods are not called by selectors here: pass a closure that calls go

                    """)
            #expect(outcome.messages == "changed 3 places in 1 file; 1 place left to you\n")
            #expect(try text("Models/Book.swift", in: folder) == Self.ported)
            #expect(try text(".build/Book.swift", in: folder) == Self.book)
            let again = try FolioCommand.run("port", folder.path, "--json")
            #expect(again.object["changed"] as? [String] == [] && (again.object["left"] as? [Any])?.count == 1)
        }
    }

    @Test func aDryRunShowsADifferenceThatPatchApplies() throws {
        try withSources { folder in
            let outcome = try FolioCommand.run("port", folder.path, "--dry-run")
            #expect(outcome.exit == 0)
            #expect(
                outcome.output == """
                    --- a/Models/Book.swift
                    +++ b/Models/Book.swift
                    @@ -1,7 +1,6 @@
                     \(Self.coreData)
                    \u{20}
                    -@objc(Book)
                     final class Book: NSManagedObject {
                    -    @NSManaged var title: String?
                    -    @objc func go() { perform(#selector(go)) }
                    +    @Managed var title: String?
                    +    func go() { perform(#selector(go)) }
                     }

                    """)
            #expect(outcome.messages.hasPrefix("Models/Book.swift:6:31: methods are not called"))
            #expect(outcome.messages.hasSuffix("would change 3 places in 1 file; 1 place left to you\n"))
            #expect(try text("Models/Book.swift", in: folder) == Self.book)
            let patch = folder.appendingPathComponent("p.diff")
            try Data(outcome.output.utf8).write(to: patch)
            let applied = try FolioCommand.run(
                ["/usr/bin/env", "git", "apply", "-p1", patch.path], in: folder, alone: true)
            #expect(applied.exit == 0, "\(applied.messages)")
            #expect(try text("Models/Book.swift", in: folder) == Self.ported)
        }
    }
}

extension PortTests {
    @Test func wrongOperandsAreToldApart() throws {
        try withSources { folder in
            #expect(try FolioCommand.run("port", folder.path + "/none").exit == 66)
            let text = folder.appendingPathComponent("a.txt")
            try Data().write(to: text)
            #expect(try FolioCommand.run("port", text.path).exit == 66)
            #expect(try FolioCommand.run("port").exit == 64)
            #expect(try FolioCommand.run("port", folder.path + "/Other.swift").exit == 0)
        }
    }

    @Test func withoutItsProgramTheCommandSaysHowToGetIt() throws {
        try withSources { folder in
            let alone = folder.appendingPathComponent("folio")
            // Copied by another process: a process that another test starts meanwhile would inherit
            // the open file, and a program that is open for writing can't be run.
            try #require(ProgramRun(["/bin/cp", FolioCommand.binary.path, alone.path]).exit == 0)
            let outcome = try FolioCommand.run(
                ["/usr/bin/env", "PATH=/nowhere", alone.path, "port", folder.path], alone: true)
            #expect(outcome.exit == 69 && outcome.hints.count == 1, "\(outcome.messages)")
            #expect(outcome.hints.first?.contains("--product folio-port") == true)
        }
    }
}

extension PortTests {
    private static let model = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Item" representedClassName="Item" isAbstract="YES" syncable="YES" codeGenerationType="class">
                <attribute name="title" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Volume" representedClassName=".Book" parentEntity="Item" syncable="YES" codeGenerationType="class"/>
        </model>
        """

    @Test func classesThatXcodeGeneratesAreDeclaredWhereTheyOverride() throws {
        try withTemporaryDirectory { folder in
            let contents = "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
                file = folder.appendingPathComponent(contents)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(Self.model.utf8).write(to: file)
            let source = "extension Book {\n    override func didSave() { log(#keyPath(title)) }\n}\n"
            try Data(source.utf8).write(to: folder.appendingPathComponent("Book.swift"))
            let dry = try FolioCommand.run("port", folder.path, "--dry-run")
            #expect(dry.output.contains("+++ b/\(contents)\n"), "\(dry.output)")
            #expect(try text(contents, in: folder) == Self.model)
            let outcome = try FolioCommand.run("port", folder.path)
            #expect(outcome.exit == 0, "\(outcome.messages)")
            #expect(outcome.output == "changed  \(folder.path)/Book.swift\nchanged  \(folder.path)/\(contents)\n")
            #expect(
                try text("Book.swift", in: folder)
                    == "public class Book: Item {\n    override func didSave() { log(NSStringFromKeyPath(\\Book.title)) }\n}\n"
            )
            let old = "parentEntity=\"Item\" syncable=\"YES\" codeGenerationType=\"class\""
            #expect(
                try text(contents, in: folder)
                    == Self.model.replacingOccurrences(
                        of: old, with: old.replacingOccurrences(of: "class", with: "category")))
            #expect(try FolioCommand.run("port", folder.path).output == "")
            // A model that can't be read is told, and the sources are rewritten.
            try Data("<model".utf8).write(to: file)
            let broken = try FolioCommand.run("port", folder.path)
            #expect(broken.exit == 0 && broken.output.hasPrefix("Shop.xcdatamodeld:1:1: the model can't be read"))
        }
    }
}
