import CoreData
import Testing

/// Coordinators, stores and their errors.
@Suite struct StoreBehaviorTests {
    @Test(arguments: Office.types)
    func anIDLeadsToTheStoreOfItsCoordinator(_ type: String) throws {
        let folder = try Folder()
        let first = try Office.open(Office.cars(), type, folder)
        let car = first.add("Car", ["plate": "1"])
        #expect(car.objectID.persistentStore == nil)
        try first.save()
        let store = first.persistentStoreCoordinator?.persistentStores.first
        #expect(car.objectID.persistentStore === store)
        guard type != NSInMemoryStoreType else { return }
        let second = try Office.open(Office.cars(), type, folder)
        let seen = try #require(try second.all("Car").first)
        #expect(seen.objectID.persistentStore === second.persistentStoreCoordinator?.persistentStores.first)
        #expect(car.objectID.persistentStore === store && seen.objectID == car.objectID)
        let uri = seen.objectID.uriRepresentation()
        let found = first.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri)
        #expect(found?.persistentStore === store)
    }

    @Test func aRelationshipIntoAnotherStoreIsAnErrorOfItsOwn() throws {
        let folder = try Folder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Office.staff())
        let stores = try ["a", "b"].map { name in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url.appendingPathComponent(name))
        }
        let context = Office.context(coordinator)
        let team = context.add("Team"), worker = context.add("Worker", ["name": "Ada", "team": team])
        context.assign(team, to: stores[0])
        context.assign(worker, to: stores[1])
        let error = failure { try context.save() }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectExternalRelationshipError)
        worker.setValue(nil, forKey: "team")
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Worker")
        request.affectedStores = [stores[0]]
        #expect(try context.fetch(request).isEmpty)
        request.affectedStores = [stores[1]]
        #expect(try context.fetch(request) == [worker])
    }

    @Test func aNewConstraintThatTheDataBreakIsAnErrorOfMigration() throws {
        let folder = try Folder()
        let plain = Office.cars()
        plain.entities[0].uniquenessConstraints = []
        do {
            let context = try Office.open(plain, NSSQLiteStoreType, folder)
            for _ in 0..<2 { context.add("Car", ["plate": "1"]) }
            try context.save()
        }
        let options: [AnyHashable: Any] = [
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]
        let error = failure { _ = try Office.open(Office.cars(), NSSQLiteStoreType, folder, options: options) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSMigrationConstraintViolationError)
        let container = NSPersistentContainer(name: "Cars", managedObjectModel: Office.cars())
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: folder.url.appendingPathComponent("store"))
        ]
        var second: NSError?
        container.loadPersistentStores { second = $1 as NSError? }
        #expect(second?.code == NSMigrationConstraintViolationError)
        #expect(try Office.open(plain, NSSQLiteStoreType, folder).all("Car").count == 2)
    }

    @Test(arguments: [NSSQLiteStoreType, NSXMLStoreType])
    func aStoreWithMoreThanTheModelIsReadWhereVersionsAreIgnored(_ type: String) throws {
        let folder = try Folder()
        try Office.open(Office.staff(), type, folder).savingOne("Worker", ["name": "Ada", "wage": 1, "born": Date()])
        let worker = Office.entity(
            "Worker",
            [Library.attribute("name", .stringAttributeType), Library.attribute("wage", .integer32AttributeType)])
        let context = try Office.open(
            Office.model(worker), type, folder, options: [NSIgnorePersistentStoreVersioningOption: true])
        #expect(try context.all("Worker").map { $0.text("name") } == ["Ada"])
    }

    @Test func aContainerTellsWhyAStoreDoesNotFit() throws {
        let folder = try Folder()
        try Office.open(Office.staff(), NSXMLStoreType, folder).savingOne("Team")
        let container = NSPersistentContainer(name: "Staff", managedObjectModel: Office.staff(version: 2))
        let description = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("store"))
        (description.type, description.shouldMigrateStoreAutomatically) = (NSXMLStoreType, false)
        container.persistentStoreDescriptions = [description]
        var error: NSError?
        container.loadPersistentStores { error = $1 as NSError? }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }

    @Test func aContainerMigratesByItself() throws {
        let folder = try Folder()
        try Office.open(Office.staff(), NSSQLiteStoreType, folder).savingOne("Worker", ["name": "Ada", "wage": 3])
        let container = NSPersistentContainer(name: "Staff", managedObjectModel: Office.staff(version: 2))
        let description = NSPersistentStoreDescription(url: folder.url.appendingPathComponent("store"))
        #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
        container.persistentStoreDescriptions = [description]
        try Library.load(container)
        #expect(try container.viewContext.all("Worker").map { $0.text("name") } == ["Ada"])
    }

    @Test func storesAreCopiedReplacedAndDestroyed() throws {
        let folder = try Folder()
        func file(_ name: String) -> URL { folder.url.appendingPathComponent(name) }
        let context = try Office.open(Office.staff(), NSSQLiteStoreType, folder, name: "a")
        try context.savingOne("Worker", ["name": "Ada"])
        let coordinator = try #require(context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        let copy = try coordinator.migratePersistentStore(
            store, to: file("x"), options: nil, withType: NSXMLStoreType)
        #expect(copy.type == NSXMLStoreType && coordinator.persistentStores == [copy])
        #expect(FileManager.default.fileExists(atPath: file("a").path))
        #expect(try Office.open(Office.staff(), NSXMLStoreType, folder, name: "x").all("Worker").count == 1)
        let other = NSPersistentStoreCoordinator(managedObjectModel: Office.staff())
        try other.replacePersistentStore(
            at: file("b"), destinationOptions: nil, withPersistentStoreFrom: file("a"), sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        #expect(try Office.open(Office.staff(), NSSQLiteStoreType, folder, name: "b").all("Worker").count == 1)
        try other.destroyPersistentStore(at: file("b"), ofType: NSSQLiteStoreType, options: nil)
        #expect(try Office.open(Office.staff(), NSSQLiteStoreType, folder, name: "b").all("Worker").isEmpty)
    }

    @Test func aReadOnlyStoreIsFetchedFromAndNotSavedTo() throws {
        let folder = try Folder()
        try Office.open(Office.staff(), NSSQLiteStoreType, folder).savingOne("Worker", ["name": "Ada"])
        let context = try Office.open(
            Office.staff(), NSSQLiteStoreType, folder, options: [NSReadOnlyPersistentStoreOption: true])
        #expect(context.persistentStoreCoordinator?.persistentStores.first?.isReadOnly == true)
        try #require(try context.all("Worker").first).setValue("Eve", forKey: "name")
        let error = failure { try context.save() }
        #expect(error?.domain == NSCocoaErrorDomain)
        let stores = context.persistentStoreCoordinator?.persistentStores
        #expect(error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == stores)
    }
}

extension NSManagedObjectContext {
    func savingOne(_ entity: String, _ values: [String: Any] = [:]) throws {
        add(entity, values)
        try save()
    }
}
