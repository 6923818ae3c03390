import Folio
import Foundation
import TestSupport
import Testing

private enum Level: Int, AttributeValue {
    case low, high
}

@Model private final class Note: ManagedObject {
    @Attribute(minimum: .int(3), maximum: .int(5)) var subject: String
    @Attribute(minimum: .int(2)) var remark: String?
    @Attribute(maximum: .int(4)) var sign: String = ""
    @Attribute(maximum: .int(9)) var price: Decimal?
    @Attribute(minimum: .double(0.5)) var share: Double = 1
    @Attribute(minimum: .date(Date(timeIntervalSinceReferenceDate: 0))) var day: Date?
    @Attribute(maximum: .int(0)) var level: Level = .low
}

@Model private final class NumberAsLength: ManagedObject {
    @Attribute(minimum: .string("3")) var subject: String
}

@Model private final class BoundedTruth: ManagedObject {
    @Attribute(minimum: .bool(true)) var isRead: Bool = true
}

@Model private final class BoundedBytes: ManagedObject {
    @Attribute(maximum: .int(100)) var bytes: Data?
}

@Model private final class BoundedNumber: ManagedObject {
    @Attribute(minimum: .uuid(UUID())) var number: UUID?
}

@Model private final class BoundedPlace: ManagedObject {
    @Attribute(minimum: .int(1)) var place: URL?
}

@Model private final class BoundedList: ManagedObject {
    @Attribute(minimum: .int(1)) var list: [String] = []
}

@Model private final class NumberAsDay: ManagedObject {
    @Attribute(minimum: .int(1900)) var day: Date?
}

@Model private final class FractionAsBound: ManagedObject {
    @Attribute(minimum: .double(1.5)) var count: Int = 2
}

@Suite("Bounds of attributes that classes declare") struct TypedBoundsTests {
    @Test func areThoseOfTheModel() throws {
        let model = try ManagedObjectModel(schema: [Note.self])
        let note = try #require(model.entity(named: "Note"))
        func bounds(_ name: String) -> [PropertyValue?] {
            let attribute = note.property(named: name)?.attribute
            return [attribute?.minimumValue, attribute?.maximumValue]
        }
        #expect(bounds("subject") == [.int(3), .int(5)])
        #expect(bounds("remark") == [.int(2), nil])
        #expect(bounds("sign") == [nil, .int(4)])
        #expect(bounds("price") == [nil, .decimal(9)])
        #expect(bounds("share") == [.double(0.5), nil])
        #expect(bounds("day") == [.date(Date(timeIntervalSinceReferenceDate: 0)), nil])
        #expect(bounds("level") == [nil, .int(0)])
    }

    @Test func areEnforcedForTexts() throws {
        let context = try PersistentContainer.inMemory([Note.self]).viewContext
        let note = Note(context: context)
        note.subject = "Hi"
        note.remark = "x"
        note.sign = "12345"
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(Set(error?.failures.compactMap(\.key) ?? []) == ["subject", "remark", "sign"])
        note.subject = "Hello"
        note.remark = nil
        note.sign = "1234"
        try context.save()
    }

    @Test(
        arguments: [
            NumberAsLength.self, BoundedTruth.self, BoundedBytes.self, BoundedNumber.self, BoundedPlace.self,
            BoundedList.self, NumberAsDay.self, FractionAsBound.self,
        ] as [ManagedObject.Type]) func thatATypeCannotHaveMakeNoModel(type: ManagedObject.Type) throws
    {
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(schema: [type]) }
        #expect(error?.code == .invalid && error?.faults.first?.message.contains("is no bound for type") == true)
    }

    @Test func areExplainedWhereTheyAreOfTheWrongKind() throws {
        let error = #expect(throws: ModelError.self) { try ManagedObjectModel(schema: [NumberAsLength.self]) }
        #expect(
            error?.faults.map(\.message) == [
                "the smallest value is no bound for type String: the bounds of a string are its lengths, such as .int(3)"
            ])
    }
}

extension PersistentContainer {
    fileprivate static func inMemory(_ classes: [ManagedObject.Type]) throws -> PersistentContainer {
        let container = PersistentContainer(
            name: "Notes", managedObjectModel: try ManagedObjectModel(schema: classes),
            classes: ManagedObject.classesByName(classes))
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"), type: .inMemory)
        ]
        try container.loadPersistentStores()
        return container
    }
}
