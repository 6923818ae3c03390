import Coding
import Foundation
import ObjectGraph
import Schema
import Storage
import Testing

/// Transformable attributes: by archives of Foundation's values, or by transformers of an
/// application's own (L20–L22).
struct TransformableTests {
    struct Point: Hashable { var x: Int, y: Int }

    struct PointTransformer: AttributeTransformer {
        struct NoPoint: Error {}
        func data(from value: Any) throws -> Data {
            guard let point = value as? Point else { throw NoPoint() }
            return Data("\(point.x),\(point.y)".utf8)
        }
        func value(from data: Data) throws -> Any {
            let numbers = String(decoding: data, as: UTF8.self).split(separator: ",").compactMap { Int($0) }
            guard numbers.count == 2 else { throw NoPoint() }
            return Point(x: numbers[0], y: numbers[1])
        }
    }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Thing",
                attributes: [
                    .init("name", .string), .init("plain", .transformable),
                    .init("named", .transformable, valueTransformerName: "NSSecureUnarchiveFromData"),
                    .init("point", .transformable, valueTransformerName: "TransformableTests.Point"),
                    .init("other", .transformable, valueTransformerName: "NSSecureUnarchiveFromDate"),
                    .init("big", .transformable, allowsExternalBinaryDataStorage: true),
                ])
        ])
    }

    private func run(_ kind: StoreKind, _ body: (GraphFixture, ManagedObjectContext) throws -> Void) throws {
        AttributeTransformers.register(PointTransformer(), named: "TransformableTests.Point")
        try GraphFixture.run(kind, model: try Self.model()) { fixture in try body(fixture, fixture.context()) }
    }

    @Test(arguments: StoreKind.allCases) func valuesGoInAndComeBack(kind: StoreKind) throws {
        try run(kind) { fixture, context in
            let thing = try context.make("Thing", ["name": "a"])
            let date = Date(timeIntervalSinceReferenceDate: 12.5), uuid = UUID(),
                url = try #require(URL(string: "https://example.org/a?b"))
            let values: [String: Any] = [
                "text": "é", "whole": -7, "fraction": 1.5, "yes": true, "date": date, "bytes": Data([1, 2]),
                "uuid": uuid, "url": url, "decimal": Decimal(string: "1.10") ?? 0,
                "none": NSNull(), "list": [1, 2, 3], "deep": ["a": ["b": [1]]],
            ]
            try thing.setTransformedValue(values, forKey: "plain")
            try thing.setTransformedValue(["x", "y"], forKey: "named")
            try thing.setTransformedValue(Point(x: 3, y: -4), forKey: "point")
            try thing.setTransformedValue(Set(["p", "q"]), forKey: "big")
            try context.save()
            let read = try fixture.reopened().one("Thing")
            let found = try #require(try read.transformedValue(forKey: "plain") as? [AnyHashable: Any])
            #expect(
                found.count == values.count && found["text"] as? String == "é" && found["whole"] as? Int == -7
                    && found["fraction"] as? Double == 1.5)
            #expect(
                found["yes"] as? Bool == true && found["date"] as? Date == date
                    && found["bytes"] as? Data == Data([1, 2]) && found["uuid"] as? UUID == uuid)
            #expect(
                found["url"] as? URL == url && found["decimal"] as? Decimal == Decimal(string: "1.1")
                    && found["none"] is NSNull)
            #expect(
                found["list"] as? [Int] == [1, 2, 3]
                    && ((found["deep"] as? [AnyHashable: Any])?["a"] as? [AnyHashable: Any])?["b"] as? [Int] == [1])
            #expect(try read.transformedValue(forKey: "named") as? [String] == ["x", "y"])
            #expect(try read.transformedValue(forKey: "point") as? Point == Point(x: 3, y: -4))
            #expect(try read.transformedValue(forKey: "big") as? Set<String> == ["p", "q"])
        }
    }
}

