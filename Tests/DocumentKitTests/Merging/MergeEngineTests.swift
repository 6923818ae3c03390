import Merging
import DocumentFiles
import DocumentKit
import Foundation
import MergeTriples
import Schema
import Testing

/// What a merge decides, on values alone.
struct MergeEngineTests {
    private typealias Pairs = [String: (PropertyValue, PropertyValue)]

    private func model() throws -> ManagedObjectModel { try MergeFixture.model() }

    private func book(_ number: Int64, _ origin: MergeName.Origin = .base) -> MergeName {
        MergeName("Book", number, origin)
    }

    private func changed(_ pairs: Pairs, _ entity: String = "Book") -> MergeChange {
        MergeChange(.changed, of: entity, pairs.mapValues { .init(.plain($0.0), .plain($0.1)) })
    }

    private func merge(
        _ ours: MergeSide, _ theirs: MergeSide, _ choice: DocumentMerge.Choice? = nil
    ) throws -> MergeOutcome {
        var engine = MergeEngine(MergeSchema(try model()), ours: ours, theirs: theirs, choose: { _, _ in choice })
        return try engine.run()
    }

    /// Base, ours, theirs, and what becomes of it; nil for a conflict.
    private static let attributes: [(String, PropertyValue, PropertyValue, PropertyValue, PropertyValue?)] = [
        ("title", .string("a"), .string("b"), .string("b"), .string("b")),
        ("title", .string("a"), .string("b"), .string("c"), nil),
        ("title", .string("a"), .null, .string("c"), nil),
        ("title", .string("é"), .string("e\u{301}"), .string("x"), nil),
        ("copies", .int(1), .int(3), .int(6), .int(8)),
        ("copies", .null, .int(3), .int(6), .int(9)),
        ("copies", .int(0), .int(.max), .int(1), nil),
        ("copies", .int(1), .null, .int(6), nil),
        ("rating", .double(1), .double(3), .double(2), .double(3)),
        ("rating", .double(5), .double(3), .double(2), .double(3)),
        ("rating", .double(5), .null, .double(2), .double(2)),
        ("rating", .double(5), .double(.nan), .double(2), nil),
        ("text", .string("1\n2\n3\n"), .string("0\n1\n2\n3\n"), .string("1\n2\n3\n4\n"), .string("0\n1\n2\n3\n4\n")),
        ("text", .string("1\n2\n3\n"), .string("1\nx\n3\n"), .string("1\ny\n3\n"), nil),
        ("text", .string("1\n2\n3\n"), .string("1\n3\n"), .string("1\n2\n3\n4"), .string("1\n3\n4")),
        ("text", .string("1"), .string("1\n2"), .string("0\n1"), nil),
        ("text", .string(""), .string("a\n"), .string("b\n"), nil),
        ("cover", .data(Data([1])), .data(Data([2])), .large(LargeValue(Data([2]))), .data(Data([2]))),
        ("cover", .data(Data([1])), .data(Data([2])), .data(Data([3])), nil),
    ]

    @Test func attributesAreMergedByTheirRules() throws {
        for (property, base, ours, theirs, expected) in Self.attributes {
            let outcome = try merge(
                [book(1): changed([property: (base, ours)])], [book(1): changed([property: (base, theirs)])])
            let comment = Comment("\(property): \(base) \(ours) \(theirs): \(outcome)")
            guard let expected else {
                #expect(outcome.conflicts.map(\.kind) == [.values] && outcome.isEmpty, comment)
                let taken = try merge(
                    [book(1): changed([property: (base, ours)])], [book(1): changed([property: (base, theirs)])],
                    .theirs)
                #expect(taken.values.map(\.value.attribute) == [theirs], comment)
                continue
            }
            #expect(outcome.conflicts.isEmpty, comment)
            let value = outcome.values.first?.value.attribute ?? ours
            #expect(value == expected, comment)
        }
    }

