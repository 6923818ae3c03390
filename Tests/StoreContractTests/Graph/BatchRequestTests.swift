import ObjectGraph
import Query
import Schema
import Testing

/// Batch requests in the store (B1–B11).
struct BatchRequestTests {
    private func accounts(_ fixture: GraphFixture, _ count: Int = 10) throws -> (ManagedObjectContext, [ManagedObject])
    {
        let context = fixture.context()
        let accounts = try (0..<count).map {
            try context.make($0 % 3 == 0 ? "Savings" : "Account", ["title": "a\($0)", "balance": $0])
        }
        try context.save()
        return (context, accounts)
    }

    // MARK: Updating

    @Test(arguments: StoreKind.allCases) func constantsAreSetWithoutAnyContextSeeingIt_B1_B3(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, accounts) = try accounts(fixture)
            var request = BatchUpdateRequest(entityName: "Account")
            request.predicate = try FetchPredicate(format: "balance >= 5")
            request.propertiesToUpdate = ["note": .constant(.string("rich")), "color": .constant(.null)]
            let result = try context.execute(request)
            #expect(result.count == 5 && Set(result.objectIDs) == Set(accounts[5...].map(\.objectID)))
            #expect(accounts.allSatisfy { $0["note"] == nil } && !context.hasChanges)
            context.mergeChanges(from: result.changes)
            #expect(
                accounts.map { $0.text("note") } == [nil, nil, nil, nil, nil, "rich", "rich", "rich", "rich", "rich"])
            #expect(try fixture.reopened().all("Account", "note == 'rich'").count == 5)
        }
    }

    @Test(arguments: StoreKind.allCases) func valuesAreComputedFromTheObject_B5(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, _) = try accounts(fixture)
            var request = BatchUpdateRequest(entityName: "Account")
            request.propertiesToUpdate = [
                "balance": .function("add:to:", [.keyPath("balance"), .constant(.int(100))]), "note": .keyPath("title"),
                "title": .function("uppercase:", [.keyPath("title")]),
            ]
            #expect(try context.execute(request).count == 10)
            let all = try fixture.reopened().all("Account")
            #expect(all.map { $0.number("balance") ?? 0 }.sorted() == Array(100..<110))
            #expect(
                Set(all.map { $0.text("note") ?? "" }) == Set((0..<10).map { "a\($0)" })
                    && all.contains { $0.text("title") == "A7" })
        }
    }

    @Test(arguments: StoreKind.allCases) func subentitiesComeAlongUnlessNotAsked_B4(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, _) = try accounts(fixture)
            var request = BatchUpdateRequest(entityName: "Account")
            request.includesSubentities = false
            request.propertiesToUpdate = ["note": .constant(.string("plain"))]
            #expect(try context.execute(request).count == 6)
            #expect(try fixture.reopened().all("Savings").allSatisfy { $0["note"] == nil })
        }
    }

    @Test(arguments: StoreKind.allCases) func aToOneIsSetByItsID_B5(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, _) = try accounts(fixture, 4)
            let person = try context.make("Person", ["name": "Ada"])
            try context.save()
            var request = BatchUpdateRequest(entityName: "Account")
            request.propertiesToUpdate = ["owner": .constant(.object(person.objectID))]
            context.mergeChanges(from: try context.execute(request).changes)
            #expect(try fixture.reopened().one("Person").texts("accounts", "title") == ["a0", "a1", "a2", "a3"])
            request.propertiesToUpdate = ["owner": .constant(.null)]
            _ = try context.execute(request)
            #expect(try fixture.reopened().one("Person").texts("accounts", "title").isEmpty)
        }
    }
}

