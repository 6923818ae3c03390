import Folio
import Foundation
import TestSupport
import Testing

@Model final class Sample: ManagedObject {
    var short: Int16?
    var long: Int64 = 7
    var flag: Bool?
    var ratio: Double?
    var small: Float?
    var price: Decimal?
    var text: String?
    var moment: Date?
    var identity: UUID?
    var place: URL?
    var bytes: Data?
    @Attribute(.externalStorage) var large: LargeValue?
    @Transient var passing: String?
    var next: Sample?
    @Relationship(inverse: \Sample.next) var previous: Set<Sample>
    @Relationship(isOrdered: true) var friends: [Sample]
}

extension Sample: CodableObject {}

/// Graphs out of a context and into another, as JSON.
struct GraphSnapshotTests {
    private func withContexts(_ body: (ManagedObjectContext, ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let contexts = try ["One", "Two"].map { name in
                let container = try PersistentContainer(name: name, schema: [Sample.self])
                container.persistentStoreDescriptions = [
                    PersistentStoreDescription(url: folder.appendingPathComponent("\(name).sqlite"))
                ]
                try container.loadPersistentStores()
                return container.newBackgroundContext()
            }
            try body(contexts[0], contexts[1])
        }
    }

    private func fill(_ sample: Sample) {
        (sample.short, sample.long, sample.flag, sample.ratio, sample.small) = (-3, Int64.max, true, 0.1, 0.1)
        (sample.price, sample.text) = (Decimal(string: "1234567890.12345"), "“Ünïcode” \u{1F}")
        (sample.moment, sample.identity) = (
            Date(timeIntervalSinceReferenceDate: 700_000_000.123),
            UUID(uuidString: "7D2A8B1E-9F57-4E0C-9C55-4C0D6C4E2F11")
        )
        (sample.place, sample.bytes) = (URL(string: "https://example.org/a?b=c"), Data([0, 255, 1]))
        (sample.large, sample.passing) = (LargeValue(Data(repeating: 7, count: 300_000)), "gone")
    }

    @Test func valuesOfEveryTypeComeBack() throws {
        try withContexts { one, two throws in
            let sample = Sample(context: one), empty = Sample(context: one)
            fill(sample)
            try one.save()
            let data = try JSONEncoder().encode(GraphSnapshot(of: [sample, empty]))
            let copies = try JSONDecoder().decode(GraphSnapshot.self, from: data).insert(into: two)
            try two.save()
            let copy = try #require(copies.first as? Sample), other = try #require(copies.last as? Sample)
            #expect(
                copy.short == -3 && copy.long == Int64.max && copy.flag == true && copy.ratio == 0.1
                    && copy.small == 0.1)
            #expect(
                copy.price == sample.price && copy.text == sample.text && copy.moment == sample.moment
                    && copy.identity == sample.identity)
            #expect(copy.place == sample.place && copy.bytes == sample.bytes && copy.passing == nil)
            #expect(try copy.large?.data() == Data(repeating: 7, count: 300_000))
            #expect(other.long == 7 && other.short == nil && other.text == nil)
        }
    }

    @Test func cyclesAndSharedObjectsAreThereOnce() throws {
        try withContexts { one, two throws in
            let samples = (0..<4).map { number in
                let sample = Sample(context: one)
                sample.long = Int64(number)
                return sample
            }
            for (index, sample) in samples.enumerated() { sample.next = samples[(index + 1) % 4] }
            samples[0].friends = [samples[3], samples[0], samples[1]]
            samples[1].friends = [samples[3]]
            let snapshot = try GraphSnapshot(of: [samples[0]])
            #expect(snapshot.count == 4)
            let data = try JSONEncoder().encode(snapshot)
            let copy = try #require(
                try JSONDecoder().decode(GraphSnapshot.self, from: data).insert(into: two).first as? Sample)
            #expect(try two.count(Sample.self) == 4)
            #expect(copy.next?.next?.next?.next === copy && copy.previous.first?.long == 3)
            #expect(
                copy.friends.map(\.long) == [3, 0, 1] && copy.friends[1] === copy
                    && copy.next?.friends.first === copy.friends.first)
            // The copy gives the same snapshot again.
            #expect(try GraphSnapshot(of: [copy]) == snapshot)
        }
    }
}

