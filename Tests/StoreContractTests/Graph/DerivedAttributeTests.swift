import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import TestSupport
import Testing

/// Attributes that the store computes (L52–L54), the same from every store.
struct DerivedAttributeTests {
    private func run(_ kind: StoreKind, _ body: (GraphFixture, ManagedObjectContext) throws -> Void) throws {
        try GraphFixture.run(kind, model: try DerivedModel.make()) { fixture in try body(fixture, fixture.context()) }
    }

    @Test(arguments: StoreKind.allCases) func aValueIsNilUntilTheFirstSaveAndCurrentAfterEverySave(kind: StoreKind)
        throws
    {  // L52
        try run(kind) { fixture, context in
            let department = try context.make("Department", ["name": "Tools"])
            let anna = try context.make("Employee", ["name": "Änna", "salary": 100, "department": department])
            #expect(department["headcount"] == nil && anna["folded"] == nil)
            try context.save()
            #expect(
                department.number("headcount") == 1 && department.number("payroll") == 100
                    && anna.text("folded") == "anna" && anna.text("loud") == "ÄNNA")
            #expect(
                anna.text("departmentName") == "Tools" && anna.text("quiet") == "tools"
                    && anna.number("colleagues") == 1)
            #expect(!context.hasChanges)

            let bert = try context.make("Employee", ["name": "Bert", "salary": 50, "department": department])
            #expect(department.number("headcount") == 1, "a save is what computes it")
            try context.save()
            #expect(
                department.number("headcount") == 2 && department.number("payroll") == 150
                    && anna.number("colleagues") == 2 && bert.number("colleagues") == 2)
            #expect(department["mean"] as? Double == 75 && department.text("first") == "Bert")

            department["name"] = "Machines"
            bert["salary"] = 80
            try context.save()
            #expect(anna.text("departmentName") == "Machines" && department.number("payroll") == 180)
            context.delete(anna)
            try context.save()
            #expect(
                department.number("headcount") == 1 && department.number("payroll") == 80
                    && bert.number("colleagues") == 1)

            let again = try fixture.reopened()
            let stored = try again.one("Department")
            #expect(stored.number("headcount") == 1 && stored.text("first") == "Bert")
            #expect(try again.one("Employee").text("departmentName") == "Machines")
        }
    }

    @Test(arguments: StoreKind.allCases) func everyFormFollowsItsSources(kind: StoreKind) throws {  // L53
        try run(kind) { _, context in
            let company = try context.make("Company", ["name": "Hill"])
            let tools = try context.make("Department", ["name": "Tools", "company": company]),
                books = try context.make("Department", ["name": "Books", "company": company])
            let boss = try context.make("Manager", ["name": "Cleo", "salary": 300, "department": tools])
            let anna = try context.make(
                "Employee", ["name": "Anna", "salary": 100, "bonus": 1.5, "department": tools, "leader": boss])
            let bert = try context.make(
                "Employee", ["name": "Bert", "salary": 50, "bonus": 2.5, "department": books, "leader": boss])
            let project = try context.make("Project", ["name": "Moon", "members": Set([anna, bert])])
            anna["friends"] = Set([bert, boss])
            try context.save()
            #expect(
                company.number("headcount") == 3 && boss.number("teamSize") == 2 && anna.text("leaderName") == "Cleo"
                    && bert.text("companyName") == "Hill")
            #expect(
                anna.number("friendCount") == 2 && anna.number("friendPay") == 350 && bert.number("friendPay") == 100
                    && boss.number("friendCount") == 1)
            #expect(project.number("staff") == 2 && project.number("cost") == 150 && project.text("last") == "Bert")

            bert["department"] = tools
            bert["leader"] = nil
            boss["name"] = "Dido"
            company["name"] = "Dale"
            project["members"] = Set([bert])
            anna["friends"] = Set([boss])
            try context.save()
            #expect(
                books.number("headcount") == 0 && tools.number("headcount") == 3 && tools["bonuses"] as? Double == 4
                    && books["mean"] == nil)
            #expect(
                company.number("headcount") == 3 && boss.number("teamSize") == 1 && anna.text("leaderName") == "Dido"
                    && bert["leaderName"] == nil)
            #expect(
                bert.text("companyName") == "Dale" && anna.number("friendPay") == 300 && bert.number("friendPay") == 0
                    && project.number("cost") == 50)
        }
    }
}

