import CoreData
import Testing

/// Relationships and validation, as the page *Core Data's behavior* numbers them.
struct RelationshipFactTests {
    @Test(arguments: Facts.Kind.allCases)
    func inversesFollow_R1_R2_R3_R4_R9(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let ann = try context.saved(["name": "Ann"]), bob = try context.saved(["name": "Bob"])
        let pet = context.make("Pet", ["name": "p"])
        pet.setValue(ann, forKey: "owner")
        #expect(ann.objects("pets") == [pet] && ann.isUpdated)
        bob.mutableSetValue(forKey: "pets").add(pet)
        #expect(ann.objects("pets").isEmpty && pet.object("owner") === bob)
        let club = context.make("Club", ["name": "c"])
        ann.mutableSetValue(forKey: "clubs").add(club)
        try context.save()
        #expect(try facts.context().all("Club").first?.objects("members").count == 1)
        club.mutableSetValue(forKey: "members").remove(ann)
        try context.save()
        #expect(try facts.context().names("clubs.@count == 1") == [])
        #expect(ann.objects("clubs").isEmpty)
    }

    @Test(arguments: Facts.Kind.allCases)
    func setsAndOrderedSets_R5_R6_R7_R8_R22(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context(), ann = try context.saved(["name": "Ann"])
        for number in 1...3 { context.make("Key", ["number": number, "holder": ann]) }
        func numbers(_ person: NSManagedObject) -> [Int?] {
            (person.value(forKey: "keys") as? NSOrderedSet)?.array.map { ($0 as? NSManagedObject)?.int("number") } ?? []
        }
        #expect(numbers(ann) == [1, 2, 3] && ann.value(forKey: "pets") is Set<NSManagedObject>)
        try context.save()
        let keys = ann.mutableOrderedSetValue(forKey: "keys")
        keys.moveObjects(at: [2], to: 0)
        #expect(numbers(ann) == [3, 1, 2] && ann.isUpdated)
        try context.save()
        #expect(try facts.context().all("Person").first.map(numbers) == [3, 1, 2])
        let set = ann.value(forKey: "pets")
        ann.setValue(set, forKey: "pets")
        #expect(!ann.hasPersistentChangedValues)
    }

    @Test(arguments: Facts.Kind.allCases)
    func rulesOfDeletion_R10_R11_R13_R15_R17(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let ann = try context.person(["name": "Ann"]), bob = try context.person(["name": "Bob", "boss": ann])
        let pet = context.make("Pet", ["owner": ann]), lock = context.make("Lock", ["owner": ann])
        try context.save()
        #expect(context.propagatesDeletesAtEndOfEvent)
        context.delete(lock)
        context.delete(ann)
        #expect(bob.object("boss") === ann && !pet.isDeleted)
        context.processPendingChanges()
        #expect(bob.object("boss") == nil && pet.isDeleted)
        try context.save()
        #expect(try facts.context().names() == ["Bob"] && facts.context().all("Pet").isEmpty)
        context.propagatesDeletesAtEndOfEvent = false
        let cat = context.make("Pet", ["owner": bob])
        try context.save()
        context.delete(bob)
        context.processPendingChanges()
        #expect(!cat.isDeleted)
        try context.save()
        #expect(try facts.context().all("Pet").isEmpty)
    }

    @Test(arguments: Facts.Kind.allCases)
    func denialsFailTheSave_R12_R14(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let ann = try context.person(["name": "Ann"])
        context.make("Lock", ["owner": ann])
        try context.save()
        context.delete(ann)
        let error = failure { try context.save() }
        #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "locks")
        #expect(failure { try ann.validateForDelete() }?.code == NSValidationRelationshipDeniedDeleteError)
        #expect(try facts.context().names() == ["Ann"])
        context.rollback()
        #expect(!ann.isDeleted)
    }

