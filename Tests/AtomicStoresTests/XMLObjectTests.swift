import AtomicStores
import Foundation
import Query
import RowMemory
import Schema
import Storage
import TestSupport
import Testing

/// What an XML store reads of what it wrote, in any order of its objects, damaged, and with values
/// as other programs write them.
struct XMLObjectTests {
    private static func model() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.composites = [
            CompositeDescription("Point", attributes: [.init("x", .double), .init("name", .string)])
        ]
        description.versionIdentifiers = ["1"]
        description.entities = [
            EntityDefinition(
                "Thing",
                attributes: [
                    .init("int", .integer64), .init("small", .integer16), .init("flag", .boolean),
                    .init("double", .double), .init("float", .float), .init("date", .date),
                    .init("text", .string), .init("link", .uri), .init("id", .uuid), .init("price", .decimal),
                    .init("data", .binary),
                    .init("large", .binary, allowsExternalBinaryDataStorage: true),
                    .init("place", .composite, compositeName: "Point"),
                ],
                relationships: [
                    .init("box", to: "Box", inverse: "things"),
                    .init("friends", to: "Thing", inverse: "friends", maxCount: 0),
                    .init("parts", to: "Box", inverse: "wholes", maxCount: 0, isOrdered: true),
                ]),
            EntityDefinition("Special", superentityName: "Thing", attributes: [.init("extra", .string)]),
            EntityDefinition(
                "Box", attributes: [.init("name", .string)],
                relationships: [
                    .init("things", to: "Thing", inverse: "box", maxCount: 0),
                    .init("wholes", to: "Thing", inverse: "parts", maxCount: 0),
                ]),
        ]
        return try ManagedObjectModel(description)
    }

    private static let texts = [
        "", " ", "plain", "a <b> & \"c\" 'd'", "&amp;", "]]>", "line\nline\ttab", "line\r\nline", "Grüße 👩‍👩‍👧", "\u{1}",
        "&#10;", String(repeating: "long ", count: 40), "</attribute>", "e\u{301}",
    ]
    private static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.1, 1.0 / 3, 1e15, 9_007_199_254_740_991, 123_456_789.123_456_7, 1e22, 1e23, 1e-7,
        .leastNonzeroMagnitude, -.pi, .greatestFiniteMagnitude, 0.000_123, 4_503_599_627_370_497.5,
        .infinity,
    ]
    private static let dates: [Double] = [
        0, 1, -1, 785_000_000.123_456, 700_000_000.5, -978_307_200.25, 0.1, 1e17, 63_113_904_000.75,
        807_234_567.987_654_3,
    ]

    /// Objects of every kind, with values or without.
    private func changes(_ store: any StoreBackend, _ model: ManagedObjectModel, _ generator: inout SplitMix) throws
        -> ChangeSet
    {
        var changes = ChangeSet()
        let boxes = 6, things = 40
        for (number, name) in ["Thing", "Special", "Box"].enumerated() {
            let entity = try #require(model.entity(named: name))
            var rows = RowBatch()
            for index in 0..<(name == "Box" ? boxes : things) {
                let row = rows.appendRow(store.layouts[entity.index], key: Int64(-1 - index - number * 100), version: 0)
                for property in entity.properties where Int.random(in: 0..<4, using: &generator) > 0 {
                    let slot = store.layouts[entity.index].slots[property.index]
                    switch slot.kind {
                    case .int:
                        row.setInt(
                            property.name == "small"
                                ? 7
                                : Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator),
                            slot)
                    case .bool: row.setBool(Bool.random(using: &generator), slot)
                    case .double: row.setDouble(Self.doubles.randomElement(using: &generator) ?? 0, slot)
                    case .float: row.setFloat(Float.random(in: -10...10, using: &generator), slot)
                    case .date:
                        row.setDouble(
                            Bool.random(using: &generator)
                                ? Self.dates.randomElement(using: &generator) ?? 0
                                : .random(in: -1e9...1e9, using: &generator), slot)
                    case .string: row.setString(Self.texts.randomElement(using: &generator) ?? "", slot)
                    case .uri: row.setString("https://example.org/?a=1&b=\(index)", slot)
                    case .uuid: row.setUUID(UUID(), slot)
                    case .decimal: row.setDecimal(Decimal(string: "\(index).125") ?? 0, slot)
                    case .data: row.setData(Data((0..<index).map { UInt8($0) }), slot)
                    case .large: row.setLarge(LargeValue(Data((0..<index).map { UInt8($0) })), slot)
                    case .boxed:
                        row.setBoxed(BoxedValue(.composite(["x": .double(0.5), "name": .string("<\(index)>")])), slot)
                    case .toOne:
                        row.setReference(
                            ObjectReference(
                                key: Int64(-201 - index % boxes),
                                entityIndex: try #require(model.entity(named: "Box")).index), slot)
                    case .toMany: break
                    }
                }
            }
            changes.insertions.append(.init(entityIndex: entity.index, rows: rows))
        }
        let thing = try #require(model.entity(named: "Thing")), box = try #require(model.entity(named: "Box"))
        for (name, target, first) in [("friends", thing.index, -1), ("parts", box.index, -201)] {
            let property = try #require(thing.property(named: name)).index
            for owner in 0..<things {
                for member in Set((0..<3).map { _ in Int.random(in: 0..<6, using: &generator) })
                where name == "parts" || member < owner {
                    changes.links.append(
                        .init(
                            entityIndex: thing.index, propertyIndex: property, owner: Int64(-1 - owner),
                            member: .init(key: Int64(first - member), entityIndex: target), isAdded: true))
                }
            }
        }
        return changes
    }
}

