import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// Fetch requests and predicates, with saved and unsaved objects: the answer is the same.
struct FetchingBehaviors {
    /// Tags of which the first four are saved, one of these changed and one deleted, and two are
    /// new.
    private static func mixed(_ f: GraphFixture) throws -> ManagedObjectContext {
        let context = f.context()
        for (index, word) in ["a", "b", "c", "d"].enumerated() {
            try context.make("Tag", ["word": word, "weight": index])
        }
        try context.save()
        let tags = try context.all("Tag")
        tags.first { $0.text("word") == "b" }?["weight"] = 10
        tags.first { $0.text("word") == "d" }.map { context.delete($0) }
        try context.make("Tag", ["word": "e", "weight": 11])
        try context.make("Tag", ["word": "f", "weight": nil])
        return context
    }

    private static func found(
        _ facts: String, _ name: String, _ words: [String],
        _ change: @escaping @Sendable (inout FetchRequest<ManagedObject>) throws -> Void
    ) -> Behavior {
        Behavior(facts, name) { f in
            let found = try mixed(f).found("Tag", by: "word", change)
            #expect(found == words)
        }
    }

    static let requests: [Behavior] = [
        found("Q4", "no condition selects all", ["a", "b", "c", "e", "f"]) { _ in },
        found("Q5", "new and changed objects are found by their present values", ["b", "e"]) {
            $0.predicate = try FetchPredicate(format: "weight >= 10")
        },
        found("Q5", "changed objects are not found by their saved values", []) {
            $0.predicate = try FetchPredicate(format: "weight == 1")
        },
        found("Q5", "deleted objects are not found", []) { $0.predicate = try FetchPredicate(format: "word == 'd'") },
        found("Q6", "without unsaved changes the store decides", ["a", "b", "c", "d"]) {
            $0.includesPendingChanges = false
        },
        found("Q9", "a window is over saved and unsaved objects together", ["b", "c"]) {
            ($0.fetchOffset, $0.fetchLimit) = (1, 2)
        },
        found("Q9", "an offset beyond the end gives nothing", []) { $0.fetchOffset = 99 },
        found("Q9", "the greatest limit and offset are no trouble", ["c", "e", "f"]) {
            ($0.fetchOffset, $0.fetchLimit) = (2, .max)
        },
        found("Q9", "a negative offset is none", ["a", "b", "c", "e", "f"]) { $0.fetchOffset = -3 },
        found("Q16", "sort keys count in their order", ["f", "a", "c", "b", "e"]) {
            $0.sortDescriptors = [SortKey("weight"), SortKey("word")]
        },
        found("Q17", "nil is the smallest, so the last one in descending order", ["e", "b", "c", "a", "f"]) {
            $0.sortDescriptors = [SortKey("weight", ascending: false)]
        },
        found("P31", "nil differs from every value", ["a", "b", "c", "e", "f"]) {
            $0.predicate = try FetchPredicate(format: "weight != 99")
        },
        found("P31", "nothing is less than nil or more", []) {
            $0.predicate = try FetchPredicate(format: "weight < nil OR weight >= nil")
        },
        found("P67", "nil is asked for with ==", ["f"]) { $0.predicate = try FetchPredicate(format: "weight == nil") },
        found("P68", "NOT is the exact complement", ["b", "e", "f"]) {
            $0.predicate = try FetchPredicate(format: "NOT weight < 10")
        },
        found("P38", "BETWEEN takes both bounds in", ["b", "c"]) {
            $0.predicate = try FetchPredicate(format: "weight BETWEEN {2, 10}")
        },
        found("P34", "IN asks for membership", ["a", "e"]) {
            $0.predicate = try FetchPredicate(format: "word IN {'a', 'e', 'x'}")
        },
        found("P34", "IN with a string asks for a part of it", ["a", "b"]) {
            $0.predicate = try FetchPredicate(format: "word IN 'xaxb'")
        },
        found("P33", "strings compare exactly", []) { $0.predicate = try FetchPredicate(format: "word == 'A'") },
        found("P35", "[c] folds case", ["a"]) { $0.predicate = try FetchPredicate(format: "word ==[c] 'A'") },
        found("P36", "LIKE takes wildcards", ["a", "b", "c", "e", "f"]) {
            $0.predicate = try FetchPredicate(format: "word LIKE '?'")
        },
        found("P37", "MATCHES takes regular expressions", ["b", "c"]) {
            $0.predicate = try FetchPredicate(format: "word MATCHES '[b-d]'")
        },
        found("P45", "an empty AND is true", ["a", "b", "c", "e", "f"]) { $0.predicate = .and([]) },
        found("P45", "an empty OR is false", []) { $0.predicate = .or([]) },
        found("P46", "TERNARY takes one branch", ["b", "e"]) {
            $0.predicate = try FetchPredicate(format: "TERNARY(weight > 5, 1, 0) == 1")
        },
        found("P39", "ANY over nothing is false", []) {
            $0.predicate = try FetchPredicate(format: "ANY accounts.title != 'x'")
        },
        found("P39", "ALL over nothing is true", ["a", "b", "c", "e", "f"]) {
            $0.predicate = try FetchPredicate(format: "ALL accounts.title == 'x'")
        },
        found("P40", "NONE over nothing is true", ["a", "b", "c", "e", "f"]) {
            $0.predicate = try FetchPredicate(format: "NONE accounts.title == 'x'")
        },
        found("P43", "a count of nothing is 0", ["a", "b", "c", "e", "f"]) {
            $0.predicate = try FetchPredicate(format: "accounts.@count == 0")
        },
        found("P7", "arithmetic is computed", ["b"]) {
            $0.predicate = try FetchPredicate(format: "weight * 2 - 1 == 19")
        },
    ]

