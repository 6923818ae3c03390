import CoreData
import Testing

/// Unique values and undo, as the page *Core Data's behavior* numbers them.
struct UniqueFactTests {
    private func facts(_ kind: Facts.Kind = .sqlite) throws -> Facts {
        let model = Facts.model()
        model.entitiesByName["Club"]?.uniquenessConstraints = [["name"]]
        return try Facts(kind, model: model)
    }

    @Test func aTakenValueFailsTheSave_S24_S26_S27_S30() throws {
        let facts = try facts(), context = facts.context()
        let old = context.make("Club", ["name": "c"])
        for _ in 0..<2 { context.make("Club") }
        try context.save()
        let new = context.make("Club", ["name": "c"])
        for _ in 0..<2 {
            let error = try #require(failure { try context.save() })
            #expect(error.code == NSManagedObjectConstraintMergeError)
            let conflicts = try #require(error.userInfo["conflictList"] as? [NSConstraintConflict])
            #expect(conflicts.count == 1 && conflicts[0].constraint == ["name"])
            #expect(conflicts[0].constraintValues["name"] as? String == "c")
            #expect(conflicts[0].conflictingObjects == [new] && conflicts[0].databaseObject === old)
            #expect(conflicts[0].databaseSnapshot?["name"] as? String == "c")
        }
        context.delete(new)
        context.make("Club", ["name": "d"])
        context.make("Club", ["name": "d"])
        let error = failure { try context.save() }
        let conflict = (error?.userInfo["conflictList"] as? [NSConstraintConflict])?.first
        #expect(conflict?.databaseObject == nil && conflict?.conflictingObjects.count == 2)
    }

    @Test(arguments: Facts.Kind.allCases) func storesOfEveryKindCheckThem_S25(kind: Facts.Kind) throws {
        let facts = try facts(kind), context = facts.context()
        for _ in 0..<2 { context.make("Club", ["name": "c"]) }
        #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError)
    }

    @Test func aNewConstraintThatRowsBreakEndsTheMigration_S31() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        for _ in 0..<2 { context.make("Club", ["name": "c"]) }
        try context.save()
        try facts.coordinator.remove(facts.coordinator.persistentStores[0])
        let newer = Facts.model()
        newer.entitiesByName["Club"]?.uniquenessConstraints = [["name"]]
        let error = failure {
            try NSPersistentStoreCoordinator(managedObjectModel: newer).addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: facts.url,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
        }
        #expect(error?.code == NSMigrationConstraintViolationError)
    }

    @Test(arguments: [
        (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, 1), (.overwriteMergePolicyType, 1),
        (.mergeByPropertyStoreTrumpMergePolicyType, 1), (.rollbackMergePolicyType, 1),
    ])
    func policiesDecide_S28_S29(type: NSMergePolicyType, count: Int) throws {
        let facts = try facts(), writer = facts.context()
        let old = writer.make("Club", ["name": "c"])
        try writer.save()
        let context = facts.context()
        context.mergePolicy = NSMergePolicy(merge: type)
        let person = try context.person()
        context.make("Club", ["name": "c", "members": Set([person])])
        try context.save()
        let clubs = try facts.context().all("Club")
        #expect(clubs.count == count && clubs.first?.objectID == old.objectID)
        if type != .rollbackMergePolicyType {
            #expect(clubs.first?.objects("members").count == 1)
        }
    }

    @Test func undoAndRedo_U1_U3_U4_U5_U6_U9_U10() throws {
        let context = try Facts(.sqlite).context()
        #expect(context.undoManager == nil)
        let undo = UndoManager()
        context.undoManager = undo
        let person = try context.saved(["name": "a"])
        undo.removeAllActions()
        person.setValue("b", forKey: "name")
        person.setValue("c", forKey: "name")
        context.make("Pet", ["owner": person])
        context.processPendingChanges()
        context.undo()
        #expect(person.text("name") == "a" && person.objects("pets").isEmpty && context.insertedObjects.isEmpty)
        context.redo()
        #expect(person.text("name") == "c" && person.objects("pets").count == 1)
        try context.save()
        #expect(undo.canUndo)
        context.undo()
        #expect(person.text("name") == "a" && context.hasChanges)
        try context.save()
        undo.removeAllActions()
        context.processPendingChanges()
        undo.disableUndoRegistration()
        person.setValue("quiet", forKey: "nickname")
        context.processPendingChanges()
        undo.enableUndoRegistration()
        #expect(!undo.canUndo)
    }

    @Test func undoOfADeletion_U11_U12_U13_U14_U15_U16() throws {
        let facts = try Facts(.sqlite), context = facts.context(), other = facts.context()
        let undo = UndoManager()
        (context.undoManager, other.undoManager) = (undo, undo)
        let person = try context.saved(["name": "a"])
        context.delete(person)
        try context.save()
        #expect(undo.undoActionName.isEmpty)
        context.undo()
        #expect(context.insertedObjects.count == 1)
        try context.save()
        #expect(try facts.context().names() == ["a"])
        undo.removeAllActions()
        context.refreshAllObjects()
        #expect(!undo.canUndo)
        try other.person(["name": "b"])
        other.processPendingChanges()
        #expect(undo.canUndo)
        context.undoManager = nil
        undo.levelsOfUndo = 1
        #expect(undo.levelsOfUndo == 1)
    }

    @Test func foundationHasNoManagerHere_U17() {
        let undo = UndoManager()
        undo.groupsByEvent = false
        undo.beginUndoGrouping()
        undo.endUndoGrouping()
        #expect(undo.groupingLevel == 0 && undo.isUndoRegistrationEnabled)
    }
}
