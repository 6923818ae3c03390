import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import TestSupport
import Testing

/// Rows of values instead of objects: Core Data's dictionary results (Q7, Q19–Q28), the same from
/// every store.
struct ValuesContractTests {
    /// Five books of two people, and an atlas of nobody.
    private func withBooks(_ kind: StoreKind, _ body: (ManagedObjectContext) throws -> Void) throws {
        try ContractFixture.run(kind) { fixture in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: fixture.model, classes: [:], factories: [])
            coordinator.add(fixture.store)
            let context = ManagedObjectContext(coordinator)
            let people = try ["Frank", "Ursula"].map { name in
                let person = try context.insert("Person")
                person["name"] = name
                return person
            }
            let books: [(String, Int?, String?, Int?)] = [
                ("Dune", 1965, "9.50", 0), ("Dune Messiah", 1969, "7.25", 0), ("The Dispossessed", 1974, "8", 1),
                ("Earthsea", nil, "8", 1), ("Rocannon", 1966, nil, 1),
            ]
            for (title, code, price, owner) in books {
                let book = try context.insert("Book")
                book["title"] = title
                book["code"] = code
                book["price"] = price.flatMap { Decimal(string: $0) }
                book["owner"] = owner.map { people[$0] }
                book["authors"] = Set(owner.map { [people[$0]] } ?? [])
            }
            try context.insert("Atlas")["title"] = "World"
            try context.save()
            try body(context)
        }
    }

    private func request(_ columns: [FetchColumn], sort: [SortKey] = [], where format: String? = nil) throws
        -> FetchRequest<[String: PropertyValue]>
    {
        var request = FetchRequest<[String: PropertyValue]>(entityName: "Book")
        request.propertiesToFetch = columns
        request.sortDescriptors = sort
        request.predicate = try format.map { try FetchPredicate(format: $0) }
        return request
    }

    private func column(_ name: String, _ format: String, as type: AttributeType? = nil) throws -> FetchColumn {
        .expression(try ExpressionDescription(name, format: format, expressionResultType: type))
    }

    @Test(arguments: StoreKind.allCases) func rowsHaveTheColumnsAskedForAndNoNils(kind: StoreKind) throws {
        try withBooks(kind) { context in
            let rows = try context.fetch(request(["title", "owner.name", "code"], sort: [SortKey("title")]))
            #expect(
                rows.map { $0["title"] }
                    == ["Dune", "Dune Messiah", "Earthsea", "Rocannon", "The Dispossessed", "World"].map { .string($0) }
            )
            #expect(rows[0] == ["title": .string("Dune"), "owner.name": .string("Frank"), "code": .int(1965)])
            #expect(rows[2] == ["title": .string("Earthsea"), "owner.name": .string("Ursula")])
            #expect(rows[5] == ["title": .string("World")])
        }
    }

    @Test(arguments: StoreKind.allCases) func withoutColumnsRowsHaveAllAttributesAndNoRelationship(kind: StoreKind)
        throws
    {  // Q19
        try withBooks(kind) { context in
            let row = try #require(try context.fetch(request([], where: "title == 'Dune'")).first)
            #expect(Set(row.keys) == ["title", "code", "price"])
            #expect(row["price"] == .decimal(Decimal(string: "9.5") ?? 0))
        }
    }

    // Q19, Q20
    @Test(arguments: StoreKind.allCases) func aToOneColumnIsAnIDAndAToManyColumnAnError(kind: StoreKind) throws {
        try withBooks(kind) { context in
            let row = try #require(try context.fetch(request(["owner", "objectID"], where: "title == 'Dune'")).first)
            guard case .object(let owner) = row["owner"], case .object(let book) = row["objectID"] else {
                Issue.record("\(row)")
                return
            }
            #expect(try context.existingObject(with: owner)["name"] as? String == "Frank")
            #expect(try context.existingObject(with: book)["title"] as? String == "Dune")
            let error = #expect(throws: QueryError.self) { try context.fetch(request(["authors"])) }
            #expect(error?.code == .type)
        }
    }
}

