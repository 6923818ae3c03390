import AtomicStores
import Foundation
import RowMemory
import Schema
import Storage
import TestSupport
import Testing

/// An XML store's file as a whole: what may stand between and behind its objects, and where a fault
/// is said to be.
struct XMLFileTests {
    private static let count = 2_500

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Note",
                    attributes: [
                        .init("text", .string), .init("number", .integer64), .init("size", .double), .init("id", .uuid),
                    ])
            ], versionIdentifiers: ["1"])
    }

    private static func text(_ index: Int) -> String {
        String(repeating: ["Grüße ", "👩‍👩‍👧", "plain ", "<&> ", "漢字"][index % 5], count: 20 + index % 37)
    }

    private static func size(_ index: Int) -> Double {
        [
            Double(index) / 100, Double(index) * 0.1 + 1e-9, -Double(index), 1e11 + Double(index),
            1 / Double(index + 1), 1e-4 * Double(index), 0.0, -0.0,
        ][index % 8]
    }

    private func stored(_ model: ManagedObjectModel, in folder: URL) throws -> Data {
        let url = folder.appendingPathComponent("written.xml")
        let store = try AtomicPersistentStore.xmlFactory.open(PersistentStoreDescription(url: url, type: .xml), model)
        defer { try? store.close() }
        func slot(_ name: String) throws -> RowSlot {
            store.layouts[0].slots[try #require(model.entities[0].property(named: name)).index]
        }
        let (text, number, size, id) = (try slot("text"), try slot("number"), try slot("size"), try slot("id"))
        var rows = RowBatch(), changes = ChangeSet()
        for index in 0..<Self.count {
            let row = rows.appendRow(store.layouts[0], key: Int64(-1 - index), version: 0)
            row.setString(Self.text(index), text)
            row.setInt(Int64(index), number)
            row.setDouble(Self.size(index), size)
            row.setUUID(UUID(), id)
        }
        changes.insertions = [.init(entityIndex: 0, rows: rows)]
        _ = try store.apply(changes)
        return try Data(contentsOf: url)
    }

    /// All that a store says, or why it says nothing.
    private func content(_ bytes: Data, _ model: ManagedObjectModel, in folder: URL) throws -> [String] {
        let url = folder.appendingPathComponent("read.xml")
        try bytes.write(to: url)
        do {
            let store = try AtomicPersistentStore.xmlFactory.open(
                PersistentStoreDescription(url: url, type: .xml), model)
            defer { try? store.close() }
            let rows = try store.rows(RowRequest(entityIndex: 0))
            return (0..<rows.count).map { index in
                let row = rows[index]
                return "\(row.key) "
                    + row.layout.slots.map {
                        $0.kind == .double ? "\(row.double($0)?.bitPattern ?? 1)" : "\(row.value($0))"
                    }.joined(separator: " ")
            }
        } catch let error as StorageError {
            return ["\(error.code): \(error.message)"]
        }
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let model = try Self.model()
        try withTemporaryDirectory { folder in
            let bytes = try stored(model, in: folder), lines = try content(bytes, model, in: folder)
            #expect(bytes.count > 4 << 18 && lines.count == Self.count)
            let text = String(decoding: bytes, as: UTF8.self)
            let sizes = Set(text.matches(of: /name="size" type="double">([^<]*)</).map { String($0.1) })
            for index in 0..<Self.count {
                #expect(sizes.contains(Self.size(index).description))
                #expect(
                    lines[index].contains("\(Self.size(index).bitPattern)") && lines[index].contains(Self.text(index)))
            }
        }
    }

    /// A change of a store, in the middle of its objects or at an end.
    private enum Change: CaseIterable {
        case none, comment, section, largeObject, spaceAtTheEnd, noSpaceAtTheEnd, muchSpaceAtTheEnd, commentAtTheEnd,
            textAtTheEnd, noEnd, endInTheMiddle, strangeElement, noText, endBeforeAll, commentBeforeAll,
            elementBeforeAll, twice, mark, returns
    }

    @Test(arguments: sweep([.none, .comment, .noEnd, .twice], all: Change.allCases))
    private func whatIsUnusualIsReadAndWhatIsWrongRefused(change: Change) throws {
        let model = try Self.model()
        try withTemporaryDirectory { folder in
            let bytes = try stored(model, in: folder)
            let middle = try #require(bytes.range(of: Data("    <object ".utf8), in: 700_000..<bytes.count)).lowerBound,
                end = Data("</database>\n".utf8)
            let first = try #require(bytes.range(of: Data("<object ".utf8))).lowerBound
            var changed = bytes
            func insert(_ text: String) { changed.insert(contentsOf: text.utf8, at: middle) }
            func close(_ text: String) {
                changed.replaceSubrange(bytes.count - end.count..<bytes.count, with: text.utf8)
            }
            switch change {
            case .none: break
            case .comment: insert("<!-- one -->")
            case .section:
                insert(
                    "    <object type=\"NOTE\" id=\"z900000\"><attribute name=\"text\" type=\"string\"><![CDATA[<object ]]></attribute></object>\n"
                )
            case .largeObject:
                insert(
                    "    <object type=\"NOTE\" id=\"z900000\"><attribute name=\"text\" type=\"string\">\(String(repeating: "é", count: 400_000))</attribute></object>\n"
                )
            case .spaceAtTheEnd: close("</database>\n \n\t")
            case .noSpaceAtTheEnd: close("</database>")
            case .muchSpaceAtTheEnd: close("</database>" + String(repeating: "\n", count: 1000))
            case .commentAtTheEnd: close("</database><!-- the end -->")
            case .textAtTheEnd: close("</database>x")
            case .noEnd: close("")
            case .endInTheMiddle: insert("</database>")
            case .strangeElement: insert("<thing/>")
            case .noText: changed.replaceSubrange(middle + 30..<middle + 31, with: [0xFF])
            case .endBeforeAll: changed.insert(contentsOf: "</database>".utf8, at: first)
            case .commentBeforeAll: changed.insert(contentsOf: "<!-- <object > -->".utf8, at: first)
            case .elementBeforeAll: changed.insert(contentsOf: "<thing>".utf8, at: first)
            case .twice: insert("    <object type=\"NOTE\" id=\"z110\"></object>\n")
            case .mark: changed = Data([0xEF, 0xBB, 0xBF]) + bytes
            case .returns:
                changed = Data(String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\n", with: "\r\n").utf8)
            }
            let lines = try content(changed, model, in: folder)
            switch change {
            case .none, .comment, .spaceAtTheEnd, .noSpaceAtTheEnd, .muchSpaceAtTheEnd, .commentAtTheEnd,
                .commentBeforeAll, .mark, .returns:
                #expect(lines.count == Self.count)
            case .section, .largeObject: #expect(lines.count == Self.count + 1)
            case .textAtTheEnd, .noEnd, .endInTheMiddle, .strangeElement, .noText, .endBeforeAll, .elementBeforeAll,
                .twice:
                #expect(lines.count == 1)
            }
            // A fault is found where it is.
            if change == .strangeElement {
                #expect(
                    lines[0].contains("“thing” (line \(changed[..<middle].count { $0 == UInt8(ascii: "\n") } + 1))"))
            }
        }
    }
}
