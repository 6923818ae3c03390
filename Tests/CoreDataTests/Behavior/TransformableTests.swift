import CoreData
import Testing

/// Values of transformable attributes whose classes archive themselves.
@Suite struct TransformableTests {
    private static func model(_ transformer: String? = nil, value: Any? = nil) -> NSManagedObjectModel {
        Office.model(
            Office.entity(
                "Item",
                [
                    Library.attribute("name", .stringAttributeType),
                    Library.attribute("payload", .transformableAttributeType) {
                        $0.valueTransformerName = transformer
                        $0.defaultValue = value
                    },
                ]))
    }

    /// The payloads after the store was opened again, by name.
    private func reopened(
        _ type: String, _ transformer: String?, value: Any? = nil, _ fill: (NSManagedObjectContext) -> Void
    ) throws -> [Any?] {
        let folder = try Folder()
        let context = try Office.open(Self.model(transformer, value: value), type, folder)
        fill(context)
        try context.save()
        let again =
            type == NSInMemoryStoreType
            ? Office.other(than: context) : try Office.open(Self.model(transformer, value: value), type, folder)
        return try again.all("Item", by: "name").map { $0.value(forKey: "payload") }
    }

    @Test(arguments: Office.types, [nil, "NSKeyedUnarchiveFromData"] as [String?])
    func withoutATransformerObjectsOfSecureClassesAreKept(_ type: String, _ transformer: String?) throws {
        let found = try reopened(type, transformer) {
            $0.add("Item", ["name": "a", "payload": Swatch(0.5, ["x"])])
            $0.add(
                "Item", ["name": "b", "payload": ["alpha", 42, Date(timeIntervalSinceReferenceDate: 1000)] as [Any]])
            $0.add("Item", ["name": "c", "payload": ["one": Swatch(1), "two": [Swatch(2)]] as [String: Any]])
        }
        #expect(found[0] as? Swatch == Swatch(0.5, ["x"]))
        let list = found[1] as? [Any]
        #expect(list?.first as? String == "alpha" && list?[1] as? Int == 42)
        #expect(list?.last as? Date == Date(timeIntervalSinceReferenceDate: 1000))
        let pairs = found[2] as? [String: Any]
        #expect(pairs?["one"] as? Swatch == Swatch(1) && (pairs?["two"] as? [Any])?.first as? Swatch == Swatch(2))
    }

    @Test(arguments: Office.types)
    func defaultValuesAreObjectsAndNilReplacesThem(_ type: String) throws {
        let found = try reopened(type, nil, value: Swatch(1)) {
            let new = $0.add("Item", ["name": "a"])
            #expect(new.value(forKey: "payload") as? Swatch == Swatch(1))
            let empty = $0.add("Item", ["name": "b"])
            empty.setValue(nil, forKey: "payload")
            #expect(empty.value(forKey: "payload") == nil)
        }
        #expect(found[0] as? Swatch == Swatch(1) && found[1] == nil)
        let attribute = Self.model(value: Swatch(1)).entitiesByName["Item"]?.attributesByName["payload"]
        #expect(attribute?.defaultValue as? Swatch == Swatch(1))
    }

