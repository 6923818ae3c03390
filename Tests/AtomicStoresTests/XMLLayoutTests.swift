import AtomicStores
import Foundation
import RowMemory
import Schema
import Storage
import Testing
import TestSupport

struct XMLLayoutTests {
    @Test func aWrittenStoreHasTheLayoutOfCoreData() throws {  // C29
        try LibraryFixture.run(.xml) { fixture in
            _ = try fixture.store.apply(fixture.changes("Dune <1>"))
            let text = try String(contentsOf: fixture.url, encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            #expect(
                Array(lines[..<10]) == [
                    #"<?xml version="1.0" standalone="no"?>"#,
                    #"<!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">"#, "", "<database>",
                    "    <databaseInfo>", "        <version>134481920</version>",
                    "        <UUID>\(fixture.store.identity.uuid)</UUID>",
                    "        <nextObjectID>104</nextObjectID>", "        <metadata>",
                    #"            <plist version="1.0">"#,
                ])
            let objects = try #require(lines.firstIndex(of: "    </databaseInfo>"))
            #expect(
                Array(lines[(objects + 1)...]) == [
                    #"    <object type="AUTHOR" id="z102">"#,
                    #"        <attribute name="born" type="date">445103622.25000000000000000000</attribute>"#,
                    #"        <attribute name="fullname" type="string">Dune &lt;1&gt;'s author</attribute>"#,
                    #"        <attribute name="isalive" type="bool">1</attribute>"#,
                    #"        <relationship name="books" type="0/0" destination="BOOK" idrefs="z103"></relationship>"#,
                    "    </object>",
                    #"    <object type="BOOK" id="z103">"#,
                    #"        <attribute name="cover" type="binary">AAEC/w==</attribute>"#,
                    #"        <attribute name="pages" type="int16">412</attribute>"#,
                    #"        <attribute name="price" type="decimal">9.5</attribute>"#,
                    #"        <attribute name="title" type="string">Dune &lt;1&gt;</attribute>"#,
                    #"        <relationship name="author" type="1/1" destination="AUTHOR" idrefs="z102"></relationship>"#,
                    "    </object>", "</database>", "",
                ])
            for key in [
                "NSStoreModelVersionHashes", "NSStoreModelVersionHashesVersion", "NSStoreModelVersionIdentifiers",
                "NSPersistenceFrameworkVersion",
            ] {
                #expect(text.contains("<key>\(key)</key>"))
            }
            #expect(!text.contains("NSStoreType"))
        }
    }

    @Test func datesAndUUIDsAreWrittenAsTheCLibraryAndFoundationWriteThem() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Moment", attributes: [.init("at", .date), .init("id", .uuid), .init("turn", .integer64)])
            ], versionIdentifiers: ["1"])
        var generator = SystemRandomNumberGenerator()
        var seconds: [Double] = [
            0, -0.0, 1, -1, 0.5, 1e-13, -3e-7, 0.999_999_999_999_9, 1.000_000_000_1, 785_000_000.123_456, -978_307_200,
            9_007_199_254_740_991, 1e17, -1e300, 63_113_904_000.75,
            .pi, .leastNonzeroMagnitude, 123_456_789.999_999_99,
        ]
        for _ in 0..<2_000 { seconds.append(Double.random(in: -1e9...1e9, using: &generator)) }
        for _ in 0..<500 { seconds.append(Double(bitPattern: generator.next())) }
        seconds = seconds.filter(\.isFinite)
        let turns = [Int64.min, .max, 0, -1, 10, -120] + seconds.map { Int64($0.bitPattern >> 1) }
        let ids = seconds.map { _ in UUID() }
        try withTemporaryDirectory { folder in
            let description = PersistentStoreDescription(url: folder.appendingPathComponent("a.xml"), type: .xml)
            let store = try AtomicPersistentStore.xmlFactory.open(description, model)
            func slot(_ name: String) throws -> RowSlot {
                store.layouts[0].slots[try #require(model.entities[0].property(named: name)).index]
            }
            var rows = RowBatch(), changes = ChangeSet()
            for (index, value) in seconds.enumerated() {
                let row = rows.appendRow(store.layouts[0], key: Int64(-1 - index), version: 0)
                row.setDouble(value, try slot("at"))
                row.setUUID(ids[index], try slot("id"))
                row.setInt(turns[index], try slot("turn"))
            }
            changes.insertions = [.init(entityIndex: 0, rows: rows)]
            _ = try store.apply(changes)
            try store.close()
            let text = try String(contentsOf: description.url, encoding: .utf8)
            func written(_ name: String) -> [String] {
                text.split(separator: "\n").filter { $0.contains("<attribute name=\"\(name)\"") }.map {
                    String($0.split(separator: ">")[1].dropLast("</attribute".count))
                }
            }
            let expected = seconds.map { value in
                let text = String(format: "%.20f", value)
                return Double(text) == value ? text : value.description
            }
            #expect(written("at") == expected)
            #expect(written("id") == ids.map(\.uuidString))
            #expect(written("turn") == turns.prefix(seconds.count).map { String($0) })
            let again = try AtomicPersistentStore.xmlFactory.open(description, model)
            let read = try again.rows(RowRequest(entityIndex: 0))
            let at = try slot("at"), id = try slot("id")
            for index in seconds.indices {
                #expect(read[index].double(at) == seconds[index])
                #expect(read[index].uuid(id) == ids[index])
            }
        }
    }
}

