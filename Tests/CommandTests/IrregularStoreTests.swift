import Foundation
import SQLiteKit
import TestSupport
import Testing

/// Stores that were filled with SQL, as tutorials show it.
struct IrregularStoreTests {
    fileprivate static let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Thing" isAbstract="YES">
                <attribute name="at" attributeType="Date" optional="YES"/>
                <attribute name="count" attributeType="Integer 16" optional="YES"/>
                <attribute name="done" attributeType="Boolean" optional="YES"/>
                <attribute name="tag" attributeType="UUID" optional="YES"/>
                <attribute name="text" attributeType="String" optional="YES"/>
            </entity>
            <entity name="Entry" parentEntity="Thing">
                <relationship name="next" optional="YES" maxCount="1" destinationEntity="Entry" inverseName="previous" inverseEntity="Entry"/>
                <relationship name="previous" optional="YES" maxCount="1" destinationEntity="Entry" inverseName="next" inverseEntity="Entry"/>
                <relationship name="marks" optional="YES" toMany="YES" destinationEntity="Mark" inverseName="entries" inverseEntity="Mark"/>
            </entity>
            <entity name="Mark">
                <attribute name="word" attributeType="String" optional="YES"/>
                <relationship name="entries" optional="YES" toMany="YES" destinationEntity="Entry" inverseName="marks" inverseEntity="Entry"/>
            </entity>
        </model>
        """

    fileprivate struct Store {
        let folder: URL
        let path: String
        let model: String

        func sql(_ statements: String) throws {
            let connection = try Connection(path, .readWrite)
            try connection.execute(statements)
            try connection.close()
        }

        func fetch(_ path: String, _ entity: String, _ predicate: String? = nil, _ columns: String = "SELF") throws
            -> [[String]]
        {
            let outcome = try FolioCommand.run(
                ["fetch", path, entity, "--model", model, "--format", "csv", "--columns", columns]
                    + (predicate.map { ["--where", $0] } ?? []))
            #expect(outcome.exit == 0, "\(outcome.messages)")
            return outcome.output.split(whereSeparator: \.isNewline).dropFirst().map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map {
                    $0.split(separator: "/").last.map(String.init) ?? ""
                }
            }
        }
    }

    fileprivate func withStore(_ statements: String, _ body: (Store) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let model = folder.path + "/Log.xcdatamodel"
            try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
            try Data(Self.contents.utf8).write(to: URL(fileURLWithPath: model + "/contents"))
            let store = Store(folder: folder, path: folder.path + "/l.sqlite", model: model)
            #expect(try FolioCommand.run("new", store.path, "--model", model).exit == 0)
            try store.sql(statements)
            try body(store)
        }
    }

    fileprivate static let cells = """
        INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZAT, ZDONE, ZTAG, ZCOUNT)
            SELECT column1, Z_ENT, 1, column2, column3, column4, column5, column6 FROM Z_PRIMARYKEY, (VALUES
            (1, 'iso date', '2024-01-02 03:04:05', NULL, NULL, NULL), (2, 'word', NULL, 'true', NULL, NULL),
            (3, 'uuid text', NULL, NULL, '123E4567-E89B-12D3-A456-426614174000', NULL),
            (4, 'word', NULL, NULL, NULL, 'many'), (5, 'too big', NULL, NULL, NULL, 70000),
            (6, 'right', 700000000, NULL, NULL, NULL), (7, x'78', -63114076800, NULL, NULL, 2.5)) WHERE Z_NAME = 'Entry';
        UPDATE Z_PRIMARYKEY SET Z_MAX = 7
        """
}

extension IrregularStoreTests {
    @Test func cellsOfOtherTypesAreNamedAndReadAsNilInEveryForm() throws {
        try withStore(Self.cells) { store in
            let verified = try FolioCommand.run("verify", store.path, "--deep")
            #expect(verified.exit == 1)
            for finding in [
                "Entry/p1: at (column ZAT) is the text “2024-01-02 03:04:05”, which is not a Date, and reads as nil",
                "Entry/p2: done (column ZDONE) is the text “true”, which is not a Boolean, and reads as nil",
                "Entry/p3: tag (column ZTAG) is the text “123E4567-E89B-12D3-A456-426614174000”, which is not a UUID",
                "Entry/p4: count (column ZCOUNT) is the text “many”, which is not an Integer 16, and reads as nil",
                "Entry/p5: count (column ZCOUNT) is the integer 70000, which is not an Integer 16",
                "Entry/p7: count (column ZCOUNT) is the number 2.5, which is not an Integer 16, and reads as nil",
                "Entry/p7: text (column ZTEXT) is 1 byte, which is not a String, and reads as nil",
            ] { #expect(verified.output.contains("store: \(finding)\n"), "\(finding)\n\(verified.output)") }
            #expect(!verified.output.contains("p6"))
            let repaired = try FolioCommand.run("repair", store.path, "-o", store.folder.path + "/Repaired.folio")
            #expect(repaired.exit == 1)
            for key in [1, 2, 4, 7] { #expect(repaired.output.contains("Entry/p\(key): "), "\(repaired.output)") }
            #expect(!repaired.output.contains("p3") && !repaired.output.contains("p5"))

            let forms = ["l.sqlite", "l.xml", "l.binary", "l.folio", "l.folioz", "other.sqlite"].map {
                store.folder.path + "/" + $0
            }
            for form in forms.dropFirst() {
                let saved = try FolioCommand.run("save-as", store.path, form)
                #expect(saved.exit == 0)
                #expect(
                    saved.messages.contains("note: 5 cells are not of the attribute's type and count as nil"),
                    "\(saved.messages)")
            }
            for form in forms {
                let all = try store.fetch(form, "Entry", nil, "SELF,text,at,done,tag,count")
                #expect(
                    all == [
                        ["p1", "iso date", "", "", "", ""], ["p2", "word", "", "", "", ""],
                        ["p3", "uuid text", "", "", "123E4567-E89B-12D3-A456-426614174000", ""],
                        ["p4", "word", "", "", "", ""], ["p5", "too big", "", "", "", "70000"],
                        ["p6", "right", "2023-03-08T20:26:40Z", "", "", ""],
                        ["p7", "", "0001-01-01T00:00:00Z", "", "", ""],
                    ], "\(form)")
                for (predicate, found) in [
                    ("at > \"2020-01-01\"", ["p6"]), ("at < \"2002-01-01\"", ["p7"]),
                    ("at == nil AND count == nil", ["p1", "p2", "p3", "p4"]),
                    ("tag == \"123E4567-E89B-12D3-A456-426614174000\"", ["p3"]), ("count > 10", ["p5"]),
                    ("done == NO", []), ("at == \"0001-01-01\"", ["p7"]), ("year(at) == 1", ["p7"]),
                ] {
                    #expect(try store.fetch(form, "Entry", predicate).map { $0[0] } == found, "\(form): \(predicate)")
                }
            }
        }
    }

    @Test func sentinelDatesGoThroughJSONAndCSV() throws {
        try withStore(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZAT) SELECT column1, Z_ENT, 1, column2 FROM Z_PRIMARYKEY, (VALUES (1, -63114076800), (2, 63113904000), (3, -13197600001), (4, -13197600000), (5, -63114076800.5)) WHERE Z_NAME = 'Entry'; UPDATE Z_PRIMARYKEY SET Z_MAX = 5"
        ) { store in
            let dates = [
                "0001-01-01T00:00:00Z", "4001-01-01T00:00:00Z", "1582-10-04T23:59:59Z", "1582-10-15T00:00:00Z",
                "0000-12-31T23:59:59.5Z",
            ]
            #expect(try store.fetch(store.path, "Entry", nil, "SELF,at").map { $0[1] } == dates)
            for (number, date) in dates.enumerated() {
                #expect(try store.fetch(store.path, "Entry", "at == \"\(date)\"").map { $0[0] } == ["p\(number + 1)"])
            }
            for format in ["json", "csv"] {
                let file = store.folder.path + "/out." + format, copy = store.folder.path + "/\(format).sqlite"
                #expect(
                    try FolioCommand.run("export", store.path, "--entity", "Entry", "--format", format, "-o", file).exit
                        == 0)
                #expect(try FolioCommand.run("new", copy, "--model", store.model).exit == 0)
                let imported = try FolioCommand.run(
                    ["import", copy, file] + (format == "csv" ? ["--entity", "Entry"] : []))
                #expect(imported.exit == 0, "\(imported.messages)")
                #expect(try store.fetch(copy, "Entry", nil, "SELF,at").map { $0[1] } == dates)
            }
        }
    }
}

extension IrregularStoreTests {
    @Test func linksThatLeadNowhereAreShownFoundAndNamedTheSameInEveryForm() throws {
        try withStore(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZNEXT)
                SELECT column1, Z_ENT, 1, column2, column3 FROM Z_PRIMARYKEY, (VALUES (1, 'a', 77), (2, 'b', NULL), (3, 'c', 2)) WHERE Z_NAME = 'Entry';
            INSERT INTO ZMARK (Z_PK, Z_ENT, Z_OPT, ZWORD) SELECT 1, Z_ENT, 1, 'm' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Mark';
            UPDATE Z_PRIMARYKEY SET Z_MAX = 9
            """
        ) { store in
            let connection = try Connection(store.path, .readWrite)
            let join = try #require(
                try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
                    .first?[0].text)
            let columns = try connection.rows("SELECT name FROM pragma_table_info('\(join)')").compactMap { $0[0].text }
            let entry = try #require(columns.first { $0.hasSuffix("ENTRIES") }),
                mark = try #require(columns.first { $0 != entry })
            try connection.execute("INSERT INTO \(join) (\(entry), \(mark)) VALUES (1, 1), (1, 50), (60, 1)")
            try connection.close()
            let verified = try FolioCommand.run("verify", store.path)
            #expect(verified.exit == 1 && verified.output.contains("next leads to Entry/p77, which is not there"))

            let exported = try FolioCommand.run("export", store.path)
            #expect(exported.exit == 0)
            #expect(
                exported.messages.contains("note: 3 links lead to objects that are not there and are left out"),
                "\(exported.messages)")
            let forms = ["l.sqlite", "l.xml", "l.binary", "l.folio"].map { store.folder.path + "/" + $0 }
            for form in forms.dropFirst() {
                let saved = try FolioCommand.run("save-as", store.path, form)
                #expect(
                    saved.exit == 0 && saved.messages.contains("note: 2 links lead to objects"), "\(saved.messages)")
                #expect(
                    try FolioCommand.run("verify", form, "--model", store.model).output.contains(
                        "Entry/p77, which is not there"))
            }
            for form in forms {
                #expect(
                    try store.fetch(form, "Entry", nil, "SELF,next,next.text,marks.@count")
                        == [["p1", "p77", "", "1"], ["p2", "", "", "0"], ["p3", "p2", "b", "0"]], "\(form)")
                for (predicate, found) in [
                    ("next == nil", ["p2"]), ("next.text == nil", ["p1", "p2"]), ("marks.@count == 1", ["p1"]),
                    ("marks.@count > 1", []),
                ] {
                    #expect(try store.fetch(form, "Entry", predicate).map { $0[0] } == found, "\(form): \(predicate)")
                }
                let json = try FolioCommand.run("fetch", form, "Entry", "--model", store.model, "--json")
                #expect(json.output.contains("/Entry/p77"), "\(form)")
            }
        }
    }
}

