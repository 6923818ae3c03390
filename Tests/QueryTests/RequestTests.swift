import Query
import Schema
import Testing

@Suite("Fetch requests")
struct RequestTests {
    @Test("Q33: a template becomes a request when every variable has a value, a nil included")
    func templates() throws {
        var template = FetchRequestTemplate(
            "recent", entityName: "Book", predicateFormat: "year > $since AND title != $not", fetchLimit: 5)
        template.includesSubentities = false
        let request = try FetchRequest<Never>(template: template, substitutionVariables: ["since": 1960, "not": nil])
        #expect(try request.predicate == FetchPredicate(format: "year > 1960 AND title != nil"))
        #expect(request.entityName == "Book" && request.fetchLimit == 5 && !request.includesSubentities)
        #expect { try FetchRequest<Never>(template: template, substitutionVariables: ["since": 1960]) } throws: {
            error in
            let error = error as? QueryError
            return error?.code == .unboundVariable && error?.key == "not"
        }
        template.predicateFormat = nil
        #expect(try FetchRequest<Never>(template: template).predicate == nil)
    }

    @Test("Q1: defaults")
    func defaults() {
        let request = FetchRequest<Never>(entityName: "Book")
        #expect(
            request.fetchLimit == 0 && request.fetchOffset == 0 && request.predicate == nil
                && request.sortDescriptors.isEmpty)
        #expect(
            request.includesSubentities && request.includesPendingChanges && request.includesPropertyValues
                && request.returnsObjectsAsFaults)
        #expect(!request.shouldRefreshRefetchedObjects)
    }
}
