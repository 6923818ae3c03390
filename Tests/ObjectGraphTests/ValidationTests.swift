import Foundation
import ObjectGraph
import Query
import Schema
import Testing

final class StrictPerson: ManagedObject {
    override class var customValidatedKeys: [String] { ["nick"] }

    override func validateValue(_ value: Any?, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        if key == "nick", value as? String == "root" { throw ValidationError(.generic, "root is taken", key: key) }
        if key == "nick", value as? String == "spam" { throw Unwanted(text: "spam") }
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        if self["nick"] as? String == "loner" { throw Loneliness() }
    }

    struct Loneliness: Error {}
    struct Unwanted: Error { let text: String }
}

@Suite("Validation (V)")
struct ValidationTests {
    let library: Library
    let context: ManagedObjectContext
    let person: ManagedObject

    @Test func boundsOfLengthsThatNoTextHasAreNoTrap() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    .init("text", .string, minimumValue: .int(.min), maximumValue: .int(.max)),
                    .init("title", .string, regularExpression: "(a+)+b"),
                    .init("kind", .string, regularExpression: "("),
                ])
        ])
        let library = try Library(model: model), note = try library.context.insert("Note")
        note["text"] = "short"
        try library.context.save()
        note["kind"] = "none"
        #expect(throws: ValidationError.self) { try library.context.save() }
        note["kind"] = nil
        // A pattern that would take for ever is given up.
        note["title"] = String(repeating: "a", count: 40)
        do {
            try library.context.save()
            Issue.record("saved")
        } catch let error as ValidationError {
            #expect(error.code == .stringPattern && error.failures[0].key == "title")
        }
    }

    init() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person", managedObjectClassName: "Person",
                attributes: [
                    .init("name", .string, isOptional: false, minimumValue: .int(2), maximumValue: .int(5)),
                    .init("nick", .string, regularExpression: "[a-z]+"),
                    .init("age", .integer16, minimumValue: .int(0), maximumValue: .int(120)),
                    .init("salary", .decimal, minimumValue: .decimal(10)),
                    .init("born", .date, maximumValue: .date(Date(timeIntervalSinceReferenceDate: 1000))),
                ],
                relationships: [
                    .init("pets", to: "Pet", inverse: "owner", minCount: 0, maxCount: 2),
                    .init("home", to: "Home", inverse: "people", isOptional: false),
                ]),
            EntityDefinition("Pet", relationships: [.init("owner", to: "Person", inverse: "pets")]),
            EntityDefinition("Home", relationships: [.init("people", to: "Person", inverse: "home", maxCount: 0)]),
        ])
        library = try Library(classes: ["Person": StrictPerson.self], model: model)
        context = library.context
        person = try context.insert("Person")
        person["name"] = "Ada"
        person["home"] = try context.insert("Home")
    }

    private func codes() -> [Int] {
        do {
            try context.save()
            return []
        } catch let error as ValidationError {
            return error.failures.map(\.code.rawValue)
        } catch {
            return [-1]
        }
    }

    @Test func aValidObjectIsSaved() {
        #expect(codes() == [])
    }

    @Test func everyRuleHasItsCode_V21() throws {
        for (key, value, code) in [
            ("name", nil, 1570), ("name", "A", 1670), ("name", "Adelaide", 1660), ("nick", "Ada1", 1680),
            ("age", -1, 1620), ("age", 121, 1610),
            ("age", 40_000, 1610), ("salary", Decimal(9), 1620),
            ("born", Date(timeIntervalSinceReferenceDate: 1001), 1630), ("home", nil, 1570),
        ] as [(String, Any?, Int)] {
            let old = person[key]
            person[key] = value
            #expect(codes() == [code], "\(key)")
            person[key] = old
        }
        #expect(codes() == [])
    }
}

extension ValidationTests {
    @Test func theErrorOfAnApplicationsValidatorIsGivenAsItselfWhereItIsAlone_V4_V5() throws {
        person["nick"] = "spam"
        #expect(throws: StrictPerson.Unwanted.self) { try person.validateForInsert() }
        #expect(throws: StrictPerson.Unwanted.self) { try context.save() }
        // Beside others it is listed, with what it is about.
        let other = try context.insert("Person")
        other["name"] = "Bob"
        let error = try #require(throws: ValidationError.self) { try context.save() }
        let failure = try #require(error.failures.first { $0.object == person.objectID })
        #expect(
            error.failures.count == 2 && failure.underlying is StrictPerson.Unwanted && failure.key == "nick"
                && failure.value == .string("spam"))
        person["age"] = 121
        let both = try #require(throws: ValidationError.self) { try person.validateForInsert() }
        #expect(
            both.failures.map(\.key) == ["age", "nick"] && both.failures.map(\.value) == [.int(121), .string("spam")])
    }

    @Test func aFailureHasTheValueThatAValidatorRefused_V8() throws {
        person["nick"] = "root"
        let error = try #require(throws: ValidationError.self) { try context.save() }
        #expect(
            error.failures.count == 1 && error.failures[0].value == .string("root") && error.value == .string("root"))
    }

    @Test func boundsAreInclusiveAndLengthsInUTF16_V13_V15() {
        person["age"] = 120
        person["salary"] = 10
        person["name"] = "🎩🎩a"
        #expect(codes() == [])
        person["name"] = "🎩🎩🎩"
        #expect(codes() == [1660])
    }

    @Test func severalFailuresAreListedTogether_V5_V6() throws {
        person["name"] = nil
        person["age"] = 200
        try context.insert("Person")["home"] = person["home"]
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.code == .multiple && error?.failures.count == 3)
        let failure = try #require(error?.failures.first { $0.code == .numberTooLarge })
        #expect(failure.object == person.objectID && failure.key == "age" && failure.value == .int(200))
    }

    @Test func aFailedSaveLosesNothing_V17() throws {
        person["name"] = nil
        #expect(codes() == [1570])
        #expect(person.isInserted && context.hasChanges)
        person["name"] = "Ada"
        #expect(codes() == [])
        person["age"] = 500
        #expect(codes() == [1610])
        context.rollback()
        #expect(person["age"] == nil && !context.hasChanges)
    }

    @Test func countsOfRelationshipsAreChecked_R18() throws {
        person["pets"] = Set(try (0..<3).map { _ in try context.insert("Pet") })
        #expect(codes() == [1590])
    }

    @Test func theApplicationsRulesTakePart_V2_V3_V4() throws {
        person["nick"] = "root"
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.failures.map(\.message) == ["root is taken"] && error?.failures[0].object == person.objectID)
        person["nick"] = "loner"
        #expect(throws: StrictPerson.Loneliness.self) { try context.save() }
        #expect(throws: ValidationError.self) { try person.validateValue(130, forKey: "age") }
        try person.validateValue(30, forKey: "age")
    }

    @Test func anAutosaveDoesNotValidate() throws {
        person["name"] = nil
        let prepared = try #require(try context.prepareSave(validates: false))
        context.completeSave(prepared, try library.store.apply(prepared.changes))
        #expect(!context.hasChanges)
        // The invalid state is in the store, and an explicit save of the next change says so.
        person["age"] = 3
        #expect(codes() == [1570])
    }
}
