import CoreData
import Testing

/// Fetch requests, as the page *Core Data's behavior* numbers them.
struct FetchFactTests {
    /// Ann (20), Bob (30), Cy (no nickname) and the student Dora.
    private func people(_ kind: Facts.Kind) throws -> (Facts, NSManagedObjectContext) {
        let facts = try Facts(kind), context = facts.context()
        let ann = try context.person(["name": "Ann", "age": 20, "nickname": "n1"])
        try context.person(["name": "Bob", "age": 30, "nickname": "n2", "boss": ann])
        try context.person(["name": "Cy", "age": 30]).setValue(nil, forKey: "nickname")
        context.make("Student", ["name": "Dora", "age": 20, "nickname": "n3"])
        try context.save()
        return (facts, context)
    }

    private func request(_ format: String? = nil, sort: [String] = []) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
        return request
    }

    private func rows(_ columns: [Any], _ configure: (NSFetchRequest<NSDictionary>) -> Void = { _ in })
        -> NSFetchRequest<NSDictionary>
    {
        let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
        (rows.resultType, rows.propertiesToFetch) = (.dictionaryResultType, columns)
        configure(rows)
        return rows
    }

    private func column(_ name: String, _ format: String, _ type: NSAttributeType = .integer64AttributeType)
        -> NSExpressionDescription
    {
        let column = NSExpressionDescription()
        (column.name, column.expression, column.expressionResultType) = (name, NSExpression(format: format), type)
        return column
    }

    @Test func defaults_Q1_Q55() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
        #expect(request.resultType == .managedObjectResultType && request.includesSubentities)
        #expect(request.includesPendingChanges && request.includesPropertyValues && request.returnsObjectsAsFaults)
        #expect(!request.returnsDistinctResults && !request.shouldRefreshRefetchedObjects)
        #expect(request.propertiesToGroupBy == nil && request.havingPredicate == nil)
        #expect(NSFetchRequestResultType.managedObjectIDResultType.rawValue == 1)
        #expect(NSFetchRequestResultType.dictionaryResultType.rawValue == 2)
        #expect(NSFetchRequestResultType.countResultType.rawValue == 4)
        (request.fetchLimit, request.includesSubentities) = (3, false)
        let copy = try #require(request.copy() as? NSFetchRequest<NSManagedObject>)
        #expect(copy !== request && copy.fetchLimit == 3 && !copy.includesSubentities)
    }

    @Test func requestsWithoutAnEntityOrAStoreFail_Q2_Q3() throws {
        let context = try Facts(.inMemory).context()
        let unknown = NSFetchRequest<NSManagedObject>(entityName: "Nobody")
        #expect(failure { _ = try context.fetch(unknown) } != nil)
        let empty = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        empty.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Facts.model())
        #expect(failure { _ = try empty.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")) } != nil)
    }

    @Test(arguments: Facts.Kind.allCases)
    func unsavedChangesTakePart_Q4_Q5_Q6_Q7_Q8_Q10_Q11_Q12_Q37_Q38(kind: Facts.Kind) throws {
        let (_, context) = try people(kind)
        #expect(try context.names().count == 4)
        let all = request()
        all.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        #expect(try context.count(for: all) == 4)
        try context.all("Person", "name == 'Ann'").first?.setValue(30, forKey: "age")
        try context.all("Person", "name == 'Bob'").first?.setValue(31, forKey: "age")
        context.delete(try #require(context.all("Person", "name == 'Cy'").first))
        let new = try context.person(["name": "Eve", "age": 30])
        context.make("Student", ["name": "Flo", "age": 30])
        #expect(try context.names("age == 30") == ["Ann", "Eve", "Flo"])
        let thirty = request("age == 30", sort: ["name"])
        #expect(try context.count(for: thirty) == 3)
        thirty.includesSubentities = false
        #expect(try context.fetch(thirty).map { $0.text("name") } == ["Ann", "Eve"])
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
        (ids.resultType, ids.predicate) = (.managedObjectIDResultType, NSPredicate(format: "name == 'Eve'"))
        #expect(try context.fetch(ids) == [new.objectID] && new.objectID.isTemporaryID)
        thirty.includesPendingChanges = false
        let stored = try context.fetch(thirty)
        #expect(Set(stored.map { $0.text("name") }).isSubset(of: ["Bob", "Cy"]))
        #expect(stored.first { $0.text("name") == "Bob" }?.int("age") == 31)
        let number = NSFetchRequest<NSNumber>(entityName: "Person")
        number.resultType = .countResultType
        #expect(try context.fetch(number) == [5])
        let values = rows(["name"])
        values.includesPendingChanges = false
        #expect(try context.fetch(values).count == 4)
        #expect(
            try context.names("SELF == %@", [new]) == ["Eve"] && context.names("SELF == %@", [new.objectID]) == ["Eve"])
    }

    @Test(arguments: Facts.Kind.allCases)
    func windowsAndOrders_Q9_Q15_Q16_Q17_Q18_Q32(kind: Facts.Kind) throws {
        let (_, context) = try people(kind)
        let window = request(sort: ["age", "name"])
        (window.fetchOffset, window.fetchLimit) = (1, 2)
        #expect(try context.fetch(window).map { $0.text("name") } == ["Dora", "Bob"])
        #expect(try context.count(for: window) == 2)
        try context.person(["name": "Cleo", "age": 20])
        #expect(try context.fetch(window).map { $0.text("name") } == ["Cleo", "Dora"])
        #expect(try context.fetch(request(sort: ["nickname"])).first?.text("name") == "Cy")
        let path = request(sort: ["boss.name"])
        #expect(try context.fetch(path).last?.text("name") == "Bob")
        let insensitive = request()
        insensitive.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: false, selector: Selector("caseInsensitiveCompare:"))
        ]
        #expect(try context.fetch(insensitive).first?.text("name") == "Dora")
    }

    @Test(arguments: Facts.Kind.allCases)
    func rowsOfValues_Q19_Q20_Q21_Q22_Q23_Q24_Q28(kind: Facts.Kind) throws {
        let (_, context) = try people(kind)
        let plain = NSFetchRequest<NSDictionary>(entityName: "Person")
        (plain.resultType, plain.predicate) = (.dictionaryResultType, NSPredicate(format: "name == 'Cy'"))
        let row = try #require(context.fetch(plain).first)
        #expect(row["name"] as? String == "Cy" && row["nickname"] == nil && row["pets"] == nil)
        let bosses = rows(["name", "boss"]) { $0.predicate = NSPredicate(format: "name == 'Bob'") }
        #expect(try context.fetch(bosses).first?["boss"] is NSManagedObjectID)
        let ages = rows(["age"]) { $0.returnsDistinctResults = true }
        #expect(try Set(context.fetch(ages).compactMap { $0["age"] as? Int }) == [20, 30])
        let total = rows([column("total", "sum:(age)"), column("most", "max:(name)", .stringAttributeType)])
        let result = try context.fetch(total)
        #expect(result.count == 1 && result[0]["total"] as? Int == 100 && result[0]["most"] as? String == "Dora")
        total.predicate = NSPredicate(format: "name == 'nobody'")
        let none = try context.fetch(total)
        #expect(none.isEmpty || none[0]["most"] == nil && (none[0]["total"] as? Int ?? 0) == 0)
    }
}

