import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Attributes of every type, from their defaults to what others make of them.
struct AttributeBehaviors {
    /// A type of attribute, with its default, two other values in their order, and one that it
    /// can't have.
    struct Kind: Sendable {
        let name: String
        let type: AttributeType
        let initial: PropertyValue
        let lesser: PropertyValue
        let greater: PropertyValue
        let unfit: PropertyValue
        /// Whether values of it have an order that queries know.
        var isOrdered = true
    }

    static let kinds: [Kind] = [
        Kind(
            name: "short", type: .integer16, initial: .int(7), lesser: .int(-32_768), greater: .int(32_767),
            unfit: .int(32_768)),
        Kind(
            name: "middle", type: .integer32, initial: .int(7), lesser: .int(-2_147_483_648),
            greater: .int(2_147_483_647), unfit: .int(2_147_483_648)),
        Kind(
            name: "long", type: .integer64, initial: .int(7), lesser: .int(.min), greater: .int(.max),
            unfit: .string("7")),
        Kind(
            name: "flag", type: .boolean, initial: .bool(true), lesser: .bool(false), greater: .bool(true),
            unfit: .string("yes")),
        Kind(
            name: "ratio", type: .double, initial: .double(0.5), lesser: .double(-1.5e300), greater: .double(0.1),
            unfit: .string("0.5")),
        Kind(
            name: "small", type: .float, initial: .float(0.5), lesser: .float(-2.25), greater: .float(0.1),
            unfit: .data(Data([1]))),
        Kind(
            name: "price", type: .decimal, initial: .decimal(1), lesser: .decimal(Decimal(string: "-0.01")!),
            greater: .decimal(Decimal(string: "9.99")!),
            unfit: .bool(true)),
        Kind(
            name: "text", type: .string, initial: .string("initial"), lesser: .string(""),
            greater: .string("zwölf \u{1F600}"), unfit: .int(1)),
        Kind(
            name: "moment", type: .date, initial: .date(Date(timeIntervalSinceReferenceDate: 0)),
            lesser: .date(Date(timeIntervalSinceReferenceDate: -0.25)),
            greater: .date(Date(timeIntervalSinceReferenceDate: 700_000_000.5)), unfit: .string("2001-01-01")),
        Kind(
            name: "bytes", type: .binary, initial: .data(Data([1])), lesser: .data(Data()),
            greater: .data(Data([0xFF, 0])), unfit: .string("x"), isOrdered: false),
        Kind(
            name: "identity", type: .uuid, initial: .uuid(uuid(1)), lesser: .uuid(uuid(2)), greater: .uuid(uuid(3)),
            unfit: .string("x"),
            isOrdered: false),
        Kind(
            name: "place", type: .uri, initial: .uri(URL(string: "https://example.org/a")!),
            lesser: .uri(URL(string: "https://example.org/b")!),
            greater: .uri(URL(string: "https://example.org/c?d=e")!), unfit: .int(1), isOrdered: false),
        Kind(
            name: "opaque", type: .transformable, initial: .data(Data("a".utf8)), lesser: .data(Data("b".utf8)),
            greater: .data(Data("c".utf8)), unfit: .int(1),
            isOrdered: false),
    ]

