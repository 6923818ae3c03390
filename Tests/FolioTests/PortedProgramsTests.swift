import Folio
import Foundation
import Synchronization
import TestSupport
import Testing

/// What programs that come from Core Data rely on.
@Suite("What ported programs rely on")
struct PortedProgramsTests {
    private func model(_ entities: EntityDefinition...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: entities)
    }

    private func coordinator(
        _ model: ManagedObjectModel, _ url: URL, _ configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        var description = PersistentStoreDescription(url: url)
        configure(&description)
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    private var book: EntityDefinition { EntityDefinition("Book", attributes: [.init("title", .string)]) }

    // MARK: Objects

    @Test func aFetchedObjectWithAMandatoryTransientAttributeCanBeSaved() throws {
        try withTemporaryDirectory { folder in
            let model = try model(
                EntityDefinition(
                    "Book",
                    attributes: [
                        .init("title", .string),
                        .init("score", .integer32, isOptional: false, isTransient: true),
                        .init("label", .string, isOptional: false, isTransient: true, defaultValue: .string("new")),
                        .init("cover", .transformable, isOptional: false, isTransient: true),
                    ]))
            let url = folder.appendingPathComponent("a.sqlite")
            do {
                let context = ManagedObjectContext(try coordinator(model, url))
                let book = try context.insert("Book")
                (book["score"], book["label"]) = (3, "read")
                try book.setTransformedValue("cover", forKey: "cover")
                try context.save()
            }
            let context = ManagedObjectContext(try coordinator(model, url))
            let book = try #require(context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first)
            book["title"] = "Dune"
            #expect(book["score"] as? Int == 0 && book["label"] as? String == "new")
            #expect(!book.changedValues().keys.contains("score"))
            try context.save()
            context.refreshAllObjects()
            #expect(book["title"] as? String == "Dune" && book["label"] as? String == "new")
        }
    }

    @Test(arguments: ["reset", "rollback", "deletion", "release"])
    func anObjectWithoutContextKeepsItsIDAndEntity(after end: String) throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite"))
            var context: ManagedObjectContext? = ManagedObjectContext(coordinator)
            let saved = try #require(try context?.insert("Book"))
            try context?.save()
            let new = try #require(try context?.insert("Book"))
            let ids = [saved.objectID, new.objectID]
            switch end {
            case "reset": context?.reset()
            case "rollback": context?.rollback()
            case "deletion":
                context?.delete(saved)
                context?.delete(new)
                try context?.save()
            default: context = nil
            }
            #expect(new.managedObjectContext == nil)
            #expect([saved.objectID, new.objectID] == ids)
            #expect(saved.entity.name == "Book" && new.entity.name == "Book")
            #expect(new["title"] == nil)
            #expect(throws: GraphError.self) { try new.propertyValue(forKey: "title") }
        }
    }
}

extension PortedProgramsTests {
    @Test func primitiveValuesAreSavedBetweenWillAndDid() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite"))
            let context = ManagedObjectContext(coordinator)
            let book = try context.insert("Book")
            try context.save()
            context.undoManager = UndoManager()
            book.willChangeValue(forKey: "title")
            book.setPrimitiveValue("Dune", forKey: "title")
            book.didChangeValue(forKey: "title")
            #expect(context.hasChanges)
            context.undo()
            #expect(book["title"] == nil)
            context.redo()
            try context.save()
            let other = ManagedObjectContext(coordinator)
            #expect(try other.fetch(FetchRequest<ManagedObject>(entityName: "Book"))[0]["title"] as? String == "Dune")
        }
    }

    // MARK: Contexts

    @Test func aChildMergesItsParentsOwnSave() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite"))
            let parent = ManagedObjectContext(coordinator)
            let book = try parent.insert("Book")
            book["title"] = "Dune"
            try parent.save()
            let child = ManagedObjectContext(parent: parent)
            child.automaticallyMergesChangesFromParent = true
            let copy = try child.existingObject(with: book.objectID)
            #expect(copy["title"] as? String == "Dune")
            book["title"] = "Dune Messiah"
            try parent.save()
            child.processPendingChanges()
            #expect(copy["title"] as? String == "Dune Messiah")
        }
    }
}