extension DerivedAttributeTests {
    // L53
    @Test(arguments: StoreKind.allCases) func theTimeIsThatOfTheLastSaveThatChangedTheObject(kind: StoreKind) throws {
        try run(kind) { _, context in
            let start = Date()
            let department = try context.make("Department", [:])
            let anna = try context.make("Employee", ["name": "Anna"]),
                bert = try context.make("Employee", ["name": "Bert"])
            try context.save()
            let first = try #require(anna["changed"] as? Date), other = try #require(bert["changed"] as? Date)
            #expect(first >= start.addingTimeInterval(-0.001) && first <= Date().addingTimeInterval(0.001))
            anna["name"] = "Anne"
            try context.save()
            let second = try #require(anna["changed"] as? Date)
            #expect(second > first && bert["changed"] as? Date == other)
            // A derived value of its own is no change of an object.
            bert["department"] = department
            try context.save()
            department["name"] = "Tools"
            let third = try #require(bert["changed"] as? Date)
            try context.save()
            #expect(bert.text("departmentName") == "Tools" && bert["changed"] as? Date == third)
        }
    }

    @Test(arguments: StoreKind.allCases) func derivedValuesStandInPredicatesAndOrders(kind: StoreKind) throws {  // L53
        try run(kind) { _, context in
            for (name, count) in [("A", 3), ("B", 0), ("C", 5)] {
                let department = try context.make("Department", ["name": name])
                for number in 0..<count {
                    try context.make("Employee", ["name": "Émile \(number)", "department": department])
                }
            }
            try context.save()
            #expect(try context.all("Department", "headcount > 2").map { $0.text("name") }.count == 2)
            #expect(try context.all("Employee", "folded BEGINSWITH 'emile'").count == 8)
            var request = FetchRequest<ManagedObject>(entityName: "Department")
            request.sortDescriptors = [SortKey("headcount", ascending: false)]
            #expect(try context.fetch(request).map { $0.text("name") } == ["C", "A", "B"])
        }
    }

    @Test(arguments: StoreKind.allCases) func whatIsSetInPlaceOfADerivedValueIsNotSaved(kind: StoreKind) throws {
        try run(kind) { fixture, context in
            let department = try context.make("Department", ["name": "Tools", "headcount": 77])
            try context.save()
            #expect(department.number("headcount") == 0)
            department["headcount"] = 99
            department["name"] = "Machines"
            try context.save()
            #expect(try fixture.reopened().one("Department").number("headcount") == 0)
        }
    }

    // L54
    @Test(arguments: StoreKind.allCases) func aMandatoryDerivedAttributeFailsTheFirstSave(kind: StoreKind) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book",
                attributes: [.init("pagesCount", .integer64, isOptional: false, derivationExpression: "pages.@count")],
                relationships: [.init("pages", to: "Page", inverse: "book", maxCount: 0)]),
            EntityDefinition("Page", relationships: [.init("book", to: "Book", inverse: "pages")]),
        ])
        try GraphFixture.run(kind, model: model) { fixture in
            let context = fixture.context()
            try context.insert("Book")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .missingMandatoryProperty)
        }
    }
}

extension DerivedAttributeTests {
    // L53
    @Test(arguments: StoreKind.allCases) func whatNoStoreCanDeriveIsRefusedWithTheReason(kind: StoreKind) throws {
        func refusal(_ text: String, _ type: AttributeType = .integer64) throws -> String {
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Book", attributes: [.init("title", .string), .init("made", type, derivationExpression: text)],
                    relationships: [.init("pages", to: "Page", inverse: "book", maxCount: 0)]),
                EntityDefinition(
                    "Page", attributes: [.init("words", .integer64)],
                    relationships: [.init("book", to: "Book", inverse: "pages")]),
            ])
            let error = #expect(throws: StorageError.self, "\(text)") {
                try GraphFixture.run(kind, model: model) { _ in }
            }
            #expect(error?.code == .unsupported && error?.entities == ["Book"] && error?.keys == ["made"], "\(text)")
            return error?.message ?? ""
        }
        #expect(try refusal("pages.@sum.words").contains("the operator @sum must stand at the end"))
        #expect(try refusal("pages.wrods.@sum").contains("one attribute of Page"))
        #expect(try refusal("titel", .string).contains("did you mean \"title\"?"))
        #expect(try refusal("title").contains("it is of type Integer 64, and its source of type String"))
        #expect(try refusal("made").contains("of itself"))
        #expect(try refusal("pages").contains("end the path with @count"))
        #expect(try refusal("1 + 2").contains("no store keeps such a value"))
        #expect(try refusal("now()").contains("the time is a date"))
        #expect(try refusal("pages.words.@median").contains("no collection operator @median"))
    }

    @Test(arguments: StoreKind.allCases) func batchesBringDerivedValuesUpToDate(kind: StoreKind) throws {
        try run(kind) { fixture, context in
            let department = try context.make("Department", ["name": "Tools"])
            for salary in [10, 20, 30] {
                try context.make("Employee", ["name": "x", "salary": salary, "department": department])
            }
            try context.save()
            var update = BatchUpdateRequest(entityName: "Employee")
            update.propertiesToUpdate = ["salary": .constant(.int(5))]
            let updated = try context.execute(update)
            #expect(updated.changes.updated.contains(department.objectID))
            var raised = try fixture.context().one("Department")
            #expect(raised.number("payroll") == 15)
            var delete = BatchDeleteRequest(entityName: "Employee")
            delete.fetchLimit = 1
            let deleted = try context.execute(delete)
            #expect(deleted.changes.updated.contains(department.objectID))
            raised = try fixture.context().one("Department")
            #expect(raised.number("headcount") == 2 && raised.number("payroll") == 10)
        }
    }

    @Test(arguments: StoreKind.allCases) func contextsThatFollowSavesShowWhatTheyDerived(kind: StoreKind) throws {
        try run(kind) { fixture, context in
            let department = try context.make("Department", ["name": "Tools"])
            try context.save()
            let other = fixture.context()
            other.automaticallyMergesChangesFromParent = true
            let same = try other.same(department)
            #expect(same.number("headcount") == 0)
            try context.make("Employee", ["name": "Anna", "department": department])
            try context.save()
            other.processPendingChanges()
            #expect(same.number("headcount") == 1)
        }
    }
}

