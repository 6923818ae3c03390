import Foundation
import Testing
import TestSupport

/// Files that are imported: what they mean, and where they are wrong.
struct ImportTests {
    private func importing(
        _ text: String, _ arguments: String..., check: (FolioCommand.Outcome, _ document: String) throws -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let document = try FolioCommand.copyOfDocument(in: folder)
            let file = folder.appendingPathComponent("in.txt")
            try Data(text.utf8).write(to: file)
            try check(try FolioCommand.run(["import", document, file.path] + arguments), document)
        }
    }

    @Test(arguments: [
        ("{\"name\":\"A\"}\n{\"name\":\n{\"name\":\"C\"}\n", "in.txt: line 2: "),
        ("{\"name\":\"A\"}\n\n{\"nam\":\"B\"}\n", "in.txt: line 3, object 2: Person has no property nam"),
        ("[{\"name\":\"A\"},{\"nam\":\"B\"}]", "in.txt: line 1, object 2: Person has no property nam"),
        ("[{\"name\":\"A\",\"born\":1e999}]", "in.txt: line 1, object 1: born is Date"),
        ("name,born\nA,1861-10-10\nB,soon\n", "in.txt: line 3, column 2: born is Date"),
        ("name,born\nA\n", "in.txt: line 2: 1 field, but 2 columns"),
        ("name,born\n\"A\nB\",soon\n", "in.txt: line 2, column 2: born is Date"),
        ("name,born\n\"A\nB\",\nC,soon\n", "in.txt: line 4, column 2: born is Date"),
        ("name,born\n\"A\"x,\n", "in.txt: line 2, column 1: text after a quoted field"),
        ("name,born\n\"A,\n", "in.txt: line 2, column 1: a quoted field without an end"),
        ("id,name\n17,A\n", "in.txt: line 2, column 1: 17 is no name of an object"),
        ("name,born,name\nA,,B\n", "in.txt: line 1, column 3: the column name comes twice"),
    ]) func aMistakeIsToldWithFileAndPlace(text: String, message: String) throws {
        try importing(text, "--entity", "Person") { outcome, document in
            #expect(outcome.exit == 65)
            #expect(outcome.errors.count == 1 && outcome.errors[0].contains(message), "\(outcome.messages)")
            let count = try FolioCommand.run("fetch", document, "Person", "--count").output
            #expect(count == "5\n")
        }
    }

    /// What has no objects may still name what the model does not have.
    @Test(arguments: [
        ("garbage", "in.txt: line 1, column 1: Person has no property garbage"),
        ("null", "Person has no property null"),
        ("{\"entities\":{\"Person\":[]},\"format\":\"folio-export\",\"formatVersion\":1}", nil),
        (
            "{\"entities\":{\"Person\":[],\"Nope\":[]},\"format\":\"folio-export\",\"formatVersion\":1}",
            "the export has no entity"
        ), ("id,name,born\n", nil),
    ]) func aFileWithoutObjectsIsLookedAt(text: String, message: String?) throws {
        try importing(text, "--entity", message?.contains("no entity") == true ? "Camp" : "Person") { outcome, _ in
            #expect(outcome.exit == (message == nil ? 0 : 65))
            if let message { #expect(outcome.errors.first?.contains(message) == true, "\(outcome.messages)") }
        }
    }

    @Test func anEntityThatTheModelDoesNotHaveIsToldAlsoWithoutObjects() throws {
        try importing("{\"entities\":{\"Nope\":[]},\"format\":\"folio-export\",\"formatVersion\":1}") { outcome, _ in
            #expect(
                outcome.exit == 65 && outcome.errors.first?.contains("there is no entity Nope") == true,
                "\(outcome.messages)")
        }
    }

    /// An old store may keep a link at one end only; what the other end leaves out says nothing
    /// against it, whichever comes first.
    @Test(arguments: [("Alpha", "Beta"), ("Beta", "Alpha")]) func aLinkThatOneEndAloneSaysIsMade(
        holder: String, other: String
    ) throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Pairs.xcdatamodel", document = folder.path + "/Pairs.folio",
                file = folder.path + "/in.json"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            func entity(_ name: String, _ other: String) -> String {
                """
                <entity name="\(name)"><attribute name="n" optional="YES" attributeType="String"/>
                <relationship name="one" optional="YES" maxCount="1" destinationEntity="\(other)" inverseName="one" inverseEntity="\(other)"/></entity>
                """
            }
            try Data(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\" documentVersion=\"1.0\">\(entity("Alpha", "Beta"))\(entity("Beta", "Alpha"))</model>"
                    .utf8
            ).write(to: URL(fileURLWithPath: model + "/contents"))
            #expect(try FolioCommand.run("new", document, "--model", model).exit == 0)
            try Data(
                """
                {"format":"folio-export","formatVersion":1,"entities":{
                "\(holder)":[{"id":"\(holder)/p1","attributes":{},"relationships":{"one":"\(other)/p1"}}],
                "\(other)":[{"id":"\(other)/p1","attributes":{},"relationships":{"one":null}}]}}
                """.utf8
            ).write(to: URL(fileURLWithPath: file))
            let imported = try FolioCommand.run("import", document, file)
            #expect(imported.exit == 0, "\(imported.messages)")
            for (object, target) in [("\(holder)/p1", "\(other)/p1"), ("\(other)/p1", "\(holder)/p1")] {
                let links =
                    try FolioCommand.run("get", document, object, "--json").object["relationships"] as? [String: Any]
                #expect((links?["one"] as? String)?.hasSuffix("/" + target) == true)
            }
        }
    }
}

