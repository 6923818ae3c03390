import CoreData
import Testing

/// Faults and uniqueness, as the page *Core Data's behavior* numbers them.
struct FaultFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func oneInstancePerIDAndContext_F1_F2_F3_F4(kind: Facts.Kind) throws {
        let facts = try Facts(kind), id = try facts.context().saved().objectID
        let context = facts.context()
        #expect(context.registeredObject(for: id) == nil)
        let first = context.object(with: id)
        #expect(first.isFault && context.registeredObject(for: id) === first)
        #expect(try context.existingObject(with: id) === first && !first.isFault)
        #expect(try context.all("Person").first === first)
        let new = try context.person()
        #expect(try context.existingObject(with: new.objectID) === new)
        let other = facts.context()
        let gone = try #require(other.all("Person").first)
        other.delete(gone)
        try other.save()
        let error = failure { _ = try facts.context().existingObject(with: id) }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectReferentialIntegrityError)
        #expect(facts.context().object(with: id).isFault)
    }

    @Test(arguments: Facts.Kind.allCases)
    func fetchesGiveFaultsUnlessAsked_F5_F6_F7(kind: Facts.Kind) throws {
        let facts = try Facts(kind), writer = facts.context()
        let written = try writer.saved(["name": "Ann"])
        let context = facts.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        #expect(try context.fetch(request).first?.isFault == true)
        request.returnsObjectsAsFaults = false
        let person = try #require(context.fetch(request).first)
        #expect(!person.isFault)
        let lean = facts.context(), ids = NSFetchRequest<NSManagedObject>(entityName: "Person")
        ids.includesPropertyValues = false
        let bare = try #require(lean.fetch(ids).first)
        #expect(bare.isFault && bare.text("name") == "Ann")
        written.setValue("Bea", forKey: "name")
        try writer.save()
        #expect(try context.fetch(request).first === person && person.text("name") == "Ann")
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        #expect(person.text("name") == "Bea", "F8")
    }

    @Test(arguments: Facts.Kind.allCases)
    func refreshDropsOrKeepsEdits_F8_F9_F10_F11_F12_F13(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context(), other = facts.context()
        let person = try context.saved(["name": "Ann"])
        person.setValue("edited", forKey: "nickname")
        let theirs = try #require(other.existingObject(with: person.objectID) as? FactPerson)
        theirs.setValue("Bea", forKey: "name")
        try other.save()
        context.refresh(person, mergeChanges: true)
        #expect(!person.isFault && person.text("nickname") == "edited" && person.text("name") == "Bea")
        context.refresh(person, mergeChanges: false)
        #expect(person.isFault && !person.hasChanges)
        #expect(person.text("nickname") == "awake" && person.text("name") == "Bea")
        let new = try context.person(["name": "new"])
        context.refresh(new, mergeChanges: false)
        #expect(new.text("name") == "x" || new.text("name") == nil || new.text("name") == "new")
        context.rollback()
        let clean = try #require(context.existingObject(with: person.objectID) as? FactPerson)
        let dirty = try context.saved(["name": "dirty"])
        _ = clean.text("name")
        dirty.setValue("edit", forKey: "nickname")
        context.processPendingChanges()
        let posts = Posts.of(context, .NSManagedObjectContextObjectsDidChange) {
            context.refreshAllObjects()
            context.processPendingChanges()
        }
        #expect(clean.isFault && !dirty.isFault && dirty.text("nickname") == "edit")
        #expect((posts.first?[NSRefreshedObjectsKey] ?? 0) >= 2)
        context.stalenessInterval = 0
        theirs.setValue("Cleo", forKey: "name")
        try other.save()
        context.refresh(clean, mergeChanges: false)
        #expect(clean.text("name") == "Cleo")
    }

    @Test(arguments: Facts.Kind.allCases)
    func registeredObjectsAndReset_F14_F15_F16_F17_F18(kind: Facts.Kind) throws {
        let facts = try Facts(kind), id = try facts.context().saved().objectID
        let context = facts.context()
        #expect(!context.retainsRegisteredObjects)
        try autoreleased { _ = try context.existingObject(with: id) }
        #expect(context.registeredObjects.isEmpty)
        autoreleased { context.object(with: id).setValue("held", forKey: "nickname") }
        #expect(context.registeredObjects.count == 1 && context.updatedObjects.count == 1)
        let held = context.object(with: id)
        let posts = Posts.of(context, .NSManagedObjectContextObjectsDidChange) { context.reset() }
        #expect(posts.count == 1 && posts[0].keys.contains(NSInvalidatedAllObjectsKey))
        #expect(context.registeredObjects.isEmpty && held.isFault && held.managedObjectContext == nil)
        let saves = try Posts.of(context, .NSManagedObjectContextDidSave) { try context.save() }
        #expect(saves.allSatisfy { $0[NSInsertedObjectsKey] + $0[NSUpdatedObjectsKey] + $0[NSDeletedObjectsKey] == 0 })
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

    @Test(arguments: Facts.Kind.allCases)
    func faultsWhoseRowIsGone_F19_F21_F22(kind: Facts.Kind) throws {
        let facts = try Facts(kind), id = try facts.context().saved().objectID
        let context = facts.context(), other = facts.context()
        let fault = context.object(with: id)
        other.delete(other.object(with: id))
        try other.save()
        #expect(context.shouldDeleteInaccessibleFaults)
        #expect(fault.text("name") == nil && fault.int("age") == nil || fault.int("age") == 0)
        #expect(fault.isDeleted && context.deletedObjects == [fault])
        try context.save()
    }
}

extension FaultFactTests {
    @Test func faultsWhoseRowIsGoneTrapWhereAContextSaysSo_F20() async {
        await #expect(processExitsWith: .failure) {
            let facts = try Facts(.sqlite), id = try facts.context().saved().objectID
            let context = facts.context(), other = facts.context()
            context.shouldDeleteInaccessibleFaults = false
            let fault = context.object(with: id)
            other.delete(other.object(with: id))
            try other.save()
            _ = fault.text("name")
        }
    }

    @Test(arguments: Facts.Kind.allCases)
    func faultsOfRelationships_F23_F24_F25_F26_F27(kind: Facts.Kind) throws {
        let facts = try Facts(kind), writer = facts.context()
        let ann = try writer.person(["name": "Ann"])
        for name in ["a", "b"] { writer.make("Pet", ["name": name, "owner": ann]) }
        try writer.save()
        let context = facts.context()
        let person = try #require(context.all("Person").first)
        #expect(person.hasFault(forRelationshipNamed: "pets"))
        #expect(person.objectIDs(forRelationshipNamed: "pets").count == 2)
        let pets = person.objects("pets")
        #expect(pets.count == 2 && !person.hasFault(forRelationshipNamed: "pets"))
        let request = NSFetchRequest<NSManagedObject>(entityName: "Pet")
        (request.predicate, request.returnsObjectsAsFaults) = (NSPredicate(format: "SELF IN %@", pets as NSSet), false)
        #expect(try context.fetch(request).allSatisfy { !$0.isFault })
        context.refresh(person, mergeChanges: false)
        #expect(person.hasFault(forRelationshipNamed: "pets"))
        let other = facts.context()
        other.delete(other.object(with: try #require(pets.first?.objectID)))
        try other.save()
        context.reset()
        let again = try #require(context.all("Person").first)
        context.delete(again)
        try context.save()
        #expect(try context.all("Pet").isEmpty)
    }
}
