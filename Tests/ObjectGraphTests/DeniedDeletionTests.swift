import ObjectGraph
import Schema
import Testing

/// A denied deletion is the one thing to tell, not what it would have led to.
@Suite("Denied deletions (R, V)")
struct DeniedDeletionTests {
    let library: Library
    let context: ManagedObjectContext
    let person: ManagedObject
    let journey: ManagedObject

    init() throws {
        library = try Library(
            model: ManagedObjectModel(entities: [
                EntityDefinition(
                    "Person",
                    relationships: [
                        .init("leads", to: "Journey", inverse: "leader", maxCount: 0, deleteRule: .deny),
                        .init("dogs", to: "Dog", inverse: "owner", maxCount: 0, deleteRule: .cascade),
                        .init("joins", to: "Journey", inverse: "crew", maxCount: 0),
                    ]),
                EntityDefinition(
                    "Dog",
                    relationships: [
                        .init("owner", to: "Person", inverse: "dogs"), .init("sledge", to: "Sledge", inverse: "dog"),
                    ]),
                EntityDefinition(
                    "Sledge", relationships: [.init("dog", to: "Dog", inverse: "sledge", isOptional: false)]),
                EntityDefinition(
                    "Journey", attributes: [.init("title", .string, isOptional: false)],
                    relationships: [
                        .init("leader", to: "Person", inverse: "leads", isOptional: false),
                        .init("crew", to: "Person", inverse: "joins", minCount: 1, maxCount: 0, isOptional: false),
                    ]),
            ]))
        context = library.context
        person = try context.insert("Person")
        journey = try context.insert("Journey")
        journey["title"] = "South"
        journey["leader"] = person
        journey["crew"] = Set([person])
        let dog = try context.insert("Dog"), sledge = try context.insert("Sledge")
        dog["owner"] = person
        sledge["dog"] = dog
        try context.save()
    }

    private func failures() -> [ValidationError.Failure] {
        do {
            try context.save()
            return []
        } catch {
            return (error as? ValidationError)?.failures ?? []
        }
    }

    @Test func theDeniedRuleAloneIsReported_R12() throws {
        context.delete(person)
        let failures = failures()
        #expect(failures.map(\.code) == [.deleteDenied])
        #expect(failures.first?.object == person.objectID && failures.first?.key == "leads")
    }

    @Test func otherFailuresOfTheSameObjectsStay_V5() throws {
        context.delete(person)
        journey["title"] = nil
        #expect(Set(failures().map(\.key)) == ["leads", "title"])
    }

    @Test func whatAnAllowedDeletionLeavesEmptyIsReported_V9_R18() throws {
        let other = try context.insert("Person")
        journey["leader"] = other
        context.delete(person)
        #expect(Set(failures().map(\.key)) == ["crew", "dog"])
    }
}
