import CoreData
import Testing

/// Objects and their changes, as the page *Core Data's behavior* numbers them.
struct ObjectFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func anInsertionFillsDefaultsAndAwakesOnce_L1_L2_L3_L5_L48(kind: Facts.Kind) throws {
        let context = try Facts(kind).context()
        context.undoManager = UndoManager()
        let person = try context.person()
        #expect(person.events == ["insert 18"] && person.text("nickname") == "awake")
        #expect(person.isInserted && !person.isUpdated && !person.isDeleted && !person.isFault)
        #expect(person.objectID.isTemporaryID)
        #expect(context.insertedObjects == [person] && context.registeredObjects == [person])
        let entity = person.entity
        let loose = FactPerson(entity: entity, insertInto: nil)
        #expect(loose.managedObjectContext == nil && !loose.isInserted && context.insertedObjects.count == 1)
        context.insert(loose)
        #expect(loose.managedObjectContext === context && loose.isInserted)
        let pets = try #require(entity.relationshipsByName["pets"])
        #expect(pets.minCount == 0 && pets.maxCount == 0 && pets.isToMany && !pets.isOrdered)
        #expect(entity.relationshipsByName["boss"]?.isToMany == false && entity.uniquenessConstraints.isEmpty)
        #expect(NSRelationshipDescription().deleteRule == .nullifyDeleteRule)
        #expect(entity.attributesByName["age"]?.attributeValueClassName == "NSNumber")
        #expect(entity.attributesByName["born"]?.attributeValueClassName == "NSDate")
    }

    @Test func redoOfAnInsertionSendsNoSecondAwakening_L4_L8_U5_U7() throws {
        let context = try Facts(.inMemory).context()
        context.undoManager = UndoManager()
        let person = try context.person()
        context.processPendingChanges()
        context.undo()
        #expect(context.insertedObjects.isEmpty)
        context.redo()
        #expect(context.insertedObjects == [person])
        #expect(person.events.filter { $0.hasPrefix("insert") }.count == 1)
        #expect(person.events.contains { $0.hasPrefix("snapshot") })
        #expect(NSSnapshotEventType.undoInsertion.rawValue == 2 && NSSnapshotEventType.undoDeletion.rawValue == 4)
        #expect(NSSnapshotEventType.undoUpdate.rawValue == 8 && NSSnapshotEventType.rollback.rawValue == 16)
        #expect(NSSnapshotEventType.refresh.rawValue == 32 && NSSnapshotEventType.mergePolicy.rawValue == 64)
    }

    @Test(arguments: Facts.Kind.allCases)
    func awakeningFromAFetchIsSentOnceAndIsNoChange_L6_L7(kind: Facts.Kind) throws {
        let facts = try Facts(kind)
        _ = try facts.context().saved(["name": "Ann"])
        let context = facts.context()
        let person = try #require(context.all("Person").first as? FactPerson)
        #expect(person.isFault && person.events.isEmpty)
        #expect(person.text("name") == "Ann" && person.text("name") == "Ann")
        #expect(person.events == ["fetch false"])
        #expect(!person.hasChanges && !context.hasChanges && person.text("note") == "derived")
    }

    @Test(arguments: Facts.Kind.allCases)
    func aSaveMakesIDsPermanentAndObjectsClean_L9_L24_L30(kind: Facts.Kind) throws {
        let context = try Facts(kind).context()
        let person = try context.person(), student = context.make("Student", ["name": "s"])
        let temporary = person.objectID
        try context.save()
        #expect(!person.objectID.isTemporaryID && person.objectID != temporary)
        #expect(!person.isInserted && !person.isUpdated && !person.hasChanges && person.changedValues().isEmpty)
        #expect(context.registeredObject(for: person.objectID) === person)
        person.setValue("y", forKey: "name")
        #expect(person.isUpdated && !person.isInserted && context.updatedObjects == [person])
        #expect(try context.all("Person").first { $0 === student }?.objectID.entity.name == "Student")
    }

    @Test(arguments: Facts.Kind.allCases)
    func changedAndCommittedValues_L10_L11_L12_L13_L14_L15_L16_L17(kind: Facts.Kind) throws {
        let context = try Facts(kind).context()
        let new = try context.person()
        #expect(new.committedValues(forKeys: ["name"])["name"] is NSNull? && new.changedValues()["name"] != nil)
        try context.save()
        new.setValue("only here", forKey: "note")
        #expect(new.hasChanges && !new.hasPersistentChangedValues && new.changedValues().isEmpty)
        try context.save()
        new.setValue("y", forKey: "name")
        new.setValue("x", forKey: "name")
        #expect(new.hasChanges && !new.hasPersistentChangedValues)
        new.setValue("z", forKey: "name")
        let boss = try context.person()
        new.setValue(boss, forKey: "boss")
        #expect(Set(new.changedValues().keys) == ["name", "boss"])
        #expect(new.changedValues()["name"] as? String == "z" && new.changedValues()["boss"] as? FactPerson === boss)
        #expect(new.committedValues(forKeys: ["name"])["name"] as? String == "x")
        #expect(new.committedValues(forKeys: nil).keys.contains("born"))
        #expect(new.changedValuesForCurrentEvent()["name"] as? String == "z")
        context.processPendingChanges()
        #expect(new.changedValuesForCurrentEvent().isEmpty && !new.changedValues().isEmpty)
        try context.save()
        new.setPrimitiveValue("primitive", forKey: "name")
        #expect(!new.hasChanges && new.changedValues().isEmpty && new.text("name") == "primitive")
        new.willChangeValue(forKey: "name")
        new.setPrimitiveValue("told", forKey: "name")
        new.didChangeValue(forKey: "name")
        #expect(new.changedValues()["name"] as? String == "told")
        try context.save()
        context.refresh(new, mergeChanges: false)
        #expect(new.isFault)
        new.willAccessValue(forKey: nil)
        #expect(!new.isFault)
        new.didAccessValue(forKey: nil)
    }
}