extension XMLLayoutTests {
    @Test func theSameContentGivesTheSameBytes() throws {
        try LibraryFixture.run(.xml) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let first = try Data(contentsOf: fixture.url)
            let again = try fixture.open()
            var changes = ChangeSet()
            changes.metadata = ["nothing": nil]
            _ = try again.apply(changes)
            #expect(try Data(contentsOf: fixture.url) == first)
        }
    }

    @Test func namesAndSpacingOfOthersAreUnderstood() throws {
        try LibraryFixture.run(.xml) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            var text = try String(contentsOf: fixture.url, encoding: .utf8)
            text = text.replacingOccurrences(of: "<metadata>", with: "<!-- a note --><metadata>")
                .replacingOccurrences(of: #"type="BOOK""#, with: #"type="Book""#).replacingOccurrences(
                    of: #"name="title""#, with: #"name="Title""#
                )
                .replacingOccurrences(of: #">412<"#, with: "> 412\n<").replacingOccurrences(
                    of: "AAEC/w==", with: "\n\tAAEC\n\t/w==\n\t"
                )
                // One side of a relationship alone says it.
                .replacingOccurrences(of: #" destination="AUTHOR" idrefs="z102""#, with: #" destination="AUTHOR""#)
            try Data(text.utf8).write(to: fixture.url)
            let store = try fixture.open()
            #expect(try fixture.titles(in: store) == ["A"])
            let rows = try store.rows(RowRequest(entityIndex: 1))
            #expect(rows[0].reference(fixture.slot(fixture.model.entities[1], "author"))?.key == 102)
            #expect(
                try rows[0].large(fixture.slot(fixture.model.entities[1], "cover"))?.data() == Data([0, 1, 2, 255]))
        }
    }

    static let damages: [(what: String, with: String, code: StorageError.Code)] = [
        ("</database>", "", .damaged),
        ("</object>", "", .damaged),
        (#"id="z103""#, #"id="z102""#, .damaged),
        (#"id="z103""#, #"id="103""#, .damaged),
        (#"id="z103""#, #"id="z-9223372036854775808""#, .damaged),
        (#"id="z103""#, #"id="z99999999999999999999""#, .damaged),
        (#"type="BOOK""#, #"type="NOVEL""#, .incompatibleModel),
        (#"name="pages""#, #"name="leaves""#, .incompatibleModel),
        (">412<", ">many<", .damaged),
        (">9.5<", ">nan<", .damaged),
        (#"idrefs="z103""#, #"idrefs="z103 x""#, .damaged),
        (#"name="title" type="string">"#, #"name="title" type="string">&bomb;"#, .damaged),
        (#"CoreData.dtd">"#, #"CoreData.dtd" [<!ENTITY bomb "x">]>"#, .damaged),
        ("</databaseInfo>", "</databaseInfo>" + String(repeating: "<object>", count: 100_000), .damaged),
        ("<UUID>", "<UUIDS>", .damaged),
        ("<database>", "<plist>", .damaged),
    ]

    @Test(arguments: damages.indices) func aDamagedStoreIsRefused(index: Int) throws {
        let damage = Self.damages[index]
        try LibraryFixture.run(.xml) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let text = try String(contentsOf: fixture.url, encoding: .utf8)
            #expect(text.contains(damage.what))
            try Data(text.replacingOccurrences(of: damage.what, with: damage.with).utf8).write(to: fixture.url)
            let error = #expect(throws: StorageError.self) { _ = try fixture.open() }
            #expect([damage.code, .notAStore].contains(error?.code), "\(damage.what): \(String(describing: error))")
            #expect(error?.path == fixture.url.path)
        }
    }
}

extension XMLLayoutTests {
    @Test func referencesThatLeadNowhereAreKeptAndHarmNobody() throws {
        try LibraryFixture.run(.xml) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let text = try String(contentsOf: fixture.url, encoding: .utf8)
            try Data(
                text.replacingOccurrences(of: #"idrefs="z102""#, with: #"idrefs="z7000""#).replacingOccurrences(
                    of: #"idrefs="z103""#, with: #"idrefs="z103 z8000 z102""#
                ).utf8
            )
            .write(to: fixture.url)
            let store = try fixture.open()
            let books = try store.related(
                entityIndex: 0, propertyIndex: try #require(fixture.model.entities[0].property(named: "books")).index,
                owners: [102], includingRows: true)
            #expect(books.members[0].isEmpty)
            let rows = try store.rows(RowRequest(entityIndex: 1))
            #expect(rows[0].reference(fixture.slot(fixture.model.entities[1], "author"))?.key == 7000)
        }
    }

    @Test func whatIsNoStoreIsSaidToBeNone() throws {
        try LibraryFixture.run(.xml) { fixture in
            for text in [
                "hello", "<html></html>", #"<?xml version="1.0"?><plist version="1.0"><dict/></plist>"#, "\u{0}\u{1}",
            ] {
                try Data(text.utf8).write(to: fixture.url)
                let error = #expect(throws: StorageError.self) { _ = try fixture.open() }
                #expect(error?.code == .notAStore, "\(text)")
            }
        }
    }

    @Test func storesAreKnownByTheirBeginning() throws {
        try LibraryFixture.run(.xml) { xml in
            let text = try Data(contentsOf: xml.url)
            #expect(AtomicPersistentStore.isXMLStore(text.prefix(200)))
            #expect(!AtomicPersistentStore.isBinaryStore(text))
            #expect(!AtomicPersistentStore.isXMLStore(Data(#"<?xml version="1.0"?><model>"#.utf8)))
            #expect(!AtomicPersistentStore.isXMLStore(Data("SQLite format 3".utf8)))
            let info = try AtomicPersistentStore.storedInfo(at: xml.url)
            #expect(info.type == .xml && info.uuid == xml.store.identity.uuid && info.modelBytes == nil)
            #expect(info.versionHashes == xml.model.versionHashesByEntityName)
            #expect(info.versionIdentifiers == ["1"])
        }
        try LibraryFixture.run(.binary) { binary in
            let bytes = try Data(contentsOf: binary.url)
            #expect(AtomicPersistentStore.isBinaryStore(bytes.prefix(8)))
            #expect(!AtomicPersistentStore.isXMLStore(bytes))
            let info = try AtomicPersistentStore.storedInfo(at: binary.url)
            #expect(info.type == .binary && info.uuid == binary.store.identity.uuid)
            #expect(info.versionHashes == binary.model.versionHashesByEntityName)
            #expect(info.modelBytes?.isEmpty == false)
        }
    }
}
