import ObjectGraph
import Query
import Schema
import Testing

/// Properties whose value is the result of a fetch (Q34, Q35).
struct FetchedPropertyTests {
    private func library(_ format: String, userInfo: [String: String] = [:]) throws -> Library {
        let peers = FetchedPropertyDescription(
            "peers", fetchRequest: FetchRequestTemplate("peers", entityName: "Person", predicateFormat: format),
            userInfo: userInfo)
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person", attributes: [.init("name", .string), .init("age", .integer16)],
                relationships: [
                    .init("boss", to: "Person", inverse: "staff"),
                    .init("staff", to: "Person", inverse: "boss", maxCount: 0),
                ], fetchedProperties: [peers])
        ])
        let library = try Library(model: model)
        var people: [ManagedObject] = []
        for (number, name) in ["Ada", "Bob", "Cyd", "Dan"].enumerated() {
            let person = try library.context.insert("Person")
            person["name"] = name
            person["age"] = 30 + number
            if number > 0 { person["boss"] = people[0] }
            people.append(person)
        }
        try library.context.save()
        return library
    }

    private func person(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.predicate = try FetchPredicate(format: "name == %@", name)
        return try #require(try context.fetch(request).first)
    }

    private func names(_ objects: [ManagedObject]) -> [String] { objects.compactMap { $0["name"] as? String }.sorted() }

    @Test func theOwnerStandsForFetchSource() throws {  // Q34
        let library = try library("boss == $FETCH_SOURCE.boss AND SELF != $FETCH_SOURCE AND age >= $FETCH_SOURCE.age")
        let bob = try person("Bob", library.context)
        #expect(names(try bob.fetchedObjects(forKey: "peers")) == ["Cyd", "Dan"])
        #expect(names(try #require(bob["peers"] as? [ManagedObject])) == ["Cyd", "Dan"])
        guard case .list(let ids) = try bob.propertyValue(forKey: "peers") else {
            Issue.record("no list")
            return
        }
        #expect(ids.count == 2)
    }

    @Test func eachReadingAsksAgainAndSeesUnsavedChanges() throws {  // Q34, Q35
        let library = try library("boss == $FETCH_SOURCE")
        let ada = try person("Ada", library.context)
        #expect(names(try ada.fetchedObjects(forKey: "peers")) == ["Bob", "Cyd", "Dan"])
        try person("Cyd", library.context)["boss"] = nil
        #expect(names(try ada.fetchedObjects(forKey: "peers")) == ["Bob", "Dan"])
    }

    @Test func thePropertysUserInfoCanBeAskedFor() throws {  // Q35
        let library = try library(
            "name IN {$FETCHED_PROPERTY.userInfo.first, $FETCHED_PROPERTY.name}", userInfo: ["first": "Dan"])
        #expect(names(try person("Ada", library.context).fetchedObjects(forKey: "peers")) == ["Dan"])
    }

    @Test func aKeyThatIsNoFetchedPropertyIsAnError() throws {
        let library = try library("TRUEPREDICATE")
        let ada = try person("Ada", library.context)
        let error = #expect(throws: GraphError.self) { try ada.fetchedObjects(forKey: "name") }
        #expect(error?.code == .unknownKey)
    }
}