extension XMLObjectTests {
    /// All that a store says, or why it says nothing.
    private func content(_ text: Data, _ model: ManagedObjectModel, in folder: URL) throws -> [String] {
        let url = folder.appendingPathComponent("read.xml")
        try text.write(to: url)
        var description = PersistentStoreDescription(url: url, type: .xml)
        description.createsIfMissing = false
        do {
            let store = try AtomicPersistentStore.xmlFactory.open(description, model)
            defer { try? store.close() }
            return try content(of: store, model)
        } catch let error as StorageError {
            return ["\(error.code): \(error.message)"]
        }
    }

    private func content(of store: any StoreBackend, _ model: ManagedObjectModel) throws -> [String] {
        var lines: [String] = ["\(try store.metadata().keys.sorted())"]
        for entity in model.entities where entity.superentity == nil {
            let rows = try store.rows(RowRequest(entityIndex: entity.index))
            for index in 0..<rows.count {
                let row = rows[index]
                var line = "\(row.entityIndex) \(row.key) \(row.version)"
                for slot in row.layout.slots where row.hasValue(slot) {
                    switch slot.kind {
                    case .toOne:
                        if let target = row.reference(slot) {
                            line += " \(slot.index)→\(target.entityIndex) \(target.key)"
                        }
                    case .double, .date: line += " \(slot.index)=\(row.double(slot)?.bitPattern ?? 0)"
                    case .large:
                        let bytes: [UInt8] = try row.large(slot).map { [UInt8](try $0.data()) } ?? []
                        line += " \(slot.index)=\(bytes)"
                    case .boxed:
                        if case .composite(let parts) = row.value(slot) {
                            line += " \(slot.index)=\(parts.sorted { $0.key < $1.key })"
                        }
                    default: line += " \(slot.index)=\(row.value(slot))"
                    }
                }
                lines.append(line)
                for property in model.entities[row.entityIndex].properties where property.isToMany {
                    let members = try store.related(
                        entityIndex: row.entityIndex, propertyIndex: property.index, owners: [row.key],
                        includingRows: false
                    ).members
                    lines.append("\(property.name): \(members)")
                }
            }
        }
        return lines
    }

    /// The first line that one of them has otherwise; nil where they are the same.
    private func difference(_ first: [String], _ second: [String]) -> String? {
        if let (left, right) = zip(first, second).first(where: { $0 != $1 }) { return "\(left) | \(right)" }
        return first.count == second.count ? nil : "\(first.count) lines | \(second.count) lines"
    }

    private func stored(_ seed: UInt64, _ model: ManagedObjectModel, in folder: URL) throws -> Data {
        var generator = SplitMix(state: seed)
        let url = folder.appendingPathComponent("\(seed).xml")
        let store = try AtomicPersistentStore.xmlFactory.open(PersistentStoreDescription(url: url, type: .xml), model)
        _ = try store.apply(try changes(store, model, &generator))
        try store.close()
        return try Data(contentsOf: url)
    }