    private static func uuid(_ last: UInt8) -> UUID {
        UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last))
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Thing",
                attributes: kinds.map { AttributeDescription($0.name, $0.type, defaultValue: $0.initial) } + [
                    .init("label", .string)
                ])
        ])
    }

    private static func thing(_ f: GraphFixture, _ kind: Kind, _ value: PropertyValue) throws -> (
        ManagedObjectContext, ManagedObject
    ) {
        let context = f.context()
        let thing = try context.make("Thing", ["label": "t"])
        try thing.setPropertyValue(value, forKey: kind.name)
        try context.save()
        return (context, thing)
    }

    private static func value(_ object: ManagedObject, _ kind: Kind) throws -> PropertyValue {
        try object.propertyValue(forKey: kind.name)
    }

    private static func behaviors(_ kind: Kind) -> [Behavior] {
        let name = "\(kind.type.name): "
        return [
            Behavior("L1 L55", name + "the default is there when the object is inserted, and is saved") { f in
                let context = f.context()
                let thing = try context.make("Thing", [:])
                #expect(try value(thing, kind) == kind.initial)
                try context.save()
                #expect(try value(f.reopened().one("Thing"), kind) == kind.initial)
            },
            Behavior("L55", name + "values come back from the store as they were") { f in
                for wanted in [kind.lesser, kind.greater] {
                    let (context, thing) = try thing(f, kind, wanted)
                    #expect(try value(f.reopened().one("Thing"), kind) == wanted)
                    context.delete(thing)
                    try context.save()
                }
            },
            Behavior("L21 L55", name + "nil in place of the default stays nil") { f in
                _ = try thing(f, kind, .null)
                #expect(try value(f.reopened().one("Thing"), kind) == .null)
            },
            Behavior("L56", name + "what it can't have is refused when it is set, or at the save") { f in
                let context = f.context()
                let thing = try context.make("Thing", [:])
                do {
                    try thing.setPropertyValue(kind.unfit, forKey: kind.name)
                    // A whole number that is too large is the validation's affair.
                    #expect(throws: ValidationError.self) { try context.save() }
                } catch let error as GraphError {
                    #expect(error.code == .wrongType && error.key == kind.name)
                    #expect(try value(thing, kind) == kind.initial)
                }
            },
            Behavior("L12 L13", name + "a change is one until the value is set back") { f in
                let (_, thing) = try thing(f, kind, kind.lesser)
                try thing.setPropertyValue(kind.greater, forKey: kind.name)
                #expect(Array(thing.changedValues().keys) == [kind.name] && thing.hasPersistentChangedValues)
                try thing.setPropertyValue(kind.lesser, forKey: kind.name)
                #expect(thing.changedValues().isEmpty && !thing.hasPersistentChangedValues && thing.hasChanges)
            },
            Behavior("L15 L45", name + "the committed value stays through edits, and comes back with a rollback") {
                f in
                let (context, thing) = try thing(f, kind, kind.lesser)
                let committed = try #require(PropertyValue(thing[kind.name]))
                for next in [kind.greater, .null, kind.initial] {
                    try thing.setPropertyValue(next, forKey: kind.name)
                    #expect(PropertyValue(thing.committedValues(forKeys: [kind.name])[kind.name] ?? nil) == committed)
                }
                context.rollback()
                #expect(try value(thing, kind) == kind.lesser && !context.hasChanges)
            },
            Behavior("U5", name + "a change is undone and redone") { f in
                let (context, thing) = try thing(f, kind, kind.lesser)
                let manager = UndoManager()
                context.undoManager = manager
                for next in [kind.greater, .null] {
                    try thing.setPropertyValue(next, forKey: kind.name)
                    context.processPendingChanges()
                }
                context.undo()
                #expect(try value(thing, kind) == kind.greater)
                context.undo()
                #expect(try value(thing, kind) == kind.lesser && !thing.hasChanges)
                context.redo()
                context.redo()
                #expect(try value(thing, kind) == .null)
            },
            Behavior("P30 P31 P67", name + "objects are found by its values, saved or not, and by nil") { f in
                let context = f.context()
                for (label, wanted) in [("a", kind.lesser), ("b", kind.greater), ("c", .null)] {
                    try context.make("Thing", ["label": label]).setPropertyValue(wanted, forKey: kind.name)
                }
                func labels(_ comparison: ComparisonPredicate.Operator, _ value: PropertyValue) throws -> [String] {
                    var request = FetchRequest<ManagedObject>(entityName: "Thing")
                    request.predicate = .comparison(
                        ComparisonPredicate(.keyPath(kind.name), comparison, .constant(value)))
                    request.sortDescriptors = [SortKey("label")]
                    return try context.fetch(request).map { $0.text("label") ?? "" }
                }
                for _ in 0..<2 {
                    if kind.type != .transformable {
                        #expect(
                            try labels(.equal, kind.lesser) == ["a"] && labels(.notEqual, kind.lesser) == ["b", "c"])
                    }
                    #expect(try labels(.equal, .null) == ["c"] && labels(.notEqual, .null) == ["a", "b"])
                    try context.save()
                }
            },
            Behavior(
                "F9 F10 S41",
                name + "what another context saves is shown after a refresh, and under edits of other properties"
            ) { f in
                let (context, thing) = try thing(f, kind, kind.lesser)
                let other = f.context()
                try other.same(thing).setPropertyValue(kind.greater, forKey: kind.name)
                try other.save()
                #expect(try value(thing, kind) == kind.lesser)
                thing["label"] = "mine"
                context.refresh(thing, mergeChanges: true)
                #expect(try value(thing, kind) == kind.greater && thing.text("label") == "mine")
                try other.same(thing).setPropertyValue(.null, forKey: kind.name)
                try other.save()
                context.refresh(thing, mergeChanges: false)
                #expect(try value(thing, kind) == .null && thing.text("label") == "t")
            },
            Behavior("S34", name + "a child's value is the parent's after its save, nil too") { f in
                let (context, thing) = try thing(f, kind, kind.lesser)
                let child = ManagedObjectContext(parent: context)
                let same = try child.same(thing)
                #expect(try value(same, kind) == kind.lesser)
                for next in [kind.greater, .null] {
                    try same.setPropertyValue(next, forKey: kind.name)
                    try child.save()
                    #expect(try value(thing, kind) == next && thing.isUpdated)
                }
            },
        ]
    }

    private static func order(_ kind: Kind) -> Behavior {
        Behavior("Q16 Q17", "\(kind.type.name): objects are sorted by it, nil first, and last in descending order") {
            f in
            let context = f.context()
            for (label, wanted) in [("b", kind.lesser), ("c", kind.greater), ("a", .null)] {
                try context.make("Thing", ["label": label]).setPropertyValue(wanted, forKey: kind.name)
            }
            for _ in 0..<2 {
                #expect(
                    try context.found("Thing", by: "label") { $0.sortDescriptors = [SortKey(kind.name)] } == [
                        "a", "b", "c",
                    ])
                #expect(
                    try context.found("Thing", by: "label") {
                        $0.sortDescriptors = [SortKey(kind.name, ascending: false)]
                    }
                        == ["c", "b", "a"])
                try context.save()
            }
        }
    }

    static let all: [Behavior] =
        kinds.flatMap { behaviors($0) + ($0.isOrdered ? [order($0)] : []) } + [
            Behavior("L20", "a value that is taken out and changed is no change of the object, and one when it is set")
            { f in
                let context = f.context()
                let thing = try context.make("Thing", ["opaque": Data([1])])
                try context.save()
                var bytes = try #require(thing["opaque"] as? Data)
                bytes.append(2)
                #expect(thing["opaque"] as? Data == Data([1]) && !thing.hasChanges)
                thing["opaque"] = bytes
                #expect(
                    thing.changedValues()["opaque"] as? Data == Data([1, 2])
                        && thing.committedValues(forKeys: ["opaque"])["opaque"] as? Data == Data([1]))
                try context.save()
                #expect(try f.reopened().one("Thing")["opaque"] as? Data == Data([1, 2]))
            }
        ]
}

extension AttributeBehaviors {
    @Test(arguments: all, StoreKind.allCases) func keeping(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind, model: Self.model())
    }
}