    @Test func compositesAreMergedPartByPart() throws {
        func place(_ city: String, _ country: String) -> PropertyValue {
            .composite(["city": .string(city), "country": .string(country)])
        }
        let author = MergeName("Author", 1)
        let outcome = try merge(
            [author: changed(["place": (place("a", "b"), place("x", "b"))], "Author")],
            [author: changed(["place": (place("a", "b"), place("a", "y"))], "Author")])
        #expect(outcome.conflicts.isEmpty && outcome.values.map(\.value.attribute) == [place("x", "y")])
        let conflict = try merge(
            [author: changed(["place": (place("a", "b"), place("x", "b"))], "Author")],
            [author: changed(["place": (place("a", "b"), place("z", "y"))], "Author")])
        #expect(conflict.conflicts.map(\.property) == ["place.city"])
        #expect(conflict.values.map(\.value.attribute) == [place("x", "y")])
    }
}

extension MergeEngineTests {
    @Test func sequencesAreMergedByTheirLongestCommonSubsequence() {
        func order(_ base: String, _ ours: String, _ theirs: String) -> String {
            func list(_ text: String) -> [String] { text.map { String($0) } }
            let gone = Set(base).subtracting(ours).union(Set(base).subtracting(theirs))
            let members = list(ours + theirs).filter { !gone.contains($0.first ?? " ") }
            return SequenceMerge.order(base: list(base), ours: list(ours), theirs: list(theirs), members: members)
                .joined()
        }
        #expect(order("abc", "abc", "cab") == "cab")
        #expect(order("abc", "xabc", "abcy") == "xabcy")
        #expect(order("abc", "axbc", "aybc") == "axybc")
        #expect(order("abc", "ac", "abcd") == "acd")
        #expect(order("abcd", "bacd", "abdc") == "badc")
        #expect(order("", "ab", "cd") == "abcd")
        #expect(order("abc", "", "abcx") == "x")
        #expect(order("abx", "xab", "abxy") == "xaby")
    }

    @Test func whatIsDeletedAndChangedIsAConflictAndKept() throws {
        let removed = MergeChange(
            .removed, of: "Book",
            ["title": .init(.plain(.string("a")), .null), "author": .init(.object(MergeName("Author", 1)), .null)])
        let change = changed(["title": (.string("a"), .string("b"))])
        let byTheirs = try merge([book(1): change], [book(1): removed])
        #expect(byTheirs.conflicts.map(\.kind) == [.deletedChanged] && byTheirs.isEmpty)
        #expect(try merge([book(1): change], [book(1): removed], .theirs).deletions == [book(1)])
        #expect(try merge([book(1): change], [book(1): removed], .ours).isEmpty)
        // Deleted here: it is made again, with what theirs made of it.
        let byOurs = try merge([book(1): removed], [book(1): change])
        #expect(byOurs.conflicts.map(\.kind) == [.deletedChanged])
        #expect(byOurs.insertions[book(1)]?["title", "Book"]?.attribute == .string("b"))
        #expect(byOurs.insertions[book(1)]?["author", "Book"]?.target == MergeName("Author", 1))
        #expect(try merge([book(1): removed], [book(1): change], .ours).isEmpty)
        #expect(try merge([book(1): removed], [book(1): removed]).isEmpty)
        #expect(try merge([:], [book(1): removed]).deletions == [book(1)])
    }