extension FetchFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func groups_Q25_Q26_Q27(kind: Facts.Kind) throws {
        let (_, context) = try people(kind)
        let mean = column("mean", "average:(age)", .doubleAttributeType), count = column("count", "count:(name)")
        let groups = rows(["age", count, mean]) {
            $0.propertiesToGroupBy = ["age"]
            $0.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        }
        #expect(try context.fetch(groups).map { $0["count"] as? Int } == [2, 2])
        #expect(try context.fetch(groups).map { $0["mean"] as? Double } == [20, 30])
        groups.havingPredicate = NSPredicate(format: "$mean > 25")
        #expect(try context.fetch(groups).map { $0["age"] as? Int } == [30])
        let averaged = try context.fetch(rows([column("mean", "average:(age)", .doubleAttributeType)]))
        #expect(averaged.first?["mean"] as? Double == 25)
    }

    @Test(arguments: Facts.Kind.allCases)
    func batchesAndPrefetching_Q29_Q30_Q31(kind: Facts.Kind) throws {
        let (facts, _) = try people(kind), context = facts.context()
        let batched = request(sort: ["name"])
        (batched.fetchBatchSize, batched.fetchLimit) = (2, 3)
        #expect(try context.fetch(batched).map { $0.text("name") } == ["Ann", "Bob", "Cy"])
        batched.relationshipKeyPathsForPrefetching = ["boss", "pets"]
        #expect(try context.fetch(batched).map { $0.text("name") } == ["Ann", "Bob", "Cy"])
    }

    @Test func storesOfARequest_Q13_Q14() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        let second = try facts.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let one = try context.person(["name": "z"]), two = try context.person(["name": "a"])
        context.assign(two, to: second)
        context.assign(one, to: facts.coordinator.persistentStores[0])
        try context.save()
        let request = request()
        #expect(try context.fetch(request).map { $0.text("name") } == ["z", "a"])
        request.affectedStores = [second]
        #expect(try context.fetch(request).map { $0.text("name") } == ["a"])
    }

    @Test func templatesAndFetchedProperties_Q33_Q34_Q35() throws {
        let model = Facts.model(), person = try #require(model.entitiesByName["Person"])
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        template.predicate = NSPredicate(format: "age == $AGE")
        model.setFetchRequestTemplate(template, forName: "ofAge")
        let peers = NSFetchedPropertyDescription(),
            fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
        fetch.predicate = NSPredicate(format: "age == $FETCH_SOURCE.age")
        (peers.name, peers.fetchRequest) = ("peers", fetch)
        person.properties.append(peers)
        let context = try Facts(.sqlite, model: model).context()
        let ann = try context.person(["name": "Ann", "age": 20])
        try context.person(["name": "Bob", "age": 20])
        try context.person(["name": "Cy", "age": 30])
        try context.save()
        let made = try #require(model.fetchRequestFromTemplate(withName: "ofAge", substitutionVariables: ["AGE": 20]))
        #expect(try context.fetch(made).count == 2)
        #expect(model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]) == nil)
        #expect((ann.value(forKey: "peers") as? [NSManagedObject])?.count == 2)
    }

    @Test(arguments: Facts.Kind.allCases)
    func anAsynchronousFetchGivesTheSame_Q36(kind: Facts.Kind) async throws {
        let (facts, _) = try people(kind), context = facts.context()
        let names = await withCheckedContinuation { continuation in
            let request = NSAsynchronousFetchRequest(fetchRequest: request(sort: ["name"])) { result in
                continuation.resume(returning: result.finalResult?.map { $0.text("name") } ?? [])
            }
            context.performAndWait { _ = try? context.execute(request) }
        }
        #expect(names == ["Ann", "Bob", "Cy", "Dora"])
    }
}