extension DerivedAttributeTests {
    /// Any edits whatever: what the store has is what the objects' own values make.
    @Test(arguments: StoreKind.allCases) func afterRandomEditsEveryValueIsWhatItsSourcesMake(kind: StoreKind) throws {
        try run(kind) { fixture, context in
            var edits = RandomEdits(seed: 7)
            for round in 0..<25 {
                try edits.run(in: context)
                try context.save()
                try check(context, fixture.model, "round \(round)")
                if round % 8 == 7 { try check(try fixture.reopened(), fixture.model, "read again in round \(round)") }
            }
        }
    }

    private func check(_ context: ManagedObjectContext, _ model: ManagedObjectModel, _ place: String) throws {
        for derivation in try Derivation.all(in: model) where derivation.form != .now {
            for object in try context.all(model.entities[derivation.entityIndex].name) {
                let expected = try derivation.value(for: object, now: Date())
                let found = try object.propertyValue(forKey: derivation.property.name)
                if case (.double(let a), .double(let b)) = (expected, found), abs(a - b) < 1e-9 { continue }
                #expect(
                    found == expected,
                    "\(place): \(object.entity.name).\(derivation.property.name) of \(object.text("name") ?? "")")
            }
        }
    }
}

/// Edits of everything that derived attributes are made of.
private struct RandomEdits {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private var generator: Generator
    private var count = 0

    init(seed: UInt64) { generator = Generator(state: seed) }

    mutating func run(in context: ManagedObjectContext) throws {
        for _ in 0..<12 { try edit(context) }
    }

    private mutating func pick(_ entity: String, _ context: ManagedObjectContext) throws -> ManagedObject? {
        try context.all(entity).sorted { ($0.text("name") ?? "") < ($1.text("name") ?? "") }.randomElement(
            using: &generator)
    }

    private mutating func edit(_ context: ManagedObjectContext) throws {
        count += 1
        let entity =
            ["Company", "Department", "Employee", "Employee", "Manager", "Project"].randomElement(using: &generator)
            ?? "Employee"
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3: try context.make(entity, ["name": "\(entity) É\(count)"])
        case 3: if let object = try pick(entity, context) { context.delete(object) }
        case 4: if let object = try pick(entity, context) { object["name"] = "\(entity) ñ\(count)" }
        case 5:
            guard let employee = try pick("Employee", context) else { return }
            employee["salary"] = Int.random(in: 0..<1000, using: &generator)
            employee["bonus"] = Bool.random(using: &generator) ? Double(count) / 4 : nil
            employee["born"] = Date(timeIntervalSinceReferenceDate: Double(count) * 1000)
        case 6: try pick("Employee", context)?["department"] = try pick("Department", context)
        case 7:
            try pick("Department", context)?["company"] = try pick("Company", context)
            try pick("Employee", context)?["leader"] = try pick("Manager", context)
        case 8: try toggle("Project", "members", context)
        default: try toggle("Employee", "friends", context)
        }
    }

    private mutating func toggle(_ entity: String, _ key: String, _ context: ManagedObjectContext) throws {
        guard let owner = try pick(entity, context), let member = try pick("Employee", context),
            var members = owner[key] as? Set<ManagedObject>
        else { return }
        if members.remove(member) == nil { members.insert(member) }
        owner[key] = members
    }
}
