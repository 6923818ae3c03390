import Foundation
import RowMemory
import Schema
import Storage
import Testing

struct ValueContractTests {
    @Test(arguments: StoreKind.allCases) func valuesOfEveryTypeComeBack(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let uuid = UUID()
            let data = Data((0...255).map { UInt8($0) })
            let place: PropertyValue = .composite([
                "floor": .int(-3), "room": .string("A & B"),
                "inner": .composite(["x": .double(0.1), "seen": .date(Date(timeIntervalSinceReferenceDate: 12.5))]),
            ])
            let book = try fixture.insert(
                "Book",
                [
                    "title": .string("Dune"), "created": .date(Date(timeIntervalSinceReferenceDate: 445_103_622.25)),
                    "code": .int(.max),
                    "price": .decimal(Decimal(string: "10.25") ?? 0), "cover": .large(LargeValue(data)),
                    "thumbnail": .data(data), "notes": .data(Data([1, 2, 3])),
                ])
            let disc = try fixture.insert(
                "Disc", ["code": .string("x"), "seconds": .double(1.5e-7), "gain": .float(0.1), "isLive": .bool(true)])
            let shelf = try fixture.insert("Shelf", ["place": place])
            let person = try fixture.insert(
                "Person",
                [
                    "uuid": .uuid(uuid), "site": .uri(try #require(URL(string: "https://example.org/a?b=c&d=%20"))),
                    "small": .int(-32768),
                ])
            try fixture.reopen()
            #expect(try fixture.value("Book", book, "title") == .string("Dune"))
            #expect(
                try fixture.value("Book", book, "created")
                    == .date(Date(timeIntervalSinceReferenceDate: 445_103_622.25)))
            #expect(try fixture.value("Book", book, "code") == .int(.max))
            #expect(try fixture.value("Book", book, "price") == .decimal(Decimal(string: "10.25") ?? 0))
            guard case .large(let cover) = try fixture.value("Book", book, "cover") else {
                Issue.record("no large value")
                return
            }
            #expect(try cover.data() == data)
            #expect(try fixture.value("Book", book, "thumbnail") == .data(data))
            #expect(try fixture.value("Book", book, "notes") == .data(Data([1, 2, 3])))
            #expect(try fixture.value("Disc", disc, "code") == .string("x"))
            #expect(try fixture.value("Disc", disc, "seconds") == .double(1.5e-7))
            #expect(try fixture.value("Disc", disc, "gain") == .float(0.1))
            #expect(try fixture.value("Disc", disc, "isLive") == .bool(true))
            #expect(try fixture.value("Shelf", shelf, "place") == place)
            #expect(try fixture.value("Person", person, "uuid") == .uuid(uuid))
            #expect(
                try fixture.value("Person", person, "site")
                    == .uri(try #require(URL(string: "https://example.org/a?b=c&d=%20"))))
            #expect(try fixture.value("Person", person, "small") == .int(-32768))
            #expect(try fixture.row("Person", person).version == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func nothingIsNotAnEmptyValue(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let names = ["title", "created", "code", "price", "cover", "thumbnail", "notes"]
            let empty = try fixture.insert("Book")
            let full = try fixture.insert(
                "Book",
                [
                    "title": .string(""), "thumbnail": .data(Data()), "code": .int(0),
                    "cover": .large(LargeValue(Data())),
                ])
            let shelf = try fixture.insert(
                "Shelf", ["place": .composite(["floor": .null, "inner": .composite(["x": .null])])])
            let partly = try fixture.insert("Shelf", ["place": .composite(["floor": .int(1), "room": .null])])
            try fixture.reopen()
            for name in names { #expect(try fixture.value("Book", empty, name) == .null, "\(name)") }
            #expect(try fixture.value("Book", full, "title") == .string(""))
            #expect(try fixture.value("Book", full, "thumbnail") == .data(Data()))
            #expect(try fixture.value("Book", full, "code") == .int(0))
            guard case .large(let cover) = try fixture.value("Book", full, "cover") else {
                Issue.record("no large value")
                return
            }
            #expect(try cover.data().isEmpty)
            #expect(try fixture.value("Shelf", shelf, "place") == .null)
            #expect(try fixture.value("Shelf", partly, "place") == .composite(["floor": .int(1)]))
        }
    }
}

extension ValueContractTests {
    @Test(arguments: StoreKind.allCases) func textComesBackToTheByte(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let texts = [
                " leading and trailing ", "line\nbreak\r\nand\ttab\r", "<a href=\"x\">&amp;'</a>", "]]>",
                "e\u{301} is not é", "👩‍👩‍👧 \u{FEFF}", "\u{1}\u{B}\u{1F}",
                "\u{FFFE}\u{FFFF}", "z102", String(repeating: "long ", count: 20_000),
            ]
            let keys = try texts.map { try fixture.insert("Tag", ["word": .string($0)]) }
            try fixture.reopen()
            for (key, text) in zip(keys, texts) {
                guard case .string(let read) = try fixture.value("Tag", key, "word") else {
                    Issue.record("\(text.debugDescription) is gone")
                    continue
                }
                #expect(Array(read.utf8) == Array(text.utf8))
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func numbersAndDatesComeBackToTheBit(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let doubles = [
                0.1, 1 / 3.0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, -.infinity,
                123_456_789.123_456_78, 1e-20,
            ]
            let floats: [Float] = [0.1, 1 / 3.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity]
            let keys = try doubles.map {
                try fixture.insert(
                    "Disc", ["seconds": .double($0), "created": .date(Date(timeIntervalSinceReferenceDate: $0))])
            }
            let floatKeys = try floats.map { try fixture.insert("Disc", ["gain": .float($0)]) }
            let bounds: [Int64] = [.min, .max, 0, -1]
            let intKeys = try bounds.map { try fixture.insert("Book", ["code": .int($0)]) }
            let decimals = ["0", "-1.5", "123456789012345", "0.001"].map { Decimal(string: $0) ?? 0 }
            let decimalKeys = try decimals.map { try fixture.insert("Book", ["price": .decimal($0)]) }
            try fixture.reopen()
            for (key, number) in zip(keys, doubles) {
                #expect(try fixture.value("Disc", key, "seconds") == .double(number))
                #expect(
                    try fixture.value("Disc", key, "created") == .date(Date(timeIntervalSinceReferenceDate: number)))
            }
            for (key, number) in zip(floatKeys, floats) {
                #expect(try fixture.value("Disc", key, "gain") == .float(number))
            }
            for (key, number) in zip(intKeys, bounds) {
                #expect(try fixture.value("Book", key, "code") == .int(number))
            }
            for (key, number) in zip(decimalKeys, decimals) {
                #expect(try fixture.value("Book", key, "price") == .decimal(number))
            }
        }
    }