    @Test(arguments: sweep([1], all: [1, 2, 3]) as [UInt64]) func whatIsWrittenIsReadBack(seed: UInt64) throws {
        let model = try Self.model()
        try withTemporaryDirectory { folder in
            var generator = SplitMix(state: seed)
            let url = folder.appendingPathComponent("\(seed).xml")
            let store = try AtomicPersistentStore.xmlFactory.open(
                PersistentStoreDescription(url: url, type: .xml), model)
            _ = try store.apply(try changes(store, model, &generator))
            let written = try content(of: store, model)
            try store.close()
            #expect(written.count > 80)
            #expect(try difference(written, content(try Data(contentsOf: url), model, in: folder)) == nil)
        }
    }
}

extension XMLObjectTests {
    @Test func theOrderOfObjectsMeansNothingAndNoneMayComeTwice() throws {
        let model = try Self.model()
        try withTemporaryDirectory { folder in
            let bytes = try stored(4, model, in: folder), expected = try content(bytes, model, in: folder)
            let text = String(decoding: bytes, as: UTF8.self), end = "</database>"
            let start = try #require(text.range(of: "    <object")).lowerBound
            let objects = text[start...].components(separatedBy: "    </object>\n").filter {
                $0.hasPrefix("    <object")
            }.map { $0 + "    </object>\n" }
            #expect(objects.count == 86)
            var generator = SplitMix(state: 4)
            let inPasses = (0..<3).flatMap { pass in objects.indices.filter { $0 % 3 == pass }.map { objects[$0] } }
            for order in [objects, objects.reversed(), objects.shuffled(using: &generator), inPasses] {
                let shuffled = Data((text[..<start] + order.joined() + end).utf8)
                #expect(try difference(expected, content(shuffled, model, in: folder)) == nil)
                for again in [order[0], order[40], order[85]] {
                    let twice = try content(
                        Data((text[..<start] + order.joined() + again + end).utf8), model, in: folder)
                    #expect(twice.count == 1 && twice[0].contains("Two objects have the id"))
                }
            }
        }
    }

    private static let damages = sweep(60, all: 400)