extension PortedProgramsTests {
    @Test func aNotificationOfASaveHasThePositionInTheHistory() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite")) {
                $0.tracksHistory = true
            }
            let context = ManagedObjectContext(coordinator), center = NotificationCenter()
            context.notificationCenter = center
            try context.setQueryGeneration(from: .current)
            let found = Mutex<[PersistentHistoryToken?]>([]), generations = Mutex(0)
            let observer = center.addObserver(
                forName: ManagedObjectContext.didSaveObjectsNotification, object: nil, queue: nil
            ) { note in
                let token = note.userInfo?["historyToken"] as? PersistentHistoryToken
                let hasGeneration = note.userInfo?["newQueryGeneration"] is QueryGenerationToken
                found.withLock { $0.append(token) }
                if hasGeneration { generations.withLock { $0 += 1 } }
            }
            defer { center.removeObserver(observer) }
            try context.insert("Book")
            try context.save()
            #expect(found.withLock { $0 } == [try coordinator.currentPersistentHistoryToken()])
            #expect(generations.withLock { $0 } == 1)
        }
    }

    @Test func notificationsOfMergesAndResetsNameTheObjects() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite"))
            let context = ManagedObjectContext(coordinator), center = NotificationCenter()
            let book = try context.insert("Book")
            try context.save()
            let id = book.objectID
            let other = ManagedObjectContext(coordinator)
            try other.existingObject(with: id)["title"] = "Dune"
            try other.save()
            context.notificationCenter = center
            let refreshed = Mutex<Set<ManagedObjectID>>([]), invalidated = Mutex<Set<ManagedObjectID>>([])
            let observers = [
                center.addObserver(
                    forName: ManagedObjectContext.didMergeChangesObjectIDsNotification, object: nil, queue: nil
                ) { note in
                    let ids = note.userInfo?["refreshed_objectIDs"] as? Set<ManagedObjectID> ?? []
                    refreshed.withLock { $0.formUnion(ids) }
                },
                center.addObserver(
                    forName: ManagedObjectContext.didChangeObjectsNotification, object: nil, queue: nil
                ) { note in
                    let ids = note.userInfo?["invalidated_objectIDs"] as? Set<ManagedObjectID> ?? []
                    invalidated.withLock { $0.formUnion(ids) }
                },
            ]
            defer { for observer in observers { center.removeObserver(observer) } }
            context.mergeChanges(from: SavedChanges(updated: [id]))
            #expect(refreshed.withLock { $0 } == [id])
            context.reset()
            #expect(invalidated.withLock { $0 } == [id])
        }
    }

    // MARK: Stores
}

extension PortedProgramsTests {
    @Test func aStoreInMemoryReportsItsCommits() async throws {
        let coordinator = try coordinator(try model(book), URL(fileURLWithPath: "/dev/null")) {
            $0.postsRemoteChanges = true
        }
        let changes = coordinator.remoteChanges()
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book")
        try context.save()
        var iterator = changes.makeAsyncIterator()
        #expect(await iterator.next()?.storeURL.path == "/dev/null")
    }

    @Test func aNamedStoreInMemoryIsShared() throws {
        let url = URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)"), model = try model(book)
        let first = try coordinator(model, url), second = try coordinator(model, url)
        let context = ManagedObjectContext(first)
        try context.insert("Book")["title"] = "Dune"
        try context.save()
        let request = FetchRequest<ManagedObject>(entityName: "Book")
        let other = ManagedObjectContext(second)
        #expect(try other.fetch(request).map { $0["title"] as? String } == ["Dune"])
        try first.removePersistentStores()
        #expect(try ManagedObjectContext(second).count(for: request) == 1)
        try second.removePersistentStores()
        let held = try coordinator(model, url)
        #expect(try ManagedObjectContext(held).count(for: request) == 0)
        let another = try self.model(EntityDefinition("Film"))
        let mismatch = #expect(throws: StorageError.self) { try coordinator(another, url) }
        #expect(mismatch?.code == .incompatibleModel)
        let options = #expect(throws: StorageError.self) { try coordinator(model, url) { $0.isReadOnly = true } }
        #expect(options?.code == .unsupported)
        #expect(held.persistentStores.count == 1)
    }

    @Test func aNamedStoreInMemoryGoesWithItsLastCoordinator() throws {
        let url = URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)"), model = try model(book)
        do {
            let context = ManagedObjectContext(try coordinator(model, url))
            try context.insert("Book")
            try context.save()
        }
        let next = try coordinator(model, url)
        #expect(try ManagedObjectContext(next).count(for: FetchRequest<ManagedObject>(entityName: "Book")) == 0)
    }
}