extension ImportTests {
    @Test func aValueWhoseFileWasMissingIsReportedAndTheObjectIsImported() throws {
        try importing(
            "[{\"id\":\"Person/p9\",\"attributes\":{\"name\":\"A\",\"portrait\":{\"$missing\":\"0000-FILE\"}}}]"
        ) { outcome, document in
            #expect(outcome.exit == 0 && outcome.messages.contains(".portrait (0000-FILE)"), "\(outcome.messages)")
            let count = try FolioCommand.run(
                "fetch", document, "Person", "--where", "name == 'A' AND portrait == nil", "--count"
            ).output
            #expect(count == "1\n")
        }
    }

    /// The mark that some programs put before UTF-8 text is none of it.
    @Test(arguments: ["[{\"name\":\"A\"}]", "{\"name\":\"A\"}\n{\"name\":\"B\"}\n", "name\nA\n"])
    func aByteOrderMarkIsNoContent(text: String) throws {
        try importing("\u{FEFF}" + text, "--entity", "Person") { outcome, document in
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let count = try FolioCommand.run("fetch", document, "Person", "--where", "name IN {'A', 'B'}", "--count")
                .output
            #expect(count == (text.contains("B") ? "2\n" : "1\n"))
        }
    }

    @Test func linesWithoutAnEntityAreToldByLine() throws {
        try importing("{\"name\":\"A\"}\n{\"name\":\"B\"}\n") { outcome, _ in
            #expect(outcome.exit == 65)
            #expect(
                outcome.errors.first?.hasSuffix("in.txt: line 1, object 1: nothing says of which entity the object is")
                    == true, "\(outcome.messages)")
        }
    }

    @Test func anObjectThatSaysItsEntityIsOfThatOne() throws {
        try importing(
            "{\"id\":\"Person/p41\",\"name\":\"A\"}\n{\"id\":\"x-coredata://00000000-0000-0000-0000-000000000000/Person/p42\",\"name\":\"B\"}\n",
            "--entity", "Journey"
        ) {
            outcome, document in
            #expect(outcome.exit == 0, "\(outcome.messages)")
            let count = try FolioCommand.run("fetch", document, "Person", "--count").output
            #expect(count == "7\n")
        }
    }

    /// An attribute may be called `id`, and a value of one is no object's name.
    @Test func attributesThatAreCalledIDOrFormatAreKept() throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Things.xcdatamodel", document = folder.path + "/Things.folio"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            try Data(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Thing"><attribute name="id" optional="YES" attributeType="String"/><attribute name="format" optional="YES" attributeType="String"/></entity>
                </model>
                """.utf8
            ).write(to: URL(fileURLWithPath: model + "/contents"))
            #expect(try FolioCommand.run("new", document, "--model", model).exit == 0)
            let lines = folder.path + "/lines.jsonl"
            try Data("{\"id\":\"a/b\",\"format\":\"paper\"}\n{\"id\":\"plain\",\"format\":null}\n".utf8).write(
                to: URL(fileURLWithPath: lines))
            let imported = try FolioCommand.run("import", document, lines, "--entity", "Thing")
            #expect(imported.exit == 0, "\(imported.messages)")
            #expect(
                try FolioCommand.run(
                    "fetch", document, "Thing", "--columns", "id,format", "--sort", "id", "--format", "csv"
                ).output == "id,format\na/b,paper\nplain,\n")
            #expect(
                try FolioCommand.run("fetch", document, "Thing", "--columns", "id", "--sort", "id", "--format", "jsonl")
                    .output == "{\"id\":\"a/b\"}\n{\"id\":\"plain\"}\n")

            for format in ["csv", "jsonl", "json"] {
                let file = folder.path + "/all.\(format)", copy = folder.path + "/Copy-\(format).folio"
                #expect(
                    try FolioCommand.run("export", document, "--format", format, "--entity", "Thing", "-o", file).exit
                        == 0)
                #expect(try FolioCommand.run("new", copy, "--model", model).exit == 0)
                let again = try FolioCommand.run("import", copy, file, "--entity", "Thing")
                #expect(again.exit == 0, "\(again.messages)")
                #expect(try FolioCommand.run("diff", document, copy).output == "", "\(format)")
            }
        }
    }
}