    @Test func classesWithinOtherDeclarationsAreKept() throws {
        final class Local: NSObject, NSSecureCoding {
            static var supportsSecureCoding: Bool { true }
            let number: Int
            init(_ number: Int) { self.number = number }
            init?(coder: NSCoder) { number = coder.decodeInteger(forKey: "number") }
            func encode(with coder: NSCoder) { coder.encode(number, forKey: "number") }
        }
        final class LocalTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
            override class var allowedTopLevelClasses: [AnyClass] { super.allowedTopLevelClasses + [Local.self] }
        }
        ValueTransformer.setValueTransformer(LocalTransformer(), forName: NSValueTransformerName("LocalTransformer"))
        let found = try reopened(NSSQLiteStoreType, "LocalTransformer") {
            $0.add("Item", ["name": "a", "payload": Local(3)])
            $0.add("Item", ["name": "b", "payload": ["x": [Local(4)]]])
        }
        #expect((found[0] as? Local)?.number == 3)
        #expect(((found[1] as? [String: Any])?["x"] as? [Any])?.first as? Local != nil)
        let nested = try reopened(NSSQLiteStoreType, nil) { $0.add("Item", ["payload": Shades.Gray(5)]) }
        #expect((nested[0] as? Shades.Gray)?.number == 5)
        // Nobody finds a local class by its name, unless a transformer lists it.
        let context = try Office.open(Self.model())
        context.add("Item", ["payload": Local(3)])
        #expect(throws: CocoaError.self) { try context.save() }
    }

    @Test(arguments: Office.types)
    func aTransformerKeepsTheClassesThatItLists(_ type: String) throws {
        ValueTransformer.setValueTransformer(SwatchTransformer(), forName: NSValueTransformerName("SwatchTransformer"))
        let found = try reopened(type, "SwatchTransformer", value: Swatch(1)) {
            $0.add("Item", ["name": "a", "payload": Swatch(0.25)])
            $0.add("Item", ["name": "b"])
        }
        #expect(found[0] as? Swatch == Swatch(0.25) && found[1] as? Swatch == Swatch(1))
        let context = try Office.open(Self.model("SwatchTransformer"))
        context.add("Item", ["payload": "a text"])
        #expect(failure { try context.save() }?.domain == NSCocoaErrorDomain)
    }

    @Test func theSecureTransformerKeepsFoundationsValuesOnly() throws {
        let found = try reopened(NSSQLiteStoreType, "NSSecureUnarchiveFromData") {
            $0.add("Item", ["name": "a", "payload": ["alpha", 42] as [Any]])
        }
        #expect((found[0] as? [Any])?.count == 2)
        let context = try Office.open(Self.model("NSSecureUnarchiveFromData"))
        let item = context.add("Item", ["payload": Swatch(1)])
        #expect(item.value(forKey: "payload") == nil)
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName) != nil)
    }

}

extension TransformableTests {
    @Test func noClassIsInstantiatedThatIsNotAllowed() throws {
        let folder = try Folder()
        ValueTransformer.setValueTransformer(SwatchTransformer(), forName: NSValueTransformerName("SwatchTransformer"))
        // Written by an attribute that takes every secure class, and read by one that takes one.
        let wide = try Office.open(Self.model(), NSSQLiteStoreType, folder)
        wide.add("Item", ["name": "a", "payload": Intruder()])
        wide.add("Item", ["name": "b", "payload": [Swatch(1), Intruder()] as [Any]])
        try wide.save()
        Intruder.count = 0
        let narrow = try Office.open(Self.model("SwatchTransformer"), NSSQLiteStoreType, folder)
        #expect(try narrow.all("Item").map { $0.value(forKey: "payload") == nil } == [true, true])
        let standard = try Office.open(Self.model("NSSecureUnarchiveFromData"), NSSQLiteStoreType, folder)
        #expect(try standard.all("Item").map { $0.value(forKey: "payload") == nil } == [true, true])
        #expect(Intruder.count == 0)
        // A class that does not declare secure coding is none for archives.
        let context = try Office.open(Self.model())
        context.add("Item", ["payload": Insecure()])
        #expect(throws: CocoaError.self) { try context.save() }
    }