extension PortedProgramsTests {
    @Test func theHistoryHasAPositionBeforeItsFirstTransaction() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite")) {
                $0.tracksHistory = true
            }
            let start = try #require(try coordinator.currentPersistentHistoryToken())
            let context = ManagedObjectContext(coordinator)
            try context.insert("Book")
            try context.save()
            #expect(try context.fetchHistory(PersistentHistoryRequest(after: start)).count == 1)
            let end = try #require(try coordinator.currentPersistentHistoryToken())
            #expect(start < end)
            let own = try FetchPredicate(format: "transactionNumber > %@ AND author == nil", start)
            #expect(try context.fetchHistory().filter { try $0.satisfies(own) }.count == 1)
        }
    }

    @Test func destroyingAStoreLeavesNothingAndSaysWhenThereIsNone() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite"), model = try model(book)
            let opened = try coordinator(model, url)
            try ManagedObjectContext(opened).insert("Book")
            try opened.removePersistentStores()
            try opened.destroyPersistentStore(at: url, type: .sqlite)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            let error = #expect(throws: StorageError.self) {
                try opened.destroyPersistentStore(at: url, type: .sqlite)
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test func storesAreAnnouncedBeforeTheyGoAndWhenTheirIdentityChanges() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite"))
            let events = Mutex<[String]>([])
            let names = [
                PersistentStoreCoordinator.willRemoveStoreNotification,
                PersistentStoreCoordinator.storesDidChangeNotification,
            ]
            let observers = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: coordinator, queue: nil) { note in
                    let keys = (note.userInfo ?? [:]).keys.map { "\($0)" }.sorted()
                    events.withLock { $0.append(contentsOf: keys) }
                }
            }
            defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
            let moved = try coordinator.migratePersistentStore(
                coordinator.persistentStores[0], to: folder.appendingPathComponent("b.sqlite"), type: .sqlite)
            #expect(events.withLock { $0 }.contains("NSUUIDChangedPersistentStoresKey"))
            events.withLock { $0 = [] }
            try coordinator.remove(moved.store)
            #expect(
                events.withLock { $0 } == ["NSRemovedPersistentStoresKey", "NSRemovedPersistentStoresKey"])
        }
    }

    // MARK: Requests
}