extension ObjectFactTests {
    @Test func keysThatTheModelDoesNotHaveTrap_L19() async {
        await #expect(processExitsWith: .failure) {
            let facts = try Facts(.inMemory)
            _ = try facts.context().person().value(forKey: "nothing")
        }
        await #expect(processExitsWith: .failure) {
            let facts = try Facts(.inMemory)
            try facts.context().person().setValue(1, forKey: "nothing")
        }
    }

    @Test func accessorsGoThroughValuesByKey_L18() throws {
        let context = try Facts(.inMemory).context()
        let lock = try #require(context.make("Lock", ["title": "front"]) as? FactLock)
        #expect(lock.title == "FRONT" && lock.value(forKey: "title") as? String == "FRONT")
        #expect(lock.primitiveValue(forKey: "title") as? String == "front")
    }

    @Test(arguments: Facts.Kind.allCases)
    func transformablesInPlaceAndTransformersByName_L20_L21_L22(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let list = NSMutableArray(array: ["a"])
        let person = try context.saved(["tags": list])
        person.setValue(NSArray(array: ["a", "b"]), forKey: "tags")
        #expect(person.hasPersistentChangedValues)
        try context.save()
        #expect(try facts.context().all("Person").first?.value(forKey: "tags") as? [String] == ["a", "b"])
        person.setValue(nil, forKey: "tags")
        try context.save()
        #expect(try facts.context().all("Person").first?.value(forKey: "tags") == nil)
        #expect(NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue == "NSSecureUnarchiveFromData")
    }

    @Test func aPermanentIDIsObtainedEarly_L25_L26_L27_L29() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        let person = try context.person()
        try context.obtainPermanentIDs(for: [person])
        let id = person.objectID, uri = id.uriRepresentation()
        #expect(!id.isTemporaryID && person.isInserted)
        #expect(
            uri.absoluteString == "x-coredata://\(facts.coordinator.persistentStores[0].identifier ?? "")/Person/p1")
        try context.save()
        #expect(person.objectID == id)
        #expect(facts.coordinator.managedObjectID(forURIRepresentation: uri) == id)
        let foreign = try #require(URL(string: "x-coredata://00000000-0000-4000-8000-000000000000/Person/p1"))
        #expect(facts.coordinator.managedObjectID(forURIRepresentation: foreign) == nil)
    }

    @Test(arguments: Facts.Kind.allCases)
    func deletions_L31_L32_L33(kind: Facts.Kind) throws {
        let context = try Facts(kind).context()
        let never = try context.person()
        context.delete(never)
        #expect(context.insertedObjects.isEmpty)
        let posts = try Posts.of(context, .NSManagedObjectContextDidSave) { try context.save() }
        #expect(posts.allSatisfy { $0[NSDeletedObjectsKey] == 0 })
        let saved = try context.saved()
        context.delete(saved)
        #expect(saved.events.first == "prepare" && saved.isDeleted && context.deletedObjects == [saved])
        context.delete(saved)
        #expect(saved.events.filter { $0 == "prepare" }.count == 2)
        try context.save()
        #expect(!saved.isDeleted && saved.managedObjectContext == nil)
    }
}

