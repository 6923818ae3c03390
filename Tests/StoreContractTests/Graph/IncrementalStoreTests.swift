import Foundation
import ObjectGraph
import Query
import RowMemory
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// What an incremental store of an application's own may do beside what every store must: texts for
/// numbers, answers of its own, mistakes.
struct IncrementalStoreTests {
    private func coordinator(_ url: URL) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try GraphFixture.makeModel())
        coordinator.register(CardStore.self)
        try coordinator.addPersistentStore(PersistentStoreDescription(url: url, type: CardStore.storeType))
        return coordinator
    }

    /// Runs `body` with a new service and a store of it.
    private func run(_ body: (CardServer, PersistentStoreCoordinator, URL) throws -> Void) throws {
        let url = URL(fileURLWithPath: "/cards/\(UUID().uuidString)")
        let coordinator = try coordinator(url)
        try body(CardServer.at(url), coordinator, url)
        try coordinator.removePersistentStores()
    }

    private func fill(_ coordinator: PersistentStoreCoordinator) throws {
        let context = ManagedObjectContext(coordinator)
        for (number, title) in ["d", "b", "e", "a", "c"].enumerated() {
            let account = try context.make(
                number == 2 ? "Savings" : "Account", ["title": title, "balance": number % 2, "note": "n"])
            account["entries"] = try ["x", "y"].map { try context.make("Entry", ["text": title + $0]) }
        }
        try context.save()
    }
}

extension IncrementalStoreTests {
    // MARK: Names

    @Test func objectsThatAStoreKnowsByTextsHaveThemInTheirURIs_L27_L28() throws {
        try run { server, first, url in
            try fill(first)
            var uri = URL(fileURLWithPath: "/")
            try withContext(first) { context in
                let account = try context.one("Account", "title == 'b'")
                uri = account.objectID.uriRepresentation()
                #expect(
                    uri.absoluteString.hasPrefix(
                        "x-coredata://\(account.objectID.storeUUID)/Account/pAccount%2F%C3%A9%20"))
                let id = try #require(first.managedObjectID(forURIRepresentation: uri))
                #expect(id == account.objectID && !id.isTemporaryID)
            }
            let second = try coordinator(url)
            try withContext(second) { context in
                let id = try #require(second.managedObjectID(forURIRepresentation: uri))
                let account = try context.existingObject(with: id)
                #expect(account.text("title") == "b" && account.texts("entries", "text") == ["bx", "by"])
                #expect(id.uriRepresentation() == uri)
                #expect(
                    second.managedObjectID(
                        forURIRepresentation: uri.deletingLastPathComponent().appendingPathComponent("p")) == nil)
                let unknown = try #require(second.managedObjectID(text: "Account/pnobody"))
                #expect(throws: GraphError.self) { try context.existingObject(with: unknown) }
            }
            #expect(server.state.withLock { $0.nodes.count } == 15)
            try second.removePersistentStores()
        }
    }

    @Test func aStoreWithTextsStandsBesideAnother() throws {
        try withTemporaryDirectory { folder in
            try run { server, coordinator, url in
                let other = try coordinator.addPersistentStore(
                    PersistentStoreDescription(url: folder.appendingPathComponent("a.sqlite")))
                try fill(coordinator)
                let context = ManagedObjectContext(coordinator)
                let here = try context.make("Account", ["title": "bb"])
                try context.assign(here, to: other)
                try context.save()
                var request = FetchRequest<ManagedObject>(entityName: "Account")
                request.sortDescriptors = [SortKey("title")]
                request.fetchLimit = 3
                #expect(try context.fetch(request).map { $0.text("title") } == ["a", "b", "bb"])
                let uri = try context.one("Account", "title == 'c'").objectID.uriRepresentation()
                #expect(
                    try coordinator.managedObjectID(forURIRepresentation: uri).map {
                        try context.existingObject(with: $0).text("title")
                    } == "c")
            }
        }
    }
}

extension IncrementalStoreTests {
    // MARK: Answers

    @Test(arguments: CardServer.Answer.allCases) func aStoreIsReadPartByPart(answer: CardServer.Answer) throws {
        try run { server, coordinator, _ in
            try fill(coordinator)
            server.state.withLock { $0.answer = answer }
            let store = try #require(coordinator.stores.first)
            let entry = try #require(coordinator.managedObjectModel.entity(named: "Entry"))
            var keys: [Int64] = []
            while true {
                let part = try store.rows(.part(of: entry.index, after: keys.last, limit: 3))
                keys += (0..<part.count).map { part[$0].key }
                if part.count < 3 { break }
                try #require(keys.count <= 12, "the same parts come again")
            }
            #expect(keys.count == 10 && Set(keys).count == 10 && keys == keys.sorted())
        }
    }