extension ValuesContractTests {
    @Test(arguments: StoreKind.allCases) func anObjectColumnSaysTheRealEntity(kind: StoreKind) throws {
        try withBooks(kind) { context in
            let row = try #require(try context.fetch(request(["objectID"], where: "title == 'World'")).first)
            guard case .object(let id) = row["objectID"] else {
                Issue.record("\(row)")
                return
            }
            #expect(id.entity.name == "Atlas")
        }
    }

    @Test(arguments: StoreKind.allCases) func expressionsAreComputed(kind: StoreKind) throws {
        try withBooks(kind) { context in
            let columns = [
                try column("next", "code + 1"), try column("loud", "uppercase(title)"),
                try column("authors", "authors.@count"), try column("text", "code / 2", as: .string),
            ]
            let rows = try context.fetch(request(columns, sort: [SortKey("loud")], where: "owner.name == 'Frank'"))
            #expect(
                rows[0] == ["next": .int(1966), "loud": .string("DUNE"), "authors": .int(1), "text": .string("982")])
        }
    }

    @Test(arguments: StoreKind.allCases) func anAggregateWithoutGroupsIsOneRow(kind: StoreKind) throws {  // Q27
        try withBooks(kind) { context in
            let columns = [
                try column("n", "count(SELF)"), try column("codes", "count(code)"), try column("sum", "sum(code)"),
                try column("mean", "average(code)"),
                try column("whole", "average(code)", as: .integer64), try column("first", "min(title)"),
                try column("dear", "max(price)"),
            ]
            let rows = try context.fetch(request(columns))
            #expect(
                rows == [
                    [
                        "n": .int(6), "codes": .int(4), "sum": .int(7874), "mean": .double(1968.5), "whole": .int(1968),
                        "first": .string("Dune"),
                        "dear": .decimal(Decimal(string: "9.5") ?? 0),
                    ]
                ])
            #expect(
                try context.fetch(request(columns, where: "FALSEPREDICATE")) == [
                    ["n": .int(0), "codes": .int(0), "sum": .int(0)]
                ])
            let mixed = #expect(throws: QueryError.self) { try context.fetch(request(["title", columns[0]])) }
            #expect(mixed?.code == .type)
        }
    }

    @Test(arguments: StoreKind.allCases) func groupsHaveOneRowEach(kind: StoreKind) throws {
        try withBooks(kind) { context in
            var grouped = try request(
                ["owner.name", column("n", "count(SELF)"), column("last", "max(code)")],
                sort: [SortKey("n", ascending: false)])
            grouped.propertiesToGroupBy = ["owner.name"]
            #expect(
                try context.fetch(grouped) == [
                    ["owner.name": .string("Ursula"), "n": .int(3), "last": .int(1974)],
                    ["owner.name": .string("Frank"), "n": .int(2), "last": .int(1969)], ["n": .int(1)],
                ])
            #expect(try context.count(for: grouped) == 3)
            for condition in ["$n > 1", "n > 1", "count(SELF) > 1"] {
                grouped.havingPredicate = try FetchPredicate(format: condition)
                #expect(try context.fetch(grouped).count == 2, "\(condition)")
            }
            grouped.havingPredicate = try FetchPredicate(format: "owner.name == 'Frank' OR max(code) == nil")
            grouped.fetchLimit = 1
            #expect(try context.fetch(grouped) == [["owner.name": .string("Frank"), "n": .int(2), "last": .int(1969)]])
            grouped.havingPredicate = try FetchPredicate(format: "title == 'Dune'")
            #expect(throws: QueryError.self) { try context.fetch(grouped) }
            grouped.havingPredicate = nil
            grouped.propertiesToFetch = ["title"]
            #expect(throws: QueryError.self) { try context.fetch(grouped) }
        }
    }
}