    @Test(arguments: sweep([11], all: [11, 12]) as [UInt64]) func damageIsRefusedOrReadAndNeverFatal(seed: UInt64)
        throws
    {
        let model = try Self.model()
        try withTemporaryDirectory { folder in
            let bytes = try stored(seed, model, in: folder)
            var generator = SplitMix(state: seed)
            let start = try #require(bytes.range(of: Data("<object".utf8))).lowerBound
            let pieces = [
                "<", ">", "&", "\"", "'", "\r", "\n", " ", "z", "-", ".", "e", "&amp;", "&lt", "<!-- x -->",
                "<![CDATA[<]]>", "</object>", "<attribute name=\"int\" type=\"int64\">", "</attribute>", "\t", "\u{E9}",
                "9",
            ]
            var refused = 0
            for _ in 0..<Self.damages {
                var changed = bytes
                let place = Int.random(in: start..<bytes.count, using: &generator)
                let piece = Data((pieces.randomElement(using: &generator) ?? "").utf8)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: changed.replaceSubrange(place..<place, with: piece)
                case 1: changed.replaceSubrange(place..<min(place + piece.count, changed.count), with: piece)
                case 2:
                    changed.removeSubrange(
                        place..<min(place + Int.random(in: 1...40, using: &generator), changed.count))
                default:
                    changed = changed[..<place] + changed[Int.random(in: start..<bytes.count, using: &generator)...]
                }
                // A change within a character makes no text at all.
                guard String(data: changed, encoding: .utf8) != nil else { continue }
                let plain = try content(changed, model, in: folder)
                if plain.count == 1 { refused += 1 }
            }
            #expect(refused > Self.damages / 10 && refused < Self.damages)
        }
    }

    @Test(arguments: [
        #"<attribute name="text" type="string">a</attribute><attribute name="text" type="string">b</attribute>"#,
        #"<attribute name="text" type="string">a</attribute><attribute name="TEXT" type="string">a</attribute>"#,
        #"<relationship name="box" type="1/1" destination="BOX"/><relationship name="box" type="1/1" destination="BOX"/>"#,
        #"<attribute name="place.name" type="string">a</attribute><attribute name="place.name" type="string">b</attribute>"#,
    ])
    func aPropertyThatAnObjectHasTwiceIsRefused(properties: String) throws {
        let model = try Self.model()
        try withTemporaryDirectory { folder in
            let text = String(decoding: try stored(22, model, in: folder), as: UTF8.self)
            let head = text[..<(try #require(text.range(of: "    <object"))).lowerBound]
            let lines = try content(
                Data("\(head)<object type=\"THING\" id=\"z1\">\(properties)</object></database>\n".utf8), model,
                in: folder)
            #expect(lines.count == 1 && lines[0].contains("twice"))
        }
    }
}

extension XMLObjectTests {
    @Test func numbersAreReadInEverySpellingOfTheStandardLibrary() throws {
        let model = try Self.model()
        let spellings = [
            "1", "-1", "+1", "01", "1.", "-.5", "1.50", "1e3", "1E-3", "-0", "-0.0", "0x10", "inf", "nan", " 7 ", "",
            "-", "--1", "1..2", "1.2.3", "12345678901234567890", "9007199254740993",
            "0.30000000000000004", "700000000.12345678901234567890", "1.000000000000000000000001", "562949953421311.9",
            "340282366920938463463374607431768211456",
        ]
        try withTemporaryDirectory { folder in
            let text = String(decoding: try stored(21, model, in: folder), as: UTF8.self)
            let head = text[..<(try #require(text.range(of: "    <object"))).lowerBound]
            let thing = try #require(model.entity(named: "Thing"))
            for (name, type) in [("int", "int64"), ("double", "double"), ("date", "date")] {
                let slot = try #require(thing.property(named: name)).index
                for spelling in spellings {
                    let object =
                        "<object type=\"THING\" id=\"z1\">\n<attribute name=\"\(name)\" type=\"\(type)\">\(spelling)</attribute></object>\n"
                    let lines = try content(Data("\(head)\(object)</database>\n".utf8), model, in: folder)
                    let word = spelling.trimmingCharacters(in: .whitespaces)
                    let expected =
                        name == "int"
                        ? Int64(word).map { "\(PropertyValue.int($0))" } : Double(word).map { "\($0.bitPattern)" }
                    if let expected {
                        #expect(lines.contains { $0.contains(" \(slot)=\(expected)") }, "\(type) \(spelling)")
                    } else {
                        #expect(lines.count == 1 && lines[0].contains("is no"), "\(type) \(spelling)")
                    }
                }
            }
        }
    }

    @Test func decimalsAreReadAsTheNearestNumber() throws {
        let model = try ManagedObjectModel(
            entities: [EntityDefinition("Number", attributes: [.init("value", .double)])], versionIdentifiers: ["1"])
        var generator = SplitMix(state: 5)
        let written = (0..<20_000).map { _ -> String in
            let whole = (0..<Int.random(in: 1...18, using: &generator)).map { _ in
                "\(Int.random(in: 0...9, using: &generator))"
            }.joined()
            let decimals = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                "\(Int.random(in: 0...9, using: &generator))"
            }.joined()
            return "\(Bool.random(using: &generator) ? "-" : "")\(whole).\(decimals)"
        }
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.xml"),
                description = PersistentStoreDescription(url: url, type: .xml)
            try AtomicPersistentStore.xmlFactory.open(description, model).close()
            let text = try String(contentsOf: url, encoding: .utf8)
            let objects = written.enumerated().map {
                "<object type=\"NUMBER\" id=\"z\($0 + 1)\"><attribute name=\"value\" type=\"double\">\($1)</attribute></object>\n"
            }.joined()
            try Data(text.replacingOccurrences(of: "</database>\n", with: "\(objects)</database>\n").utf8).write(
                to: url)
            let store = try AtomicPersistentStore.xmlFactory.open(description, model)
            let rows = try store.rows(RowRequest(entityIndex: 0)), slot = store.layouts[0].slots[0]
            #expect(rows.count == written.count)
            let wrong = zip(0..<rows.count, written).filter {
                rows[$0].double(slot)?.bitPattern != Double($1)?.bitPattern
            }
            #expect(wrong.isEmpty)
        }
    }
}