    @Test func theStoreHasAKeyedArchiveThatFoundationReads() throws {
        let folder = try Folder()
        let context = try Office.open(Self.model(), NSSQLiteStoreType, folder)
        context.add("Item", ["payload": Swatch(0.5, ["x", "y"])])
        try context.save()
        let file = try Data(contentsOf: folder.url.appendingPathComponent("store"))
        let log = try Data(contentsOf: folder.url.appendingPathComponent("store-wal"))
        #expect((file + log).range(of: Data(NSStringFromClass(Swatch.self).utf8)) != nil)
        let name = NSValueTransformerName.keyedUnarchiveFromDataTransformerName.rawValue
        #expect(name == "NSKeyedUnarchiveFromData")
        // The archive's bytes, read as what they are.
        let plain = Office.model(
            Office.entity(
                "Item",
                [
                    Library.attribute("name", .stringAttributeType),
                    Library.attribute("payload", .transformableAttributeType) { $0.valueTransformerName = "RawBytes" },
                ]))
        ValueTransformer.setValueTransformer(ValueTransformer(), forName: NSValueTransformerName("RawBytes"))
        let raw = try Office.open(plain, NSSQLiteStoreType, folder)
        let data = try #require(try raw.all("Item").first?.value(forKey: "payload") as? Data)
        let found = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [Swatch.self, NSArray.self, NSString.self], from: data)
        #expect(found as? Swatch == Swatch(0.5, ["x", "y"]))
        // And the other way.
        let own = try NSKeyedArchiver.archivedData(withRootObject: Swatch(3, ["z"]), requiringSecureCoding: true)
        raw.add("Item", ["name": "foreign", "payload": own])
        try raw.save()
        let again = try Office.open(Self.model(), NSSQLiteStoreType, folder)
        #expect(
            try again.all("Item", "name == 'foreign'").first?.value(forKey: "payload") as? Swatch == Swatch(3, ["z"]))
    }

    @Test func damagedArchivesAreNoValues() throws {
        ValueTransformer.setValueTransformer(ValueTransformer(), forName: NSValueTransformerName("RawBytes"))
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: [Swatch(1, ["a"]), Swatch(2)] as NSArray, requiringSecureCoding: true)
        let folder = try Folder()
        let raw = try Office.open(Self.model("RawBytes"), NSSQLiteStoreType, folder)
        for index in archive.indices {
            var bytes = archive
            bytes[index] ^= 0x15
            raw.add("Item", ["payload": bytes])
        }
        try raw.save()
        let context = try Office.open(Self.model(), NSSQLiteStoreType, folder)
        let values = try context.all("Item").map { $0.value(forKey: "payload") }
        #expect(values.count == archive.count && values.contains { $0 == nil })
    }

    @Test func aChangeInPlaceIsNoChange() throws {
        let context = try Office.open(Self.model())
        let list = NSMutableArray(array: ["first"])
        let item = context.add("Item", ["payload": list])
        try context.save()
        list.add("second")
        #expect(!context.hasChanges)
        item.setValue(["first", "second"], forKey: "payload")
        #expect(context.hasChanges)
        try context.save()
        #expect(item.value(forKey: "payload") as? [String] == ["first", "second"])
    }

}

extension TransformableTests {
    @Test func changedAndCommittedValuesAreObjects() throws {
        let context = try Office.open(Self.model())
        let item = context.add("Item", ["payload": Swatch(1)])
        try context.save()
        item.setValue(Swatch(2), forKey: "payload")
        #expect(item.changedValues()["payload"] as? Swatch == Swatch(2))
        #expect(item.committedValues(forKeys: ["payload"])["payload"] as? Swatch == Swatch(1))
        try item.validateValue(Swatch(3), forKey: "payload")
    }

    @Test func columnsOfRowsAreObjects() throws {
        let folder = try Folder()
        let context = try Office.open(Self.model(), NSSQLiteStoreType, folder)
        context.add("Item", ["payload": Swatch(1)])
        try context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        #expect(try context.fetch(request).first?["payload"] as? Swatch == Swatch(1))
    }

    @Test func batchesTakeObjects() throws {
        let folder = try Folder()
        let context = try Office.open(Self.model(), NSSQLiteStoreType, folder)
        try context.execute(NSBatchInsertRequest(entityName: "Item", objects: [["name": "a", "payload": Swatch(1)]]))
        #expect(try context.all("Item").first?.value(forKey: "payload") as? Swatch == Swatch(1))
        let update = NSBatchUpdateRequest(entityName: "Item")
        update.propertiesToUpdate = ["payload": Swatch(2)]
        try context.execute(update)
        let other = Office.other(than: context)
        #expect(try other.all("Item").first?.value(forKey: "payload") as? Swatch == Swatch(2))
    }
}

/// The usual transformer of a class of one's own.
final class SwatchTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    override class var allowedTopLevelClasses: [AnyClass] { [Swatch.self] }
}

enum Shades {
    /// A class within another declaration.
    final class Gray: NSObject, NSSecureCoding {
        static var supportsSecureCoding: Bool { true }
        let number: Int
        init(_ number: Int) { self.number = number }
        init?(coder: NSCoder) { number = coder.decodeInteger(forKey: "number") }
        func encode(with coder: NSCoder) { coder.encode(number, forKey: "number") }
    }
}

/// A class that no attribute has.
final class Intruder: NSObject, NSSecureCoding {
    // Used by one test alone.
    nonisolated(unsafe) static var count = 0
    static var supportsSecureCoding: Bool { true }

    override init() {}
    init?(coder: NSCoder) { Self.count += 1 }
    func encode(with coder: NSCoder) {}
}

/// A class that archives itself without saying that this is safe.
final class Insecure: NSObject, NSCoding {
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}
