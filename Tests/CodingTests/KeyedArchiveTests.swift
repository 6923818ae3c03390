import Coding
import Foundation
import Testing

struct KeyedArchiveTests {
    @Test func objectsThatReferToEachOtherAreFollowed() throws {
        var writer = KeyedArchiveWriter()
        let first = writer.reserve(), second = writer.reserve()
        let name = writer.add(string: "Ada")
        writer.fill(
            first, class: ["Person", "NSObject"],
            fields: ["name": name.value, "friend": second.value, "age": 36, "nothing": .uid(0)])
        writer.fill(
            second, class: ["Person", "NSObject"],
            fields: ["name": writer.add(string: "Ada").value, "friend": first.value])
        let root = try KeyedArchive(writer.finish(root: first)).root()
        #expect(root.classChain == ["Person", "NSObject"])
        #expect(try root.string("name") == "Ada")
        #expect(try root.integer("age") == 36)
        #expect(try root.object("nothing") == nil)
        #expect(try root.object("friend")?.object("friend") == root)
        #expect(try root.object("name") == root.object("friend")?.object("name"))
        #expect(throws: CodingError.self) { try root.required("absent") }
    }

    @Test func valuesOfFoundationComeBack() throws {
        var writer = KeyedArchiveWriter()
        let uuid = try #require(UUID(uuidString: "6F0C2C2E-1111-4222-8333-0123456789AB"))
        let url = try #require(URL(string: "https://example.com/a?b"))
        let decimals = ["0", "10.11", "-123456789012345678901234567890.12345678", "1e-100", "65536"].compactMap {
            Decimal(string: $0)
        }
        let values = [
            writer.add(string: "text"), writer.add(.integer(-3)), writer.add(.real(0.5)), writer.add(true),
            writer.add(.data(Data([9]))),
            writer.add(date: Date(timeIntervalSinceReferenceDate: 12.5)), writer.add(uuid: uuid), writer.add(url: url),
            writer.addNull(), .null,
        ]
        let numbers = decimals.map { writer.add(decimal: $0) }
        let pair = [(key: values[0], value: values[1])]
        let root = writer.add(array: [
            writer.add(array: values), writer.add(set: numbers), writer.add(dictionary: pair),
            writer.add(dictionary: pair, isMutable: true),
        ])
        let lists = try #require(try KeyedArchive(writer.finish(root: root)).root().elements())
        let read = try #require(try lists[0]?.elements())
        #expect(read[0]?.string == "text")
        #expect(read[1]?.number == -3)
        #expect(read[2]?.number == .real(0.5))
        #expect(read[3]?.number == true)
        #expect(read[4]?.data == Data([9]))
        #expect(read[5]?.date == Date(timeIntervalSinceReferenceDate: 12.5))
        #expect(read[6]?.uuid == uuid)
        #expect(read[7]?.url == url)
        #expect(read[8]?.isNull == true)
        #expect(read[9] == nil)
        #expect(try lists[1]?.elements()?.map { $0?.decimal } == decimals)
        for dictionary in lists[2...] {
            let entries = try #require(try dictionary?.namedEntries())
            #expect(entries.map(\.name) == ["text"])
            #expect(entries[0].value?.number == -3)
        }
    }

    @Test func dictionariesWithKnownKeysAndMutableStringsAreRead() throws {
        var writer = KeyedArchiveWriter()
        let text = writer.add(class: ["NSMutableString", "NSString", "NSObject"], fields: ["NS.string": "mutable"])
        let keys = writer.add(array: [writer.add(string: "a"), writer.add(string: "b")])
        let empty = writer.add(string: "no value")
        let values = writer.add(array: [text, empty])
        let mapping = writer.add(
            class: ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            fields: ["keys": keys.value, "length": 2])
        let root = writer.add(
            class: [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject",
            ],
            fields: ["searchMapping": mapping.value, "values": values.value, "emptyToken": empty.value])
        let entries = try #require(try KeyedArchive(writer.finish(root: root)).root().namedEntries())
        #expect(entries.map(\.name) == ["a"])
        #expect(entries[0].value?.string == "mutable")
    }
}

extension KeyedArchiveTests {
    @Test func theSameCallsGiveTheSameBytes() {
        func build() -> Data {
            var writer = KeyedArchiveWriter()
            let fields = Dictionary(
                uniqueKeysWithValues: (0..<40).map { ("field\($0)", PropertyListValue.integer($0)) })
            let root = writer.add(class: ["Thing"], fields: fields)
            return writer.finish(root: root)
        }
        #expect(build() == build())
    }

    @Test(arguments: [
        PropertyListValue.array([]), ["$version": 100_000, "$objects": .array([]), "$top": .dictionary([:])],
        ["$version": 1, "$objects": .array(["$null"]), "$top": .dictionary(["root": .uid(0)])],
        ["$version": 100_000, "$objects": .array(["$null"]), "$top": .dictionary(["root": .uid(7)])],
        ["$version": 100_000, "$objects": .array(["$null"]), "$top": .dictionary(["root": .uid(0)])],
    ])
    func brokenArchivesAreRefused(list: PropertyListValue) {
        #expect(throws: CodingError.self) { try KeyedArchive(PropertyList.encodeBinary(list)).root() }
    }

    @Test func objectsThatReferToEachOtherTwiceOverAreNotFollowedForEver() throws {
        var writer = KeyedArchiveWriter()
        var list = writer.add(array: [])
        for _ in 0..<60 { list = writer.add(array: [list, list]) }
        func count(_ object: ArchivedObject) throws -> Int {
            try (object.elements() ?? []).reduce(1) { try $0 + ($1.map(count) ?? 0) }
        }
        let root = try KeyedArchive(writer.finish(root: list)).root()
        let error = #expect(throws: CodingError.self) { try count(root) }
        #expect(error?.code == .tooMany)
    }

    @Test func equalStringsOfOtherScalarsStayAsTheyAre() throws {
        let texts = ["Caf\u{E9}", "Cafe\u{301}", "Caf\u{E9}"]
        var writer = KeyedArchiveWriter()
        let list = writer.add(array: texts.map { writer.add(string: $0) })
        let read = try KeyedArchive(writer.finish(root: list)).root().elements()?.compactMap { $0?.string }
        #expect(read?.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
        let plain = try PropertyList.decode(PropertyList.encodeBinary(.array(texts.map { .string($0) }))).array?
            .compactMap(\.string)
        #expect(plain?.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }
}