    @Test func newObjectsAreOneWhereAConstraintOrEqualitySaysSo() throws {
        func new(_ entity: String, _ number: Int64, _ origin: MergeName.Origin, _ values: [String: MergeValue]) -> (
            MergeName, MergeChange
        ) {
            (MergeName(entity, number, origin), MergeChange(.added, of: entity, values.mapValues { .init(.null, $0) }))
        }
        func side(_ objects: (MergeName, MergeChange)...) -> MergeSide {
            MergeSide(objects)
        }
        let name = MergeValue.plain(.string("x"))
        let tags = try merge(
            side(new("Tag", 5, .ours, ["name": name])), side(new("Tag", 8, .theirs, ["name": name])))
        #expect(tags.united == [MergeName("Tag", 8, .theirs): MergeName("Tag", 5, .ours)] && tags.isEmpty)
        // A book is one only with its author.
        func books(_ title: String, _ origin: MergeName.Origin, _ first: Int64) -> MergeSide {
            side(
                new("Author", first, origin, ["name": .plain(.string(title))]),
                new("Book", first, origin, ["title": name, "author": .object(MergeName("Author", first, origin))]))
        }
        #expect(try merge(books("a", .ours, 5), books("a", .theirs, 9)).united.count == 2)
        let other = try merge(books("a", .ours, 5), books("b", .theirs, 9))
        #expect(other.united.isEmpty && other.insertions.count == 2)
    }
}

extension MergeEngineTests {
    @Test func aOneToOneRelationshipIsDecidedForBothEnds() throws {
        let authors = (1...3).map { MergeName("Author", Int64($0)) }, profile = MergeName("Profile", 1)
        func link(_ author: MergeName) -> MergeSide {
            [
                author: MergeChange(.changed, of: "Author", ["profile": .init(.null, .object(profile))]),
                profile: MergeChange(.changed, of: "Profile", ["author": .init(.null, .object(author))]),
            ]
        }
        let outcome = try merge(link(authors[0]), link(authors[1]))
        #expect(outcome.conflicts.map(\.property) == ["author"] && outcome.isEmpty, "\(outcome)")
        let taken = try merge(link(authors[0]), link(authors[1]), .theirs)
        let schema = MergeSchema(try model())
        func value(_ object: MergeName, _ property: String) -> MergeValue? {
            taken.values.first {
                $0.object == object && $0.property == schema.number(ofProperty: property, in: object.entity)
            }?.value
        }
        #expect(value(profile, "author")?.target == authors[1])
        #expect(value(authors[1], "profile")?.target == profile)
        #expect(value(authors[0], "profile")?.isNull == true)
    }

    @Test func equalValuesOfAConstraintAreAConflictThatNamesBothObjects() throws {
        let old = MergeName("Tag", 1), new = MergeName("Tag", 7, .theirs)
        let ours: MergeSide = [old: changed(["name": (.string("a"), .string("b"))], "Tag")]
        let theirs: MergeSide = [new: MergeChange(.added, of: "Tag", ["name": .init(.null, .plain(.string("b")))])]
        let outcome = try merge(ours, theirs)
        #expect(outcome.conflicts.map(\.kind) == [.unique] && outcome.isEmpty)
        #expect(outcome.conflicts.first?.object == new && outcome.conflicts.first?.others == [old])
        let taken = try merge(ours, theirs, .theirs)
        #expect(taken.insertions.count == 1 && taken.values.map(\.value.attribute) == [.string("a")])
    }
}

/// Entities and properties by their names in the model of these tests.
private enum Names {
    static func schema() -> MergeSchema {
        guard let model = try? MergeFixture.model() else { preconditionFailure("the model is valid") }
        return MergeSchema(model)
    }

    static func entity(_ name: String) -> Int { schema().number(ofEntity: name) ?? -1 }

    static func property(_ name: String, _ entity: String) -> Int {
        schema().number(ofProperty: name, in: Names.entity(entity)) ?? -1
    }
}

extension MergeName {
    fileprivate init(_ entity: String, _ number: Int64, _ origin: Origin = .base) {
        self.init(Names.entity(entity), number, origin)
    }
}

extension MergeChange {
    fileprivate init(_ change: ObjectDifference.Change, of entity: String, _ properties: [String: Pair]) {
        self.init(change, properties.map { (Names.property($0.key, entity), $0.value) })
    }
}

extension ObjectValues {
    fileprivate subscript(property: String, entity: String) -> MergeValue? { self[Names.property(property, entity)] }
}