    @Test(arguments: Facts.Kind.allCases)
    func countsAreValidated_R18_R19(kind: Facts.Kind) throws {
        let model = Facts.model(), person = try #require(model.entitiesByName["Person"])
        let pets = try #require(person.relationshipsByName["pets"])
        (pets.minCount, pets.maxCount, pets.isOptional) = (1, 2, true)
        let owner = try #require(model.entitiesByName["Pet"]?.relationshipsByName["owner"])
        owner.isOptional = false
        let context = try Facts(kind, model: model).context()
        let ann = try context.person(["name": "Ann"])
        try context.save()
        for _ in 0..<3 { context.make("Pet", ["owner": ann]) }
        let many = failure { try context.save() }
        #expect(many?.code == NSValidationRelationshipExceedsMaximumCountError)
        #expect(many?.userInfo[NSValidationKeyErrorKey] as? String == "pets")
        context.rollback()
        context.make("Pet")
        #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
    }
}

extension RelationshipFactTests {
    @Test func aMandatoryToManyHasItsLeastCount_R19() throws {
        let model = Facts.model()
        let pets = try #require(model.entitiesByName["Person"]?.relationshipsByName["pets"])
        (pets.minCount, pets.isOptional) = (2, false)
        let context = try Facts(.inMemory, model: model).context(), ann = try context.person()
        context.make("Pet", ["owner": ann])
        #expect(failure { try context.save() }?.code == NSValidationRelationshipLacksMinimumCountError)
        context.make("Pet", ["owner": ann])
        try context.save()
    }

    @Test func targetsInAnotherStoreFailTheSave_R20_C6() throws {
        let facts = try Facts(.sqlite), context = facts.context()
        let second = try facts.coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let ann = try context.person(), pet = context.make("Pet", ["owner": ann])
        context.assign(ann, to: facts.coordinator.persistentStores[0])
        context.assign(pet, to: second)
        #expect(failure { try context.save() }?.code == NSManagedObjectExternalRelationshipError)
    }

    @Test func targetsOfAnotherContextTrap_R21() async {
        await #expect(processExitsWith: .failure) {
            let facts = try Facts(.inMemory), context = facts.context(), pet = context.make("Pet")
            pet.setValue(try facts.context().saved(), forKey: "owner")
        }
    }

    @Test(arguments: Facts.Kind.allCases)
    func validationRunsInSaves_V1_V2_V15_V16_V17_V18_V20(kind: Facts.Kind) throws {
        let facts = try Facts(kind), context = facts.context()
        let person = try context.person(["age": 150])
        #expect(person.events == ["insert 18"])
        try context.save()
        #expect(person.events.contains("validateInsert") && !person.events.contains("validateUpdate"))
        person.setValue(151, forKey: "age")
        #expect(failure { try context.save() }?.code == NSValidationNumberTooLargeError)
        #expect(person.events.contains("validateUpdate") && person.int("age") == 151 && context.hasChanges)
        #expect(try facts.context().all("Person").first?.int("age") == 150)
        person.setValue(0, forKey: "age")
        try context.save()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        child.object(with: person.objectID).setValue(-1, forKey: "age")
        #expect(failure { try child.save() }?.code == NSValidationNumberTooSmallError)
        #expect(person.int("age") == 0)
        context.delete(person)
        try context.save()
        #expect(person.events.contains("validateDelete"))
    }

    @Test func validateValueApplies_V3() throws {
        let context = try Facts(.inMemory).context(), person = try context.person()
        #expect(failure { try person.validateValue(200, forKey: "age") }?.code == NSValidationNumberTooLargeError)
        try person.validateValue(20, forKey: "age")
    }
}