extension ObjectFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func savesCallTheirHooks_L34_L35_L37_L38(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let person = try context.saved()
        person.setValue("y", forKey: "name")
        person.inWillSave = { if $0.text("nickname") != "hook" { $0.setValue("hook", forKey: "nickname") } }
        try context.save()
        #expect(person.events.filter { $0 == "willSave" }.count == 2)
        #expect(person.events.filter { $0 == "didSave" }.count == 1)
        #expect(try facts.context().all("Person").first?.text("nickname") == "hook")
        (person.inWillSave, person.events) = (nil, [])
        person.inDidSave = {
            $0.inDidSave = nil; $0.setValue("after", forKey: "nickname")
        }
        person.setValue("z", forKey: "name")
        try context.save()
        #expect(context.hasChanges && person.changedValues()["nickname"] as? String == "after")
        try context.save()
        person.events = []
        context.delete(person)
        try context.save()
        #expect(person.events.filter { $0 == "willSave" }.count == 1 && person.events.contains("didSave"))
    }

    @Test func recursiveDirtyingEnds_L36() async {
        await #expect(processExitsWith: .failure) {
            let context = try Facts(.inMemory).context(), person = try context.person()
            person.inWillSave = { $0.setValue(UUID().uuidString, forKey: "nickname") }
            do { try context.save() } catch { exit(1) }
        }
    }

    @Test(arguments: Facts.Kind.allCases)
    func objectsTurnIntoFaults_L39_L40_L43(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let person = try context.saved(["note": "kept"])
        #expect(person.text("note") == "kept")
        context.refresh(person, mergeChanges: false)
        #expect(person.events.suffix(2) == ["willFault", "didFault"])
        #expect(
            person.isFault && person.objectID.entity.name == "Person" && person.managedObjectContext === context
                && !person.isInserted && !person.isUpdated && !person.isDeleted && person.faultingState != 0)
        #expect(person == person && !person.description.isEmpty && person.isFault)
        #expect(person.text("note") == "derived")
        #expect(try facts.context().all("Person").first?.text("name") == "x")
    }

    @Test func propertiesOutsideTheModelAreNoChanges_L42() throws {
        let context = try Facts(.inMemory).context()
        let person = try context.saved()
        person.inWillSave = { _ in }
        #expect(!person.hasChanges && FactPerson.contextShouldIgnoreUnmodeledPropertyChanges)
    }

    @Test(arguments: Facts.Kind.allCases)
    func transientValuesGoToAParent_L44(kind: Facts.Kind) throws {
        let facts = try Facts(kind), parent = facts.context()
        let id = try parent.saved().objectID
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let copy = child.object(with: id)
        copy.setValue("from the child", forKey: "note")
        try child.save()
        #expect(parent.object(with: id).text("note") == "from the child" && parent.hasChanges)
    }
}