extension BatchRequestTests {
    @Test(arguments: StoreKind.allCases) func anUpdateRaisesVersionsSoThatEditsConflict_S9(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, accounts) = try accounts(fixture, 1)
            accounts[0]["title"] = "mine"
            var request = BatchUpdateRequest(entityName: "Account")
            request.propertiesToUpdate = ["title": .constant(.string("batch"))]
            _ = try context.execute(request)
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    @Test(arguments: StoreKind.allCases) func wrongRequestsAreRefused_B5_B10(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, _) = try accounts(fixture)
            func code(_ values: [String: QueryExpression]) -> GraphError.Code? {
                var request = BatchUpdateRequest(entityName: "Account")
                request.propertiesToUpdate = values
                do { _ = try context.execute(request) } catch { return (error as? GraphError)?.code }
                return nil
            }
            #expect(code(["nothing": .constant(.null)]) == .unknownKey)
            #expect(code(["tags": .constant(.list([]))]) == .wrongType)
            #expect(code(["balance": .constant(.string("x"))]) == .wrongType)
            #expect(throws: GraphError.self) { try context.execute(BatchUpdateRequest(entityName: "Nothing")) }
            #expect(try fixture.reopened().all("Account", "balance < 10").count == 10)
        }
    }

    @Test(arguments: StoreKind.allCases) func aViolatedConstraintChangesNothing_B10(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            for word in ["a", "b", "c"] { try context.make("Tag", ["word": word]) }
            try context.save()
            var request = BatchUpdateRequest(entityName: "Tag")
            request.propertiesToUpdate = ["word": .constant(.string("same"))]
            let error = #expect(throws: GraphError.self) { try context.execute(request) }
            #expect(error?.code == .constraint)
            #expect(try fixture.reopened().all("Tag").map { $0.text("word") ?? "" }.sorted() == ["a", "b", "c"])
        }
    }
}

extension BatchRequestTests {
    // MARK: Deleting

    @Test(arguments: StoreKind.allCases) func matchingObjectsAreDeleted_B1_B3(kind: StoreKind) throws {  // B2
        try GraphFixture.run(kind) { fixture in
            let (context, accounts) = try accounts(fixture)
            var request = BatchDeleteRequest(entityName: "Account")
            request.predicate = try FetchPredicate(format: "balance < 4")
            let result = try context.execute(request)
            #expect(
                Set(result.objectIDs) == Set(accounts[..<4].map(\.objectID))
                    && result.changes.deleted == Set(result.objectIDs))
            #expect(accounts.allSatisfy { !$0.isDeleted })
            context.mergeChanges(from: result.changes)
            #expect(accounts[..<4].allSatisfy { $0.isDeleted })
            try context.save()
            #expect(try fixture.reopened().all("Account").count == 6)
        }
    }

    @Test(arguments: StoreKind.allCases) func aWindowDecidesWhichAreDeleted_B4(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, _) = try accounts(fixture)
            var request = BatchDeleteRequest(entityName: "Account")
            request.sortDescriptors = [SortKey("balance", ascending: false)]
            request.fetchOffset = 1
            request.fetchLimit = 3
            #expect(try context.execute(request).count == 3)
            #expect(
                try fixture.reopened().all("Account").map { $0.number("balance") ?? 0 }.sorted() == [
                    0, 1, 2, 3, 4, 5, 9,
                ])
            request = BatchDeleteRequest(entityName: "Savings")
            _ = try context.execute(request)
            #expect(try fixture.reopened().all("Account").map { $0.number("balance") ?? 0 }.sorted() == [1, 2, 4, 5])
        }
    }

    @Test(arguments: StoreKind.allCases) func deleteRulesHold_B6(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let ada = try context.make("Person", ["name": "Ada"]), grace = try context.make("Person", ["name": "Grace"])
            ada["friends"] = Set([grace])
            let pupil = try context.make("Person", ["name": "Pupil", "mentor": ada])
            try context.make("Card", ["bank": "x", "person": ada])
            let account = try context.make("Account", ["owner": ada]),
                other = try context.make("Account", ["owner": grace])
            let tag = try context.make("Tag", ["word": "t"])
            tag["accounts"] = Set([account, other])
            for text in ["1", "2"] { try context.make("Entry", ["text": text, "account": account]) }
            try context.save()
            var request = BatchDeleteRequest(entityName: "Person")
            request.predicate = try FetchPredicate(format: "name == 'Ada'")
            let result = try context.execute(request)
            #expect(result.objectIDs == [ada.objectID])
            #expect(
                Set(result.changes.deleted.map { $0.entity.name }) == ["Person", "Card", "Account", "Entry"]
                    && result.changes.deleted.count == 5)
            #expect(result.changes.updated.contains(pupil.objectID))
            let again = try fixture.reopened()
            #expect(try again.all("Entry").isEmpty && again.all("Card").isEmpty && again.all("Account").count == 1)
            #expect(try again.one("Person", "name == 'Pupil'").target("mentor") == nil)
            #expect(try again.one("Person", "name == 'Grace'").texts("friends", "name").isEmpty)
            #expect((try again.one("Tag")["accounts"] as? Set<ManagedObject>)?.count == 1)
        }
    }
}