    static let results: [Behavior] = [
        Behavior("Q10", "a count is that of the objects") { f in
            let context = try mixed(f)
            #expect(
                try context.count("Tag") == 5
                    && context.count("Tag", matching: FetchPredicate(format: "weight >= 10")) == 2)
            #expect(try context.fetch(FetchRequest<Int>(entityName: "Tag")) == [5])
        },
        Behavior("Q11", "a count respects limit and offset") { f in
            let context = try mixed(f)
            var request = FetchRequest<ManagedObject>(entityName: "Tag")
            (request.fetchOffset, request.fetchLimit) = (1, 3)
            #expect(try context.count(for: request) == 3)
            try context.save()
            #expect(try context.count(for: request) == 3)
        },
        Behavior("Q8", "IDs of new objects are temporary ones") { f in
            let ids = try mixed(f).fetch(FetchRequest<ManagedObjectID>(entityName: "Tag"))
            #expect(ids.count == 5 && ids.filter(\.isTemporaryID).count == 2)
        },
        Behavior("Q7", "rows of values are the store's") { f in
            let context = try mixed(f)
            var request = FetchRequest<[String: PropertyValue]>(entityName: "Tag")
            request.propertiesToFetch = ["word", "weight"]
            request.sortDescriptors = [SortKey("word")]
            #expect(try context.fetch(request).map { $0["weight"] } == [.int(0), .int(1), .int(2), .int(3)])
        },
        Behavior("Q21", "a nil has no entry in its row") { f in
            let context = f.context()
            try context.saved("Tag", "word", ["a"])
            var request = FetchRequest<[String: PropertyValue]>(entityName: "Tag")
            request.propertiesToFetch = ["word", "weight"]
            #expect(try context.fetch(request) == [["word": .string("a")]])
        },
        Behavior("Q24 Q28", "aggregates over nothing: count and sum are 0, the others absent") { f in
            var request = FetchRequest<[String: PropertyValue]>(entityName: "Tag")
            request.propertiesToFetch = try ["count", "sum", "min", "average"].map {
                .expression(try ExpressionDescription($0, format: "\($0):(weight)"))
            }
            #expect(try f.context().fetch(request) == [["count": .int(0), "sum": .int(0)]])
        },
        Behavior("Q25 Q26", "groups have a row each, and conditions") { f in
            let context = f.context()
            for (word, comment) in [("a", "x"), ("b", "x"), ("c", "y")] {
                try context.make("Tag", ["word": word, "comment": comment])
            }
            try context.save()
            var request = FetchRequest<[String: PropertyValue]>(entityName: "Tag")
            request.propertiesToFetch = [
                "comment", .expression(try ExpressionDescription("n", format: "count:(word)")),
            ]
            request.propertiesToGroupBy = ["comment"]
            request.havingPredicate = try FetchPredicate(format: "$n > 1")
            #expect(try context.fetch(request) == [["comment": .string("x"), "n": .int(2)]])
        },
        Behavior("Q23", "distinct rows come once") { f in
            let context = f.context()
            for word in ["a", "b"] { try context.make("Tag", ["word": word, "comment": "x"]) }
            try context.save()
            var request = FetchRequest<[String: PropertyValue]>(entityName: "Tag")
            request.propertiesToFetch = ["comment"]
            request.returnsDistinctResults = true
            #expect(try context.fetch(request) == [["comment": .string("x")]])
        },
        Behavior("Q12", "sub-entities are part of an entity, unless they are left out") { f in
            let context = f.context()
            try context.make("Account", ["title": "a"])
            try context.make("Savings", ["title": "s"])
            for _ in 0..<2 {
                #expect(
                    try context.found("Account", by: "title") == ["a", "s"]
                        && context.found("Savings", by: "title") == ["s"])
                #expect(try context.found("Account", by: "title") { $0.includesSubentities = false } == ["a"])
                try context.save()
            }
        },
        Behavior("Q29", "batches have the objects of the fetch, in its order") { f in
            let context = f.context()
            try context.saved("Tag", "word", (0..<30).map { "\(100 + $0)" })
            var request = FetchRequest<ManagedObject>(entityName: "Tag")
            request.sortDescriptors = [SortKey("word", ascending: false)]
            (request.fetchBatchSize, request.fetchLimit) = (7, 20)
            let batched = try f.context().fetchInBatches(request)
            #expect(batched.count == 20 && batched.map { $0.text("word") } == (0..<20).map { "\(129 - $0)" })
        },
        Behavior("P30 Q38", "objects and IDs can be compared with, saved or not") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"])
            try context.make("Account", ["title": "a", "owner": person])
            for _ in 0..<2 {
                let predicate = FetchPredicate.comparison(
                    ComparisonPredicate(.keyPath("owner"), .equal, .constant(.object(person.objectID))))
                #expect(try context.count("Account", matching: predicate) == 1)
                #expect(
                    try context.count(
                        "Person",
                        matching: .comparison(
                            ComparisonPredicate(.evaluatedObject, .equal, .constant(.object(person.objectID))))
                    ) == 1)
                try context.save()
            }
        },
        Behavior("P44", "SUBQUERY counts what meets its condition") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"])
            for balance in [1, 5, 9] { try context.make("Account", ["balance": balance, "owner": person]) }
            for _ in 0..<2 {
                #expect(
                    try context.found("Person", "SUBQUERY(accounts, $a, $a.balance > 3).@count == 2", by: "name") == [
                        "p"
                    ])
                #expect(
                    try context.found(
                        "Person", "accounts.@sum.balance == 15 AND accounts.@max.balance == 9", by: "name") == ["p"])
                try context.save()
            }
        },
        Behavior("P43", "elements of ordered relationships have places") { f in
            let context = f.context()
            let account = try context.make("Account", ["title": "a"])
            account["entries"] = try ["x", "y", "z"].map { try context.make("Entry", ["text": $0]) }
            for _ in 0..<2 {
                for format in [
                    "entries[FIRST].text == 'x'", "entries[LAST].text == 'z'", "entries[1].text == 'y'",
                    "entries[SIZE] == 3", "entries[7] == nil",
                ] {
                    #expect(try context.found("Account", format, by: "title") == ["a"], "\(format)")
                }
                try context.save()
            }
        },
        Behavior("Q37", "a fetch processes changes first") { f in
            let context = f.context()
            let person = try context.make("Person", ["name": "p"])
            try context.make("Account", ["title": "a", "owner": person])
            try context.save()
            context.delete(person)
            #expect(try context.count("Account") == 0)
        },
        Behavior("Q2", "an unknown entity is an error of the fetch") { f in
            #expect(#expect(throws: GraphError.self) { try f.context().all("Nothing") }?.code == .unknownEntity)
        },
        Behavior("P60", "transient attributes and unknown keys are errors that name them") { f in
            #expect(
                #expect(throws: QueryError.self) { try f.context().all("Person", "scratch == 'x'") }?.key == "scratch")
            #expect(
                #expect(throws: QueryError.self) { try f.context().all("Person", "nmae == 'x'") }?.suggestions == [
                    "name"
                ])
        },
        Behavior("P61", "a to-many needs ANY, ALL or an operator") { f in
            #expect(
                #expect(throws: QueryError.self) { try f.context().all("Person", "accounts.title == 'x'") }?.code
                    == .type)
        },
        Behavior("P12", "a free variable is an error") { f in
            #expect(
                #expect(throws: QueryError.self) { try f.context().all("Person", "name == $who") }?.code
                    == .unboundVariable)
        },
        Behavior("P69", "differently composed strings differ") { f in
            let context = f.context()
            try context.saved("Tag", "word", ["e\u{301}"])
            #expect(
                try context.all("Tag", "word == '\u{e9}'").isEmpty && context.all("Tag", "word ==[d] 'e'").count == 1)
        },
        Behavior("Q16", "conveniences: all, first, find or create, delete all") { f in
            let context = f.context()
            #expect(
                try context.findOrCreate("Tag", where: "word", is: .string("a"))
                    === context.findOrCreate("Tag", where: "word", is: .string("a")))
            try context.make("Tag", ["word": "b"])
            let first: ManagedObject? = try context.first("Tag", sortedBy: [SortKey("word", ascending: false)])
            #expect(first?.text("word") == "b")
            first?.delete()
            #expect(try context.deleteAll("Tag") == 1 && context.count("Tag") == 0)
        },
    ]
}

extension FetchingBehaviors {
    @Test(arguments: requests, StoreKind.allCases) func requesting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
    @Test(arguments: results, StoreKind.allCases) func resulting(behavior: Behavior, kind: StoreKind) throws {
        try behavior.run(on: kind)
    }
}