extension ObjectFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func rollbackRestoresWhatWasSaved_L45_U2_U8(kind: Facts.Kind) throws {
        let context = try Facts(kind).context()
        let kept = try context.saved(["name": "kept"]), gone = try context.saved(["name": "gone"])
        #expect(context.undoManager == nil)
        context.undo()
        context.redo()
        let new = try context.person()
        kept.setValue("changed", forKey: "name")
        context.delete(gone)
        context.rollback()
        #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
        #expect(kept.text("name") == "kept" && !gone.isDeleted && new.managedObjectContext == nil)
        context.undoManager = UndoManager()
        kept.setValue("again", forKey: "name")
        context.processPendingChanges()
        context.rollback()
        #expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == false)
    }

    @Test func oneEventPostsOneNotification_L46_L47_S8() throws {
        let context = try Facts(.inMemory).context()
        let saved = try context.saved(), other = try context.saved()
        let posts = try Posts.of(context, .NSManagedObjectContextObjectsDidChange) {
            let new = try context.person()
            new.setValue("n", forKey: "nickname")
            saved.setValue("y", forKey: "name")
            context.delete(other)
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(new.isInserted && !new.isUpdated)
        }
        #expect(posts.count == 1)
        #expect(
            posts[0][NSInsertedObjectsKey] == 1 && posts[0][NSUpdatedObjectsKey] == 1
                && posts[0][NSDeletedObjectsKey] == 1)
    }

    @Test func modelsInUseCanNotBeChanged_L49_L50() async {
        await #expect(processExitsWith: .failure) {
            let facts = try Facts(.inMemory)
            facts.coordinator.managedObjectModel.entities = []
        }
    }

    @Test func descriptionsAreCopied_L51_L55() throws {
        let age = try #require(Facts.model().entitiesByName["Person"]?.attributesByName["age"])
        let copy = try #require(age.copy() as? NSAttributeDescription)
        #expect(copy !== age && copy.name == "age" && copy.defaultValue as? Int == 18)
        #expect(copy.validationPredicates.count == 2 && copy.attributeType == .integer16AttributeType)
        let keys = try #require(Facts.model().entitiesByName["Person"]?.relationshipsByName["keys"])
        #expect((keys.copy() as? NSRelationshipDescription)?.isOrdered == true)
        for type: NSAttributeType in [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .stringAttributeType, .booleanAttributeType,
            .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType,
            .transformableAttributeType,
        ] { #expect(Library.attribute("a", type).attributeType == type) }
    }

    @Test(arguments: [Facts.Kind.sqlite])
    func derivedAttributes_L52_L53_L54(kind: Facts.Kind) throws {
        let model = Facts.model(), person = try #require(model.entitiesByName["Person"])
        func derived(_ name: String, _ type: NSAttributeType, _ format: String) -> NSDerivedAttributeDescription {
            let derived = NSDerivedAttributeDescription()
            (derived.name, derived.attributeType) = (name, type)
            derived.derivationExpression = NSExpression(format: format)
            return derived
        }
        person.properties += [
            derived("plain", .stringAttributeType, "canonical:(name)"),
            derived("petCount", .integer64AttributeType, "pets.@count"),
            derived("bossName", .stringAttributeType, "boss.name"),
        ]
        let facts = try Facts(kind, model: model), context = facts.context()
        let boss = try context.person(["name": "Élan"])
        let ann = try context.person(["name": "Ann", "boss": boss])
        context.make("Pet", ["owner": ann])
        #expect(ann.value(forKey: "petCount") == nil)
        try context.save()
        context.refreshAllObjects()
        #expect(boss.text("plain") == "elan" && ann.int("petCount") == 1 && ann.text("bossName") == "Élan")
        #expect(try context.names("petCount == 1") == ["Ann"])
        boss.setValue("Zoë", forKey: "name")
        try context.save()
        context.refreshAllObjects()
        #expect(ann.text("bossName") == "Zoë")
    }
}

extension ObjectFactTests {
    @Test func valuesOfAWrongClassTrapAtOnce_L56() async {
        await #expect(processExitsWith: .failure) {
            let facts = try Facts(.inMemory)
            try facts.context().person().setValue("text", forKey: "age")
        }
    }
}
