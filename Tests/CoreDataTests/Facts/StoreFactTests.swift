import CoreData
import Synchronization
import Testing

/// Coordinators and stores, as the page *Core Data's behavior* numbers them.
struct StoreFactTests {
    @Test func storesComeAndGo_C1_C2_C3_C4_C5() throws {
        let model = Facts.model()
        model.setEntities([try #require(model.entitiesByName["Club"])], forConfigurationName: "Clubs")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model), folder = try Folder()
        let registered = NSPersistentStoreCoordinator.registeredStoreTypes
        for type in [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType] {
            #expect(registered[type] != nil, "\(type)")
        }
        var stores: [NSPersistentStore] = []
        let posts = try Posts.of(coordinator, .NSPersistentStoreCoordinatorStoresDidChange) {
            stores.append(
                try coordinator.addPersistentStore(
                    ofType: NSInMemoryStoreType, configurationName: "Clubs", at: nil, options: nil))
            stores.append(
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url.appendingPathComponent("s"),
                    options: nil))
        }
        #expect(posts.map(\.keys) == [[NSAddedPersistentStoresKey], [NSAddedPersistentStoresKey]])
        #expect(coordinator.persistentStores == stores)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let club = context.make("Club"), person = try context.person()
        try context.save()
        #expect(club.objectID.persistentStore === stores[0] && person.objectID.persistentStore === stores[1])
        let removal = try Posts.of(coordinator, .NSPersistentStoreCoordinatorStoresDidChange) {
            try coordinator.remove(stores[0])
        }
        #expect(removal.map(\.keys) == [[NSRemovedPersistentStoresKey]])
    }

    @Test(arguments: [Facts.Kind.sqlite, .xml, .binary])
    func metadata_C7_C8_C9_C10_C11(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context(), store = facts.coordinator.persistentStores[0]
        try context.saved()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: kind.type, at: facts.url, options: nil)
        #expect(
            metadata[NSStoreTypeKey] as? String == kind.type && metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?["Student"] != nil)
        let model = facts.coordinator.managedObjectModel
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
        var own = facts.coordinator.metadata(for: store)
        own["key"] = "value"
        facts.coordinator.setMetadata(own, for: store)
        func stored() throws -> String? {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: kind.type, at: facts.url, options: nil)["key"] as? String
        }
        #expect(try stored() == nil)
        try context.saved()
        #expect(try stored() == "value")
        let missing = facts.folder.url.appendingPathComponent("missing")
        #expect(
            failure {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: kind.type, at: missing, options: nil)
            } != nil)
    }

    @Test(arguments: [Facts.Kind.sqlite, .xml, .binary])
    func storesOfAnotherVersion_C12_C13_C32(kind: Facts.Kind) throws {
        let facts = try Facts(kind)
        try facts.context().saved()
        try facts.coordinator.remove(facts.coordinator.persistentStores[0])
        let newer = Facts.model()
        newer.entitiesByName["Student"]?.properties.append(Library.attribute("year", .integer16AttributeType))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newer)
        func add(_ type: String) throws {
            try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: facts.url, options: nil)
        }
        #expect(failure { try add(kind.type) }?.code == NSPersistentStoreIncompatibleVersionHashError)
        let old = Facts.model().entityVersionHashesByName, new = newer.entityVersionHashesByName
        #expect(old.filter { new[$0.key] != $0.value }.map(\.key) == ["Student"])
    }

    @Test func aStoreIsCopiedEmptiedAndReplaced_C14_C15_C16() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        try context.saved(["name": "Ann"])
        let store = facts.coordinator.persistentStores[0], old = store.identifier
        let moved = try facts.coordinator.migratePersistentStore(
            store, to: facts.folder.url.appendingPathComponent("moved"), options: nil, withType: NSSQLiteStoreType)
        #expect(facts.coordinator.persistentStores == [moved] && moved.identifier != old)
        #expect(try context.names() == ["Ann"])
        let copy = facts.folder.url.appendingPathComponent("copy")
        try facts.coordinator.replacePersistentStore(
            at: copy, destinationOptions: nil, withPersistentStoreFrom: facts.url, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        try facts.coordinator.destroyPersistentStore(at: facts.url, ofType: NSSQLiteStoreType, options: nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: facts.coordinator.managedObjectModel)
        for (url, count) in [(copy, 1), (facts.url, 0)] {
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
            let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            reader.persistentStoreCoordinator = coordinator
            #expect(try reader.all("Person").count == count)
            try coordinator.remove(store)
        }
    }

    @Test(arguments: [Facts.Kind.sqlite, .xml, .binary])
    func readOnlyStores_C17_C22_C29(kind: Facts.Kind) throws {
        let facts = try Facts(kind)
        let student = facts.context().make("Student", ["name": "Dora"])
        student.setValue(nil, forKey: "nickname")
        try student.managedObjectContext?.save()
        let reader = try facts.again([NSReadOnlyPersistentStoreOption: true])
        #expect(try reader.all("Student").first?.text("nickname") == nil && reader.names() == ["Dora"])
        #expect(reader.persistentStoreCoordinator?.persistentStores.first?.isReadOnly == true)
        try reader.all("Person").first?.setValue("y", forKey: "name")
        #expect(failure { try reader.save() } != nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Facts.model())
        #expect(
            failure {
                try coordinator.addPersistentStore(
                    ofType: kind.type, configurationName: nil, at: facts.folder.url.appendingPathComponent("none"),
                    options: [NSReadOnlyPersistentStoreOption: true])
            } != nil)
    }

    @Test func descriptionsAndOptions_C18_C19_C21() throws {
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        #expect(description.type == NSSQLiteStoreType && description.shouldMigrateStoreAutomatically)
        #expect(description.shouldInferMappingModelAutomatically && !description.shouldAddStoreAsynchronously)
        #expect(!description.isReadOnly && description.timeout == 240)
        description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
        #expect(description.sqlitePragmas["synchronous"] as? String == "FULL")
        let container = NSPersistentContainer(name: "Facts", managedObjectModel: Facts.model())
        container.persistentStoreDescriptions = [description]
        try Library.load(container)
        try container.viewContext.saved(["name": "Ann"])
        #expect(try container.viewContext.names("name MATCHES 'A.*'") == ["Ann"])
    }
}