extension PortedProgramsTests {
    @Test func batchRequestsKeepToTheirStores() throws {
        try withTemporaryDirectory { folder in
            let model = try model(book)
            let coordinator = try coordinator(model, folder.appendingPathComponent("a.sqlite"))
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("b.sqlite")))
            let context = ManagedObjectContext(coordinator), stores = coordinator.persistentStores
            for store in stores {
                let book = try context.insert("Book")
                book["title"] = "Dune"
                try context.assign(book, to: store)
            }
            try context.save()
            var insert = BatchInsertRequest(entityName: "Book", objects: [["title": "Solaris"]])
            insert.affectedStores = [stores[1].identifier]
            #expect(try context.execute(insert).objectIDs.map(\.storeUUID) == [stores[1].identifier])
            var update = BatchUpdateRequest(entityName: "Book")
            update.affectedStores = [stores[0].identifier]
            update.propertiesToUpdate = ["title": .constant(.string("Eden"))]
            #expect(try context.execute(update).objectIDs.map(\.storeUUID) == [stores[0].identifier])
            var delete = BatchDeleteRequest(entityName: "Book")
            delete.affectedStores = [stores[1].identifier]
            #expect(try context.execute(delete).count == 2)
            delete.affectedStores = ["none"]
            #expect(try context.execute(delete).count == 0)
            #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Book")) == 1)
        }
    }

    @Test func aBatchInsertionFillsObjects() throws {
        try withTemporaryDirectory { folder in
            let context = ManagedObjectContext(
                try coordinator(try model(book), folder.appendingPathComponent("a.sqlite")))
            var titles = ["Dune", "Solaris"].makeIterator()
            let request = BatchInsertRequest(
                entityName: "Book",
                managedObjectHandler: { book in
                    guard let title = titles.next() else { return true }
                    book["title"] = title
                    return false
                })
            #expect(try context.execute(request).count == 2)
            var fetch = FetchRequest<ManagedObject>(entityName: "Book")
            fetch.sortDescriptors = [SortKey("title")]
            #expect(try context.fetch(fetch).map { $0["title"] as? String } == ["Dune", "Solaris"])
        }
    }

    @Test func aBatchInsertionRefusesMembersOfToManyRelationships() throws {
        try withTemporaryDirectory { folder in
            let shelf = EntityDefinition(
                "Shelf", relationships: [RelationshipDescription("books", to: "Book", inverse: "shelf", maxCount: 0)])
            var book = book
            book.relationships = [RelationshipDescription("shelf", to: "Shelf", inverse: "books", maxCount: 1)]
            let context = ManagedObjectContext(
                try coordinator(try model(book, shelf), folder.appendingPathComponent("a.sqlite")))
            let saved = try context.insert("Book")
            try context.save()
            let request = BatchInsertRequest(
                entityName: "Shelf",
                managedObjectHandler: { shelf in
                    guard let own = shelf.managedObjectContext else { return true }
                    shelf["books"] = [own.object(with: saved.objectID)]
                    return false
                })
            let error = #expect(throws: GraphError.self) { try context.execute(request) }
            #expect(error?.code == .wrongType && error?.key == "books")
        }
    }
}

extension PortedProgramsTests {
    @Test func aPinnedContextDetectsConflictsOfWatchedObjects() throws {
        try withTemporaryDirectory { folder in
            let coordinator = try coordinator(try model(book), folder.appendingPathComponent("a.sqlite"))
            let context = ManagedObjectContext(coordinator)
            let book = try context.insert("Book")
            try context.save()
            try context.setQueryGeneration(from: .current)
            #expect(book["title"] == nil)
            let other = ManagedObjectContext(coordinator)
            try other.existingObject(with: book.objectID)["title"] = "Dune"
            try other.save()
            context.detectConflicts(for: book)
            try context.insert("Book")
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict)
        }
    }

    @Test func variablesAndListsTakeExpressions() throws {
        let title = QueryExpression.keyPath("title")
        #expect(
            try FetchPredicate(format: "$x == 'Dune'").withSubstitutionVariables(["x": title])
                == FetchPredicate(format: "title == 'Dune'"))
        #expect(
            try FetchPredicate(format: "'Dune' IN %@", [title, .keyPath("subtitle")]).predicateFormat
                == FetchPredicate(format: "'Dune' IN {title, subtitle}").predicateFormat)
    }
}