extension ValuesContractTests {
    @Test(arguments: StoreKind.allCases) func whatAGroupedObjectLeadsToIsTheGroupsOwn(kind: StoreKind) throws {
        try withBooks(kind) { context in
            var grouped = try request(
                ["owner.name", column("n", "count(SELF)")], sort: [SortKey("owner.name")], where: "owner != nil")
            grouped.propertiesToGroupBy = ["owner"]
            #expect(
                try context.fetch(grouped) == [
                    ["owner.name": .string("Frank"), "n": .int(2)], ["owner.name": .string("Ursula"), "n": .int(3)],
                ])
        }
    }

    @Test(arguments: StoreKind.allCases) func distinctRowsComeOnce(kind: StoreKind) throws {
        try withBooks(kind) { context in
            var distinct = try request(["owner.name"], sort: [SortKey("owner.name")])
            distinct.returnsDistinctResults = true
            #expect(
                try context.fetch(distinct) == [
                    [:], ["owner.name": .string("Frank")], ["owner.name": .string("Ursula")],
                ])
            distinct.fetchOffset = 1
            distinct.fetchLimit = 1
            #expect(try context.fetch(distinct) == [["owner.name": .string("Frank")]])
            distinct.sortDescriptors = [SortKey("title")]
            #expect(throws: QueryError.self) { try context.fetch(distinct) }
        }
    }

    @Test(arguments: StoreKind.allCases) func unsavedChangesTakeNoPartInRowsOfValues(kind: StoreKind) throws {
        try withBooks(kind) { context in
            try context.insert("Book")["title"] = "Unsaved"
            let dune = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first {
                    $0["title"] as? String == "Dune"
                })
            dune["title"] = "Changed"
            let titles = try context.fetch(request(["title"], sort: [SortKey("title")])).compactMap { $0["title"] }
            #expect(
                titles
                    == ["Dune", "Dune Messiah", "Earthsea", "Rocannon", "The Dispossessed", "World"].map { .string($0) }
            )
            #expect(try context.fetch(request([column("n", "count(SELF)")])) == [["n": .int(6)]])
        }
    }

    @Test(arguments: StoreKind.allCases) func idsAndCountsSeeUnsavedChanges(kind: StoreKind) throws {
        try withBooks(kind) { context in
            var ids = FetchRequest<ManagedObjectID>(entityName: "Book")
            ids.sortDescriptors = [SortKey("title")]
            let saved = try context.fetch(ids)
            #expect(saved.count == 6 && saved.allSatisfy { !$0.isTemporaryID })
            ids.fetchOffset = 1
            ids.fetchLimit = 2
            #expect(try context.fetch(ids) == Array(saved[1...2]))
            let new = try context.insert("Book")
            new["title"] = "Dune II"
            #expect(try context.fetch(ids) == [new.objectID, saved[1]])
            #expect(try context.fetch(FetchRequest<Int>(entityName: "Book")) == [7])
            ids.includesPendingChanges = false
            #expect(try context.fetch(ids) == Array(saved[1...2]))
        }
    }

    @Test(arguments: StoreKind.allCases) func whatTheStoreCanNotComputeIsComputedInMemory(kind: StoreKind) throws {
        try withBooks(kind) { context in
            let rows = try context.fetch(
                request([column("first", "tags[authors.@count].word"), "title"], where: "tags[authors.@count] == nil"))
            #expect(rows.count == 6)
            #expect(rows.allSatisfy { Set($0.keys) == ["title"] })
        }
    }
}

extension ValuesContractTests {
    @Test(arguments: StoreKind.allCases) func moreColumnsThanSQLTakesAreMadeInMemory(kind: StoreKind) throws {
        try withBooks(kind) { context in
            let columns = (0..<2_500).map {
                FetchColumn.expression(
                    ExpressionDescription(
                        "c\($0)", .function("add:to:", [.keyPath("code"), .constant(.int(Int64($0)))])))
            }
            let rows = try context.fetch(request(columns, where: "title == 'Dune'"))
            #expect(rows.count == 1 && rows[0]["c2499"] == .int(1965 + 2499))
            var grouped = try request(["title"])
            grouped.propertiesToGroupBy = ["title"] + columns
            #expect(try context.fetch(grouped).count == 6)
        }
    }
}