extension TransformableTests {
    /// L20: what was given is not held, so that changing it in place can't pass for the saved
    /// value.
    @Test(arguments: StoreKind.allCases) func changesAreSeenByTheDataAlone_L20(kind: StoreKind) throws {
        try run(kind) { fixture, context in
            let thing = try context.make("Thing", [:])
            let list = NSMutableString(string: "a")
            try thing.setTransformedValue(["\(list)"], forKey: "plain")
            try context.save()
            list.append("b")
            #expect(!thing.hasChanges)
            #expect(try thing.transformedValue(forKey: "plain") as? [String] == ["a"])
            try thing.setTransformedValue(["\(list)"], forKey: "plain")
            #expect(thing.hasChanges)
            try context.save()
            #expect(try fixture.reopened().one("Thing").transformedValue(forKey: "plain") as? [String] == ["ab"])
            try thing.setTransformedValue(nil, forKey: "plain")
            #expect(try thing.transformedValue(forKey: "plain") == nil && thing["plain"] == nil)
        }
    }

    @Test func aClassThatIsNotAllowedIsRefusedAtWhateverDepth() throws {
        func archive(_ make: (inout KeyedArchiveWriter) -> KeyedArchiveWriter.Reference) -> Data {
            var writer = KeyedArchiveWriter()
            let root = make(&writer)
            return writer.finish(root: root)
        }
        let evil = archive { $0.add(class: ["EvilTask", "NSObject"], fields: ["NS.string": .string("rm")]) }
        let hidden = archive { writer in
            let inner = writer.add(class: ["EvilTask", "NSObject"], fields: [:])
            return writer.add(array: [
                writer.add(string: "fine"), writer.add(dictionary: [(writer.add(string: "k"), inner)]),
            ])
        }
        let circle = archive { writer in
            let place = writer.reserve()
            writer.fill(place, class: ["NSArray", "NSObject"], fields: ["NS.objects": .array([place.value])])
            return place
        }
        try run(.inMemory) { _, context in
            let thing = try context.make("Thing", [:])
            for (data, word) in [
                (evil, "EvilTask"), (hidden, "EvilTask"), (circle, "deep"), (Data("no archive".utf8), "refuses"),
            ] {
                thing["plain"] = data
                let error = #expect(throws: GraphError.self) { try thing.transformedValue(forKey: "plain") }
                #expect(
                    error?.code == .wrongType && error?.key == "plain" && error?.message.contains(word) == true,
                    "\(error?.message ?? "")")
            }
            // Nothing of a set is left out.
            thing["plain"] = archive { writer in writer.add(set: [writer.add(string: "a"), writer.add(array: [])]) }
            let set = #expect(throws: GraphError.self) { try thing.transformedValue(forKey: "plain") }
            #expect(set?.message.contains("an element of a set is no plain value") == true)
            // A subclass of what is allowed is read as that.
            thing["plain"] = archive {
                $0.add(class: ["MyString", "NSString", "NSObject"], fields: ["NS.string": .string("kind")])
            }
            #expect(try thing.transformedValue(forKey: "plain") as? String == "kind")
        }
        let strict = SecureArchiveTransformer(allowedClassNames: ["NSArray", "NSString"])
        #expect(try strict.value(from: strict.data(from: ["a"])) as? [String] == ["a"])
        #expect(throws: SecureArchiveTransformer.Refusal.self) { try strict.value(from: strict.data(from: [1])) }
    }
}

extension TransformableTests {
    @Test func mistakesAreErrorsThatSayWhatToDo() throws {
        try run(.inMemory) { _, context in
            let thing = try context.make("Thing", [:])
            func refusal(_ body: () throws -> Void) -> GraphError? { #expect(throws: GraphError.self) { try body() } }
            let unregistered = refusal { try thing.setTransformedValue("x", forKey: "other") }
            #expect(
                unregistered?.code == .wrongType
                    && unregistered?.message.contains("did you mean \"NSSecureUnarchiveFromData\"") == true)
            #expect(refusal { try thing.setTransformedValue("x", forKey: "name") }?.code == .wrongType)
            #expect(refusal { _ = try thing.transformedValue(forKey: "nmae") }?.code == .unknownKey)
            let wrong = refusal { try thing.setTransformedValue("x", forKey: "point") }
            #expect(wrong?.code == .wrongType && wrong?.underlying is PointTransformer.NoPoint)
            #expect(
                refusal { try thing.setTransformedValue(Point(x: 1, y: 1), forKey: "plain") }?.message.contains(
                    "register a transformer") == true)
            #expect(thing["plain"] == nil)
        }
    }
}