extension RelationshipFactTests {
    @Test func errorsOfValidationSayTheirPlace_V4_V5_V6_V8_V9_V11_V13_V21() throws {
        let context = try Facts(.inMemory).context()
        let person = try context.person()
        person.validation = { _ in throw NSError(domain: "own", code: 7) }
        let own = failure { try context.save() }
        #expect(own?.domain == "own" && own?.code == 7)
        person.validation = nil
        person.setValue(nil, forKey: "name")
        let missing = try #require(failure { try context.save() })
        #expect(missing.domain == NSCocoaErrorDomain && missing.code == NSValidationMissingMandatoryPropertyError)
        #expect(missing.userInfo[NSValidationKeyErrorKey] as? String == "name")
        #expect(missing.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === person)
        person.setValue(-5, forKey: "age")
        let both = try #require(failure { try context.save() })
        let details = try #require(both.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(both.code == NSValidationMultipleErrorsError && details.count == 2)
        #expect(Set(details.map(\.code)) == [1570, 1620])
        let small = try #require(details.first { $0.code == 1620 })
        #expect(small.userInfo[NSValidationValueErrorKey] as? Int == -5)
        #expect(small.userInfo[NSValidationPredicateErrorKey] is NSPredicate)
        person.setValue("n", forKey: "name")
        person.setValue(1, forKey: "age")
        let second = try context.person(["age": 151]), third = try context.person(["age": 151])
        let several = try #require(failure { try context.save() })
        #expect((several.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == 2)
        for object in [second, third] { context.delete(object) }
        try context.save()
        #expect(NSValidationStringTooLongError == 1660 && NSValidationStringPatternMatchingError == 1680)
        #expect(NSManagedObjectValidationError == 1550 && NSValidationInvalidURIError == 1690)
    }

    @Test func predicatesWithWarnings_V10_V12() throws {
        let model = Facts.model()
        let nickname = try #require(model.entitiesByName["Person"]?.attributesByName["nickname"])
        let rule = NSPredicate(format: "SELF BEGINSWITH 'a'")
        nickname.setValidationPredicates([rule], withValidationWarnings: ["must begin with a"])
        let context = try Facts(.inMemory, model: model).context()
        try context.person(["nickname": "bee"])
        let error = try #require(failure { try context.save() })
        #expect(error.code == NSManagedObjectValidationError && error.localizedDescription == "must begin with a")
        #expect(error.userInfo[NSValidationValueErrorKey] as? String == "bee")
        #expect(
            (error.userInfo[NSValidationPredicateErrorKey] as? NSPredicate)?.description == rule.description)
    }

    @Test func rulesAndDefaultsAreNoPartOfAVersion_V14_C31() throws {
        let plain = Facts.model(), other = Facts.model()
        let age = try #require(other.entitiesByName["Person"]?.attributesByName["age"])
        age.setValidationPredicates([], withValidationWarnings: [])
        age.defaultValue = 3
        #expect(plain.entityVersionHashesByName == other.entityVersionHashesByName)
        age.versionHashModifier = "m"
        #expect(plain.entityVersionHashesByName["Person"] != other.entityVersionHashesByName["Person"])
        #expect(plain.entityVersionHashesByName["Club"] == other.entityVersionHashesByName["Club"])
    }

    @Test func numbersOfErrors_V19_V22() {
        #expect(
            NSManagedObjectReferentialIntegrityError == 133000 && NSManagedObjectExternalRelationshipError == 133010)
        #expect(NSManagedObjectMergeError == 133020 && NSManagedObjectConstraintMergeError == 133021)
        #expect(NSPersistentStoreIncompatibleVersionHashError == 134100 && NSPersistentStoreOpenError == 134080)
        #expect(NSMigrationMissingSourceModelError == 134130 && NSMigrationMissingMappingModelError == 134140)
        #expect(NSPersistentStoreTimeoutError == 134090 && NSPersistentStoreSaveConflictsError == 134050)
        #expect(NSPersistentStoreUnsupportedRequestTypeError == 134091 && NSSQLiteError == 134180)
        #expect(NSPersistentHistoryTokenExpiredError == 134301 && NSInferredMappingModelError == 134190)
        #expect(NSMigrationConstraintViolationError == 134111 && NSMigrationCancelledError == 134120)
    }
}