    @Test(arguments: CardServer.Answer.allCases) func whatAStoreDoesNotDoItselfIsDone(answer: CardServer.Answer) throws
    {
        try run { server, coordinator, _ in
            try fill(coordinator)
            server.state.withLock { $0.answer = answer }
            let context = ManagedObjectContext(coordinator)
            func titles(
                _ format: String?, _ entity: String = "Account",
                _ change: (inout FetchRequest<ManagedObject>) -> Void = { _ in }
            ) throws -> [String] {
                try context.found(entity, format, by: "title", change)
            }
            #expect(try titles(nil) == ["a", "b", "c", "d", "e"])
            #expect(try titles(nil, "Savings") == ["e"])
            #expect(try titles(nil) { $0.includesSubentities = false } == ["a", "b", "c", "d"])
            #expect(try titles("balance == 0") == ["c", "d", "e"])
            #expect(
                try titles("balance == 0") {
                    $0.fetchOffset = 1; $0.fetchLimit = 1
                } == ["d"])
            #expect(try titles("title > 'b' AND ANY entries.text ENDSWITH 'y'") { $0.fetchLimit = 2 } == ["c", "d"])
            #expect(try context.count("Account") == 5)
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.predicate = try FetchPredicate(format: "balance == 1")
            #expect(try context.count(for: request) == 2)
            // What is new and not saved is among it, and what is deleted is not.
            try context.make("Account", ["title": "aa", "balance": 0])
            context.delete(try context.one("Account", "title == 'c'"))
            #expect(try titles("balance == 0") { $0.fetchLimit = 2 } == ["aa", "d"])
        }
    }

    @Test func aCompleteAnswerWithValuesNeedsNoOtherRequest() throws {
        try run { server, coordinator, _ in
            try fill(coordinator)
            func asked(_ answer: CardServer.Answer, _ body: (ManagedObjectContext) throws -> Void) throws -> Int {
                server.state.withLock { ($0.answer, $0.valueRequests) = (answer, 0) }
                try withContext(coordinator) { try body($0) }
                return server.state.withLock { $0.valueRequests }
            }
            let fetch: (ManagedObjectContext) throws -> Void = { context in
                let found = try context.found("Account", "balance == 0", by: "title") { request in
                    request.fetchLimit = 2
                }
                #expect(found == ["c", "d"])
            }
            #expect(try asked(.completeWithValues, fetch) == 0)
            #expect(try asked(.complete, fetch) == 2)
            #expect(try asked(.candidates, fetch) == 5)
            let counting = try asked(.complete) { context in
                let count = try context.count("Account")
                #expect(count == 5)
            }
            #expect(counting == 0)
        }
    }
}

extension IncrementalStoreTests {
    // MARK: Saving

    @Test func aSaveSaysWhatChangedAndNothingElse() throws {
        try run { server, coordinator, _ in
            try fill(coordinator)
            let context = ManagedObjectContext(coordinator)
            let account = try context.one("Account", "title == 'b'")
            account["title"] = "bb"
            let entry = try #require((account["entries"] as? [ManagedObject])?.first)
            context.delete(entry)
            let deletedID = entry.objectID
            try context.save()
            let save = try #require(server.state.withLock { $0.lastSave })
            #expect(
                save.insertedObjects.isEmpty && save.metadata == nil
                    && save.deletedObjects.map(\.objectID) == [deletedID])
            #expect(save.updatedObjects.map(\.node.objectID) == [account.objectID])
            let updated = try #require(save.updatedObjects.first)
            #expect(
                updated.changedKeys == ["title", "entries"] && updated.storedVersion == 1 && updated.node.version == 2)
            #expect(updated.node.attributes["note"] == .string("n") && updated.toManys["entries"]?.count == 1)
        }
    }

    private struct Outage: Error {}

    @Test func whatAStoreThrowsComesOutWithItsCauseAndNothingIsLost() throws {
        try run { server, coordinator, _ in
            try fill(coordinator)
            let context = ManagedObjectContext(coordinator)
            let account = try context.one("Account", "title == 'b'")
            account["title"] = "bb"
            try context.make("Account", ["title": "new"])
            server.state.withLock { $0.failure = Outage() }
            let error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .inputOutput && error?.underlying is Outage && error?.path != nil)
            #expect(throws: StorageError.self) { try context.all("Account") }
            server.state.withLock { $0.failure = StorageError(.full, "no room") }
            let full = #expect(throws: StorageError.self) { try context.save() }
            #expect(full?.code == .full)
            server.state.withLock { $0.failure = nil }
            #expect(context.hasChanges)
            try context.save()
            #expect(
                try ManagedObjectContext(coordinator).found("Account", nil, by: "title") == [
                    "a", "bb", "c", "d", "e", "new",
                ])
        }
    }

    @Test func anObjectThatSomebodyElseChangedIsAConflict() throws {
        try run { server, coordinator, url in
            try fill(coordinator)
            let other = try self.coordinator(url)
            let context = ManagedObjectContext(coordinator), elsewhere = ManagedObjectContext(other)
            let account = try context.one("Account", "title == 'b'")
            try elsewhere.one("Account", "title == 'b'")["title"] = "there"
            try elsewhere.save()
            account["title"] = "here"
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict && error?.conflicts.count == 1)
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(try ManagedObjectContext(other).found("Account", "title BEGINSWITH 'h'", by: "title") == ["here"])
            try other.removePersistentStores()
        }
    }
}