extension IrregularStoreTests {
    @Test func rowsOfNoEntityAreToldAndNotLeftOut() throws {
        try withStore(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT) SELECT 1, Z_ENT, 1, 'entry' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Entry';
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT) SELECT 2, Z_ENT, 1, 'abstract' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing';
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT) VALUES (3, 99, 1, 'stranger');
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3
            """
        ) { store in
            #expect(try store.fetch(store.path, "Thing", nil, "SELF,text") == [["p1", "entry"], ["p2", "abstract"]])
            let verified = try FolioCommand.run("verify", store.path, "--deep")
            #expect(
                verified.output.contains("Thing/p3: the row is of no entity of the model (99)"), "\(verified.output)")
            #expect(
                verified.output.contains("Thing/p2: the row is of the entity Thing, which is abstract"),
                "\(verified.output)")
            for command in [["export", store.path], ["save-as", store.path, store.folder.path + "/l.folio"]] {
                let refused = try FolioCommand.run(command)
                #expect(refused.exit == 65)
                #expect(
                    refused.messages.contains("Of 3 rows of Thing one is of no entity of the model"),
                    "\(refused.messages)")
            }
            #expect(!FileManager.default.fileExists(atPath: store.folder.path + "/l.folio"))
            try store.sql("DELETE FROM ZTHING WHERE Z_PK = 3")
            for form in ["l.xml", "l.binary", "l.folio"].map({ store.folder.path + "/" + $0 }) {
                #expect(try FolioCommand.run("save-as", store.path, form).exit == 0)
                #expect(
                    try store.fetch(form, "Thing", nil, "SELF,text") == [["p1", "entry"], ["p2", "abstract"]], "\(form)"
                )
            }
        }
    }
}

extension IrregularStoreTests {
    @Test func selfStandsBesideEveryColumn() throws {
        try withTemporaryDirectory { folder in
            let xml = folder.path + "/Doc.xml"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, xml).exit == 0)
            for document in [FolioCommand.document, xml] {
                func fetch(_ arguments: String...) throws -> String {
                    let outcome = try FolioCommand.run(
                        ["fetch", document] + arguments + ["--model", FolioCommand.model])
                    #expect(outcome.exit == 0, "\(arguments): \(outcome.messages)")
                    return outcome.output
                }
                for columns in [
                    "SELF,stops", "stops.nights,SELF", "SELF,leader,members.name", "SELF,title,startedOn",
                    "SELF,year(startedOn),stops.@count", "SELF,leader.name,max(stops.nights)",
                ] {
                    let lines = try fetch("Journey", "--columns", columns).split(separator: "\n")
                    #expect(lines.dropFirst(2).filter { $0.contains("Journey/p") }.count == 3, "\(columns)")
                }
                #expect(try fetch("Person", "--columns", "displayName,SELF").contains("Person/p1"))
                #expect(try fetch("Journey", "--columns", "SELF,stops", "--sort", "-SELF").contains(/p3[^$]*p2[^$]*p1/))
                let rows = try fetch(
                    "Journey", "--columns", "SELF,year(startedOn)", "--sort", "-SELF", "--format", "csv")
                #expect(
                    rows.split(whereSeparator: \.isNewline).dropFirst().map { $0.contains("/Journey/p3") } == [
                        true, false, false,
                    ])
                #expect(
                    try fetch("Journey", "--columns", "SELF,count(stops)", "--group-by", "SELF").contains("Journey/p3"))
                #expect(!(try fetch("Journey", "--columns", "SELF,stops", "--format", "json").contains("\"id\"")))
            }
        }
    }
}

extension IrregularStoreTests {
    /// SQLite's time for a statement grows with the square of its constants.
    @Test func thousandsOfConditionsOfAllKindsAreTested() throws {
        try withStore(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZCOUNT) SELECT 1, Z_ENT, 1, 'a', 9 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Entry'"
        ) { store in
            for (condition, found) in [
                ({ (n: Int) in "count==\(n)" }, 1), ({ "count==\($0)&&text!=\"\"" }, 1),
                ({ "count>\(-$0)&&text>\"\"" }, 1),
                ({ "ANY marks.word==\"\($0)\"" }, 0),
            ] as [((Int) -> String, Int)] {
                for separator in ["||", "&&"] {
                    let text = (1...4_000).map { "(" + condition($0) + ")" }.joined(separator: separator)
                    let outcome = try FolioCommand.run("fetch", store.path, "Entry", "--where", text, "--count")
                    #expect(outcome.exit == 0, "\(outcome.messages.prefix(500))")
                    let isFound = separator == "||" || condition(1).hasPrefix("count>") ? found : 0
                    #expect(
                        outcome.output.trimmingCharacters(in: .whitespacesAndNewlines) == "\(isFound)",
                        "\(condition(1))")
                }
            }
        }
    }
}

extension IrregularStoreTests {
    @Test func verifyFindsLinksOfAnXMLStoreThatLeadNowhere() throws {
        try withTemporaryDirectory { folder in
            let whole = folder.path + "/Whole.xml"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, whole).exit == 0)
            let text = try String(contentsOfFile: whole, encoding: .utf8)
            for (name, isToMany) in [
                ("leader", false), ("members", true), ("stops", true), ("leads", true), ("journeys", true),
            ] {
                let match = try #require(
                    text.firstMatch(of: try Regex("<relationship name=\"\(name)\"[^>]*idrefs=\"", as: Substring.self)))
                let damaged = folder.path + "/\(name).xml"
                let head = text[..<match.range.upperBound], tail = text[match.range.upperBound...]
                try Data((head + "z999" + (isToMany ? " " + tail : tail.drop { $0 != "\"" })).utf8).write(
                    to: URL(fileURLWithPath: damaged))
                let verified = try FolioCommand.run("verify", damaged, "--model", FolioCommand.model)
                #expect(verified.exit == 1)
                #expect(
                    verified.output.contains(/p1: \w+ leads to \w+\/p\d+, which is not there/)
                        && verified.output.contains(": \(name) leads to"), "\(name): \(verified.output)")
                let saved = try FolioCommand.run(
                    "save-as", damaged, folder.path + "/\(name).binary", "--model", FolioCommand.model)
                #expect(saved.exit == 0)
                #expect(
                    saved.messages.contains("note: one link leads to objects that are not there") == isToMany,
                    "\(saved.messages)")
            }
            #expect(try FolioCommand.run("verify", whole, "--model", FolioCommand.model).exit == 0)
        }
    }
}

extension IrregularStoreTests {
    @Test func deepVerificationSaysWhatItCouldNotCheck() throws {
        try withTemporaryDirectory { folder in
            func verify(_ path: String, _ options: String...) throws -> FolioCommand.Outcome {
                let outcome = try FolioCommand.run(["verify", path, "--model", FolioCommand.model] + options)
                #expect(outcome.exit == 0, "\(outcome.output)")
                return outcome
            }
            let package = try FolioCommand.copyOfDocument(in: folder)
            #expect(try FolioCommand.run("insert", package, "Person", "name=Ada").exit == 0)
            #expect(try verify(package, "--deep").output == "no damage found\n")
            for (form, reason) in [
                ("Doc.sqlite", "not checked: store: a store by itself has no sums of its pages"),
                ("Doc.xml", "not checked: store: an XML store has no checksum"),
                ("Old.folio", "not checked: store: its pages have no sums"),
            ] {
                let path = folder.path + "/" + form
                #expect(try FolioCommand.run("save-as", package, path).exit == 0)
                if form == "Old.folio" {
                    // A manifest from before there were checksums.
                    let url = URL(fileURLWithPath: path + "/manifest.json")
                    var manifest = try #require(
                        try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
                    var store = try #require(manifest["store"] as? [String: Any])
                    for key in store.keys where key.hasPrefix("page") || key == "changeCounter" { store[key] = nil }
                    manifest["store"] = store
                    manifest["check"] = nil
                    try JSONSerialization.data(withJSONObject: manifest).write(to: url)
                }
                let deep = try verify(path, "--deep")
                #expect(deep.output.hasPrefix("no damage found in what could be checked\n"), "\(deep.output)")
                #expect(deep.output.contains(reason), "\(deep.output)")
                #expect(try verify(path).output == "no damage found\n")
                let json = try verify(path, "--deep", "--json").object
                let unchecked = try #require(json["unchecked"] as? [[String: Any]])
                #expect(
                    unchecked.contains { "not checked: \($0["part"] ?? ""): \($0["message"] ?? "")".hasPrefix(reason) })
                #expect(json["isDamaged"] as? Bool == false)
            }
            let binary = folder.path + "/Doc.binary"
            #expect(try FolioCommand.run("save-as", package, binary).exit == 0)
            #expect(try verify(binary, "--deep").output == "no damage found\n")
        }
    }
}

extension IrregularStoreTests {
    /// Core Data's first version recorded no version hashes.
    @Test func storesFromBeforeVersionHashesAreReadWithAGivenModel() throws {
        try withTemporaryDirectory { folder in
            let model = FolioCommand.model,
                other = FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2"
            let sqlite = folder.path + "/Old.sqlite", xml = folder.path + "/Old.xml"
            #expect(try FolioCommand.run("save-as", FolioCommand.document, sqlite).exit == 0)
            #expect(try FolioCommand.run("save-as", FolioCommand.document, xml).exit == 0)
            let connection = try Connection(sqlite, .readWrite)
            let plist = try PropertyListSerialization.data(
                fromPropertyList: ["NSStoreType": "SQLite"], format: .binary, options: 0)
            try connection.withStatement("UPDATE Z_METADATA SET Z_PLIST = ?") {
                try $0.bind([.blob([UInt8](plist))])
                try $0.run()
            }
            try connection.execute("DROP TABLE IF EXISTS Z_MODELCACHE")
            try connection.close()
            let text = try String(contentsOfFile: xml, encoding: .utf8)
            let stripped = text.replacing(/<key>NSStoreModelVersionHashes<\/key>\s*<dict>[\s\S]*?<\/dict>/, with: "")
            #expect(stripped.count < text.count)
            try Data(stripped.utf8).write(to: URL(fileURLWithPath: xml))
            for store in [sqlite, xml] {
                let alone = try FolioCommand.run("fetch", store, "Person", "--count")
                #expect(alone.exit == 78 && alone.messages.contains("carries no model"), "\(alone.messages)")
                let fetched = try FolioCommand.run("fetch", store, "Person", "--count", "--model", model)
                #expect(fetched.output == "5\n", "\(fetched.messages)")
                let wrong = try FolioCommand.run("fetch", store, "Person", "--count", "--model", other)
                #expect(wrong.exit == 78, "\(wrong.messages)")
                #expect(try FolioCommand.run("verify", store, "--deep", "--model", model).exit == 0)
                let saved = try FolioCommand.run("save-as", store, store + ".folio", "--model", model)
                #expect(saved.exit == 0, "\(saved.messages)")
                #expect(try FolioCommand.run("fetch", store + ".folio", "Person", "--count").output == "5\n")
            }
        }
    }
}