extension GraphSnapshotTests {
    @Test func anObjectStandsForItsGraph() throws {
        try withContexts { one, two throws in
            let sample = Sample(context: one), friend = Sample(context: one)
            sample.friends = [friend]
            (sample.text, friend.text) = ("a", "b")
            let copy = try JSONDecoder().decode(Sample.self, from: JSONEncoder().encode(sample), configuration: two)
            #expect(copy.text == "a" && copy.friends.map(\.text) == ["b"] && copy.isInserted)
            let both = try JSONEncoder().encode(GraphSnapshot(of: [sample, friend]))
            let error = #expect(throws: GraphError.self) {
                try JSONDecoder().decode(Sample.self, from: both, configuration: two)
            }
            #expect(error?.code == .wrongType)
            #expect(try two.count(Sample.self) == 2)
        }
    }

    @Test func relationshipsThatAreNotFollowedLeadToTheSameObjects() throws {
        try withContexts { one, two throws in
            let sample = Sample(context: one), friend = Sample(context: one), next = Sample(context: one)
            (sample.friends, sample.next) = ([friend], next)
            let unsaved = #expect(throws: GraphError.self) { try GraphSnapshot(of: [sample], following: ["friends"]) }
            #expect(unsaved?.code == .objectNotFound)
            try one.save()
            let snapshot = try GraphSnapshot(of: [sample], following: ["friends"])
            #expect(snapshot.count == 2)
            let copy = try #require(try snapshot.insert(into: one).first as? Sample)
            #expect(copy.next === next && copy.friends.first !== friend)
            let error = #expect(throws: GraphError.self) { try snapshot.insert(into: two) }
            #expect(error?.code == .objectNotFound)
            #expect(try two.count(Sample.self) == 0)
        }
    }

    @Test(arguments: [
        (#"{"id": "a", "entity": "Sampel"}"#, GraphError.Code.unknownEntity),
        (#"{"id": "a", "entity": "Sample", "attributes": {"textt": "x"}}"#, .unknownKey),
        (#"{"id": "a", "entity": "Sample", "attributes": {"text": 1}}"#, .wrongType),
        (#"{"id": "a", "entity": "Sample", "attributes": {"bytes": "*"}}"#, .wrongType),
        (#"{"id": "a", "entity": "Sample", "attributes": {"short": 70000}}"#, .wrongType),
        (#"{"id": "a", "entity": "Sample", "attributes": {"price": "much"}}"#, .wrongType),
        (#"{"id": "a", "entity": "Sample", "toOne": {"friends": "a"}}"#, .unknownKey),
        (#"{"id": "a", "entity": "Sample", "toMany": {"next": ["a"]}}"#, .unknownKey),
        (#"{"id": "a", "entity": "Sample", "toOne": {"next": "b"}}"#, .objectNotFound),
        (#"{"id": "b", "entity": "Sample"}"#, .objectNotFound),
        (#"{"id": "a", "entity": "Sample"}, {"id": "a", "entity": "Sample"}"#, .wrongType),
    ])
    func whatTheModelDoesNotHaveIsRefusedWhole(_ objects: String, _ code: GraphError.Code) throws {
        try withContexts { one, _ throws in
            let text = #"{"roots": ["a"], "objects": [{"id": "c", "entity": "Sample"}, \#(objects)]}"#
            let snapshot = try JSONDecoder().decode(GraphSnapshot.self, from: Data(text.utf8))
            let error = #expect(throws: GraphError.self) { try snapshot.insert(into: one) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(try one.count(Sample.self) == 0)
        }
    }

    @Test func whatIsWrittenByHandNeedsNoMoreThanItSays() throws {
        try withContexts { one, _ throws in
            let text =
                #"{"roots": ["me"], "objects": [{"id": "me", "entity": "Sample", "attributes": {"ratio": 2, "price": 3, "moment": 0, "long": 1}}]}"#
            let sample = try #require(
                try JSONDecoder().decode(GraphSnapshot.self, from: Data(text.utf8)).insert(into: one).first as? Sample)
            #expect(
                sample.ratio == 2 && sample.price == 3 && sample.moment == Date(timeIntervalSinceReferenceDate: 0)
                    && sample.long == 1)
        }
    }
}