extension BatchRequestTests {
    @Test(arguments: StoreKind.allCases) func objectsAreDeletedByTheirIDs_B7(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let (context, accounts) = try accounts(fixture)
            let result = try context.execute(
                try BatchDeleteRequest(objectIDs: [accounts[0].objectID, accounts[1].objectID]))
            #expect(Set(result.objectIDs) == Set(accounts[..<2].map(\.objectID)))
            let tag = try context.make("Tag", [:])
            #expect(throws: GraphError.self) { try BatchDeleteRequest(objectIDs: [tag.objectID]) }
            try context.save()
            #expect(throws: GraphError.self) {
                try BatchDeleteRequest(objectIDs: [tag.objectID, accounts[3].objectID])
            }
            #expect(throws: GraphError.self) { try BatchDeleteRequest(objectIDs: []) }
            #expect(try fixture.reopened().all("Account").count == 8)
        }
    }

    @Test(arguments: StoreKind.allCases) func aDenyingRuleRefusesTheBatch_B6(kind: StoreKind) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Shelf", attributes: [.init("name", .string)],
                relationships: [.init("books", to: "Book", inverse: "shelf", maxCount: 0, deleteRule: .deny)]),
            EntityDefinition(
                "Book", attributes: [.init("title", .string)],
                relationships: [
                    .init("shelf", to: "Shelf", inverse: "books"),
                    .init("pages", to: "Page", inverse: "book", maxCount: 0),
                ]),
            EntityDefinition("Page", relationships: [.init("book", to: "Book", inverse: "pages", isOptional: false)]),
        ])
        try GraphFixture.run(kind, model: model) { fixture in
            let context = fixture.context()
            let shelf = try context.make("Shelf", ["name": "full"])
            try context.make("Shelf", ["name": "empty"])
            let book = try context.make("Book", ["title": "b", "shelf": shelf])
            try context.make("Page", ["book": book])
            try context.save()
            let denied = #expect(throws: GraphError.self) {
                try context.execute(BatchDeleteRequest(entityName: "Shelf"))
            }
            #expect(denied?.code == .constraint)
            // What stays would lose a mandatory relationship.
            let mandatory = #expect(throws: GraphError.self) {
                try context.execute(BatchDeleteRequest(entityName: "Book"))
            }
            #expect(mandatory?.code == .constraint)
            let again = try fixture.reopened()
            #expect(
                try again.all("Shelf").count == 2 && again.all("Book").count == 1
                    && again.one("Page").target("book") != nil)
            var request = BatchDeleteRequest(entityName: "Shelf")
            request.predicate = try FetchPredicate(format: "name == 'empty'")
            #expect(try context.execute(request).count == 1)
        }
    }
}

extension BatchRequestTests {
    // MARK: Inserting