extension PortedProgramsTests {
    @Test func templatesAndFetchedPropertiesSort() throws {
        try withTemporaryDirectory { folder in
            var template = FetchRequestTemplate("all", entityName: "Book")
            template.sortTerms = [.init("title", ascending: false, selector: "caseInsensitiveCompare:")]
            var shelf = EntityDefinition("Shelf")
            shelf.fetchedProperties = [FetchedPropertyDescription("books", fetchRequest: template)]
            var description = ManagedObjectModel.Definition()
            description.entities = [book, shelf]
            description.fetchRequestTemplates = [template]
            let model = try ManagedObjectModel(description)
            let context = ManagedObjectContext(try coordinator(model, folder.appendingPathComponent("a.sqlite")))
            for title in ["b", "C", "a"] { try context.insert("Book")["title"] = title }
            let shelfObject = try context.insert("Shelf")
            try context.save()
            #expect(try shelfObject.fetchedObjects(forKey: "books").map { $0["title"] as? String } == ["C", "b", "a"])
            let request = try #require(
                try model.fetchRequestFromTemplate(withName: "all", as: ManagedObject.self))
            #expect(try context.fetch(request).map { $0["title"] as? String } == ["C", "b", "a"])
            template.sortTerms = [.init("title", selector: "shuffle:")]
            #expect(throws: QueryError.self) { try FetchRequest<ManagedObject>(template: template) }
        }
    }

    @Test func predicatesAreEvaluatedForObjectsAndTakeExpressions() throws {
        try withTemporaryDirectory { folder in
            let context = ManagedObjectContext(
                try coordinator(try model(book), folder.appendingPathComponent("a.sqlite")))
            let book = try context.insert("Book")
            book["title"] = "Dune"
            let length = try QueryExpression(format: "title.length + %d", arguments: [1])
            let predicate = try FetchPredicate(format: "%@ == 5", length)
            #expect(predicate.predicateFormat == "title.length + 1 == 5")
            #expect(try predicate.evaluate(with: book))
            #expect(try FetchPredicate(format: "ANY SELF.title == 'Dune'").evaluate(with: [book]))
            #expect(throws: QueryError.self) { try FetchPredicate(format: "pages > 1").evaluate(with: book) }
        }
    }

    // MARK: Migration
}

extension PortedProgramsTests {
    @Test func aCancelBeforeAMigrationEndsIt() throws {
        struct Stop: Error {}
        try withTemporaryDirectory { folder in
            let model = try model(book)
            let manager = MigrationManager(
                from: try coordinator(model, folder.appendingPathComponent("a.sqlite")),
                to: try coordinator(model, folder.appendingPathComponent("b.sqlite")))
            manager.cancelMigration(with: Stop())
            let mapping = try MappingModel.inferred(from: model, to: model)
            #expect(throws: Stop.self) { try manager.migrate(by: mapping) }
            // It was for that migration alone.
            try manager.migrate(by: mapping)
        }
    }

    @Test func functionsOfPoliciesGetWhatTakesPart() throws {
        final class Recorder: EntityMigrationPolicy {
            override func value(forFunction selector: String, arguments: [Any?]) throws -> Any? {
                #expect(arguments[0] is MigrationManager && arguments[3] as? Recorder === self)
                #expect((arguments[1] as? EntityMapping)?.name == "Books")
                return (arguments[2] as? PropertyMapping)?.name
            }
        }
        try withTemporaryDirectory { folder in
            let model = try model(book)
            let source = try coordinator(model, folder.appendingPathComponent("a.sqlite"))
            let filling = ManagedObjectContext(source)
            try filling.insert("Book")
            try filling.save()
            let manager = MigrationManager(
                from: source, to: try coordinator(model, folder.appendingPathComponent("b.sqlite")))
            let expression = try QueryExpression(
                format:
                    "FUNCTION($entityPolicy, 'name', $manager, $entityMapping, $propertyMapping, $entityPolicy)")
            try manager.migrate(
                by: MappingModel(entityMappings: [
                    EntityMapping(
                        "Books", .custom, from: "Book", to: "Book", migrationPolicyName: "Recorder",
                        attributeMappings: [PropertyMapping("title", valueExpression: expression)])
                ]), policies: ["Recorder": Recorder.self])
            #expect(
                try manager.destinationContext.fetch(FetchRequest<ManagedObject>(entityName: "Book"))[0]["title"]
                    as? String
                    == "title")
        }
    }

    @Test func anInferredMappingSaysWhatCameWentAndStayed() throws {
        let old = try model(
            EntityDefinition("Book", attributes: [.init("title", .string), .init("pages", .integer32)]))
        let new = try model(
            EntityDefinition("Book", attributes: [.init("title", .string), .init("year", .integer32)]))
        let mapping = try MappingModel.inferred(from: old, to: new).entityMappings[0]
        #expect(
            mapping.addedProperties == ["year"] && mapping.removedProperties == ["pages"]
                && mapping.mappedProperties == ["title"])
    }
}