    /// SQLite keeps decimals as integers of 64 bits and as Doubles, the other kinds as text.
    @Test(arguments: StoreKind.builtIn) func aDecimalIsKeptExactlyOrRefused(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            for (text, isKeptBySQLite) in [
                ("1234567890.12345", true), ("0.1", true), ("-9223372036854775807", true), ("1e100", true),
                ("1e-100", true), ("12345678901234567890", false), ("0.12345678901234567890", false),
                ("1234567890123456.25", false), ("99999999999999999999999999999999999999", false),
            ] {
                let number = try #require(Decimal(string: text)), object = try fixture.insert("Book")
                do {
                    try fixture.apply { $0.updates = [try fixture.update("Book", object, ["price": .decimal(number)])] }
                    #expect(isKeptBySQLite || kind != .sqlite, "\(text)")
                    try fixture.reopen()
                    #expect(try fixture.value("Book", object, "price") == .decimal(number), "\(text)")
                } catch let error as StorageError {
                    #expect(
                        kind == .sqlite && !isKeptBySQLite && error.code == .unstorable, "\(text): \(error.message)")
                    #expect(error.entities + error.keys == ["Book", "price"])
                    #expect(error.conflicts.map(\.object.key) == [object])
                    #expect(error.message.contains("all of its digits"))
                    #expect(try fixture.value("Book", object, "price") == .null)
                }
            }
        }
    }

    /// SQLite makes NaN NULL, and decimals are text elsewhere: what would read back as nil is
    /// refused, what would not is kept.
    @Test(arguments: StoreKind.allCases) func notANumberIsKeptOrRefusedButNeverLost(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let spot = PropertyValue.composite(["inner": .composite(["x": .double(.nan)])])
            for (entity, name, key, value) in [
                ("Disc", "seconds", "seconds", .double(.nan)), ("Disc", "gain", "gain", .float(.nan)),
                ("Disc", "created", "created", .date(Date(timeIntervalSinceReferenceDate: .nan))),
                ("Shelf", "place", "place.inner.x", spot),
                ("Book", "price", "price", .decimal(.nan)),
            ] as [(String, String, String, PropertyValue)] {
                let isKept = kind != .sqlite && name != "price"
                let object = try fixture.insert(entity)
                do {
                    try fixture.apply { $0.updates = [try fixture.update(entity, object, [name: value])] }
                    #expect(isKept, "\(name)")
                } catch let error as StorageError {
                    let isRefused = !isKept && error.code == .unstorable
                    #expect(isRefused, "\(name): \(error.message)")
                    let names = error.entities + error.keys
                    #expect(names == [entity, key])
                    // Foundation can't describe a date that is no number, so no expectation may
                    // look at one.
                    let isNamed = error.value?.isNotANumber ?? false
                    #expect(isNamed, "\(name)")
                    let keys = error.conflicts.map(\.object.key)
                    #expect(keys == [object])
                }
                if !isKept {
                    var refused: [Int64] = []
                    do { try fixture.insert(entity, [name: value]) } catch let error as StorageError {
                        refused = error.conflicts.map(\.object.key)
                    }
                    #expect(refused == [-1], "\(name)")
                }
                try fixture.reopen()
                let stored = try fixture.value(entity, object, name)
                let isRight =
                    isKept
                    ? stored.part(at: key.split(separator: ".").map(String.init).dropFirst()).isNotANumber
                    : stored.isNull
                #expect(isRight, "\(name)")
            }
        }
    }
}

extension ValueContractTests {
    @Test(arguments: StoreKind.allCases) func largeValuesAreKeptWhole(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let key = try fixture.insert("Book", ["cover": .large(LargeValue(data))])
            try fixture.reopen()
            guard case .large(let cover) = try fixture.value("Book", key, "cover") else {
                Issue.record("no large value")
                return
            }
            #expect(try cover.data() == data)
        }
    }

    @Test(arguments: StoreKind.allCases) func transientValuesAreNotKept(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let key = try fixture.insert("Book", ["title": .string("t"), "scratch": .string("s")])
            try fixture.reopen()
            #expect(try fixture.value("Book", key, "scratch") == .null)
            #expect(try fixture.value("Book", key, "title") == .string("t"))
        }
    }

    @Test(arguments: StoreKind.allCases) func handedUpRowsAreTheCallersOwn(kind: StoreKind) throws {
        try ContractFixture.run(kind) { fixture in
            let key = try fixture.insert("Tag", ["word": .string("a")])
            let row = try fixture.row("Tag", key)
            row.setString("changed by the caller", row.layout.slots[fixture.property("Tag", "word")])
            #expect(try fixture.value("Tag", key, "word") == .string("a"))
        }
    }
}