    @Test(arguments: StoreKind.allCases) func objectsAreInsertedFromDictionaries_B8(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let person = try context.make("Person", ["name": "Ada"])
            try context.save()
            var next = 0
            let result = try context.execute(
                BatchInsertRequest(entityName: "Savings") { values in
                    if next == 100 { return true }
                    values["title"] = "s\(next)"
                    values["rate"] = Double(next) / 2
                    values["owner"] = person.objectID
                    next += 1
                    return false
                })
            #expect(result.count == 100 && result.changes.inserted == Set(result.objectIDs) && !context.hasChanges)
            let again = try fixture.reopened()
            #expect(try again.all("Savings", "balance == 0").count == 100)
            #expect((try again.one("Person")["accounts"] as? Set<ManagedObject>)?.count == 100)
            #expect(try again.one("Savings", "title == 's7'")["rate"] as? Double == 3.5)
        }
    }

    /// Objects that the inserted ones lead to change, and are not inserted.
    @Test(arguments: StoreKind.allCases) func onlyInsertedObjectsAreCountedAsInserted_B8(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            let mentor = try context.make("Person", ["name": "Ada"])
            try context.save()
            let result = try context.execute(
                BatchInsertRequest(
                    entityName: "Person", objects: ["C", "A", "B"].map { ["name": $0, "mentor": mentor.objectID] }))
            #expect(result.count == 3 && !result.objectIDs.contains(mentor.objectID))
            let again = try fixture.reopened()
            #expect(
                try result.objectIDs.map { try again.existingObject(with: $0)["name"] as? String } == ["C", "A", "B"])
        }
    }

    @Test(arguments: StoreKind.allCases) func aBatchThatFailsInsertsNothing_B9(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context()
            try context.make("Tag", ["word": "a"])
            try context.save()
            let twice = #expect(throws: GraphError.self) {
                try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["word": "b"], ["word": "a"]]))
            }
            #expect(twice?.code == .constraint)
            let unknown = #expect(throws: GraphError.self) {
                try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["word": "c"], ["wort": "d"]]))
            }
            #expect(unknown?.code == .unknownKey)
            let wrong = #expect(throws: GraphError.self) {
                try context.execute(BatchInsertRequest(entityName: "Tag", objects: [["word": 5]]))
            }
            #expect(wrong?.code == .wrongType)
            #expect(try fixture.reopened().all("Tag").count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func aBatchWithKnownValuesFollowsTheMergePolicy_B11(kind: StoreKind) throws {
        try GraphFixture.run(kind) { fixture in
            let context = fixture.context(.mergeByPropertyObjectTrump)
            let tag = try context.make("Tag", ["word": "a", "weight": 1, "comment": "old"])
            try context.save()
            let result = try context.execute(
                BatchInsertRequest(
                    entityName: "Tag", objects: [["word": "a", "weight": 2], ["word": "b", "weight": 3]]))
            #expect(result.count == 2 && result.changes.updated == [tag.objectID] && result.changes.inserted.count == 1)
            let again = try fixture.reopened()
            #expect(try again.all("Tag").count == 2 && again.one("Tag", "word == 'a'").number("weight") == 2)
            context.mergeChanges(from: result.changes)
            #expect(tag.number("weight") == 2)
        }
    }
}

extension BatchRequestTests {
    @Test func hooksAndValidationTakeNoPart_B1() throws {
        try GraphFixture.run(.sqlite, classes: ["Account": LoudAccount.self]) { fixture in
            let context = fixture.context()
            _ = try context.execute(BatchInsertRequest(entityName: "Account", objects: [["title": "x"]]))
            var update = BatchUpdateRequest(entityName: "Account")
            update.propertiesToUpdate = ["balance": .constant(.int(1))]
            _ = try context.execute(update)
            _ = try context.execute(BatchDeleteRequest(entityName: "Account"))
            #expect(try fixture.reopened().all("Account").isEmpty)
        }
    }

    private final class LoudAccount: ManagedObject {
        override func awakeFromInsert() { Issue.record("a batch woke an object") }
        override func willSave() { Issue.record("a batch told an object of its save") }
        override func prepareForDeletion() { Issue.record("a batch told an object of its deletion") }
        override func validateForInsert() throws { Issue.record("a batch validated an object") }
    }
}