extension IncrementalStoreTests {
    // MARK: Mistakes

    @Test func wrongAnswersAreErrorsAndNoCrashes() throws {
        try run { server, coordinator, _ in
            try fill(coordinator)
            func refusal(_ change: @escaping @Sendable (inout IncrementalStoreNode) -> Void) throws -> StorageError? {
                server.state.withLock { state in
                    state.answer = .complete
                    state.falseNode = { node in
                        var node = node
                        change(&node)
                        return node
                    }
                }
                return #expect(throws: StorageError.self) { try ManagedObjectContext(coordinator).all("Account") }
            }
            // Outside of #expect: the compiler gives a closure in a macro's arguments the name of
            // one beside it, and calls that instead.
            let noVersion = try refusal { $0.version = 0 }
            #expect(noVersion?.code == .damaged)
            let wrongType = try refusal { $0.attributes["title"] = .int(7) }
            #expect(wrongType?.code == .damaged && wrongType?.keys == ["title"])
            let unknown = try refusal { $0.attributes["colors"] = .int(7) }
            #expect(unknown?.code == .incompatibleModel && unknown?.keys == ["colors"])
            let wrongKind = try refusal { $0.toOnes["entries"] = $0.objectID }
            #expect(wrongKind?.code == .incompatibleModel)
            let wrongEntity = try refusal { $0.toOnes["owner"] = $0.objectID }
            #expect(wrongEntity?.code == .damaged && wrongEntity?.keys == ["owner"])
            let strangers = try GraphFixture.makeModel()
            let foreign = IncrementalStoreContext(StoreIdentity(uuid: "OTHER", model: strangers))
            let stranger = try foreign.objectID(forEntityNamed: "Account", referenceObject: .number(3))
            let anotherObject = try refusal { $0.objectID = stranger },
                anotherTarget = try refusal { $0.toOnes["owner"] = stranger }
            #expect(anotherObject?.code == .damaged && anotherTarget?.code == .damaged)
            #expect(throws: StorageError.self) {
                try foreign.objectID(forEntityNamed: "Nothing", referenceObject: .number(1))
            }
            #expect(throws: StorageError.self) {
                try foreign.objectID(forEntityNamed: "Account", referenceObject: .number(0))
            }
            #expect(throws: StorageError.self) {
                try foreign.objectID(forEntityNamed: "Account", referenceObject: .text(""))
            }
        }
    }

    @Test func aStoreOfAnotherModelIsRefused() throws {
        try run { server, coordinator, url in
            let other = PersistentStoreCoordinator(managedObjectModel: try ContractModel.make())
            other.register(CardStore.self)
            let error = #expect(throws: StorageError.self) {
                try other.addPersistentStore(PersistentStoreDescription(url: url, type: CardStore.storeType))
            }
            #expect(error?.code == .incompatibleModel)
            server.state.withLock { $0.metadata?["NSStoreUUID"] = nil }
            let damaged = #expect(throws: StorageError.self) { try self.coordinator(url) }
            #expect(damaged?.code == .damaged)
            server.state.withLock { $0.metadata?["NSStoreUUID"] = .string(UUID().uuidString) }
            let replaced = #expect(throws: StorageError.self) {
                try coordinator.metadata(for: coordinator.persistentStores[0])
            }
            #expect(replaced?.code == .busy)
        }
    }
}
