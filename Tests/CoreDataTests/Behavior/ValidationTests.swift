import CoreData
import Testing

/// What errors of validations are: of a save, and of methods that are called directly.
@Suite struct ValidationTests {
    private let context: NSManagedObjectContext
    private let model = Office.staff()

    init() throws { context = try Office.open(model) }

    private func details(_ error: NSError?) -> [NSError] { error?.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [] }

    private func check(
        _ error: NSError?, _ code: Int, _ object: NSManagedObject, _ key: String, _ value: NSObject?,
        _ line: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == code, sourceLocation: line)
        #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === object, sourceLocation: line)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key, sourceLocation: line)
        if let value {
            let found = error?.userInfo[NSValidationValueErrorKey]
            #expect(found.map { value.isEqual($0) } == true, "\(found ?? "nil")", sourceLocation: line)
        }
    }

    @Test func aMissingValueNamesTheObject() throws {
        let worker = context.add("Worker")
        check(failure { try context.save() }, NSValidationMissingMandatoryPropertyError, worker, "name", NSNull())
        check(
            failure { try worker.validateForInsert() }, NSValidationMissingMandatoryPropertyError, worker, "name",
            NSNull())
        check(
            failure { try worker.validateValue(nil, forKey: "name") }, NSValidationMissingMandatoryPropertyError,
            worker,
            "name", NSNull())
        worker.setValue("Ada", forKey: "name")
        try worker.validateForInsert()
        try context.save()
        worker.setValue(nil, forKey: "name")
        check(
            failure { try worker.validateForUpdate() }, NSValidationMissingMandatoryPropertyError, worker, "name",
            NSNull())
    }

    @Test func theTextOfAPredicatesWarningIsTheDescription() throws {
        let worker = context.add("Worker", ["name": "A"])
        for error in [failure { try context.save() }, failure { try worker.validateForInsert() }] {
            check(error, NSManagedObjectValidationError, worker, "name", NSString(string: "A"))
            #expect(error?.localizedDescription == "That is no name.")
            #expect(
                error?.userInfo[NSValidationPredicateErrorKey] as? NSPredicate == NSPredicate(format: "length >= 2"))
        }
    }

    @Test func aValueIsValidatedByPredicatesWithoutBeingSet() throws {
        let worker = context.add("Worker", ["name": "Ada"])
        let error = failure { try worker.validateValue(-5, forKey: "wage") }
        check(error, NSManagedObjectValidationError, worker, "wage", NSNumber(value: -5))
        #expect(error?.localizedDescription == "Wages are paid.")
        check(
            failure { try worker.validateValue(666 as NSNumber, forKey: "wage") }, NSManagedObjectValidationError,
            worker,
            "wage", NSNumber(value: 666))
        try worker.validateValue(50, forKey: "wage")
        try worker.validateValue(nil, forKey: "wage")
        try worker.validateValue(NSNull(), forKey: "wage")
        try worker.validateValue("Eve", forKey: "name")
        #expect(worker.value(forKey: "wage") == nil)
    }

    @Test func severalFailuresAreOneError() throws {
        let worker = context.add("Worker", ["wage": -1])
        for error in [failure { try context.save() }, failure { try worker.validateForInsert() }] {
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSValidationMultipleErrorsError)
            #expect(Set(details(error).map(\.code)) == [1550, 1570])
            #expect(
                details(error).allSatisfy { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === worker })
        }
        let two = failure { try worker.validateValue(-666, forKey: "wage") }
        #expect(two?.code == NSManagedObjectValidationError, "only one of the two predicates fails")
    }

    @Test func aBoundWithoutATextKeepsItsOwnNumber() throws {
        let size = Library.attribute("size", .integer32AttributeType) {
            $0.setValidationPredicates([NSPredicate(format: "SELF >= 3")], withValidationWarnings: nil)
        }
        let context = try Office.open(Office.model(Office.entity("Box", [size])))
        let box = context.add("Box", ["size": 2])
        check(failure { try context.save() }, NSValidationNumberTooSmallError, box, "size", NSNumber(value: 2))
    }

    @Test func failuresOfSeveralObjectsAreListedOneByOne() throws {
        let first = context.add("Worker", ["wage": -1]), second = context.add("Worker", ["name": "B"])
        let error = failure { try context.save() }
        #expect(error?.code == NSValidationMultipleErrorsError)
        let objects = details(error).compactMap { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject }
        #expect(objects.filter { $0 === first }.count == 2 && objects.filter { $0 === second }.count == 1)
        #expect(details(error).allSatisfy { details($0).isEmpty })
    }

}

extension ValidationTests {
    @Test func aCorrectedObjectIsSaved() throws {
        let worker = context.add("Worker", ["wage": -1])
        #expect(throws: CocoaError.self) { try context.save() }
        #expect(worker.isInserted)
        worker.setValuesForKeys(["name": "Ada", "wage": 0])
        try context.save()
    }

    @Test func countsOfRelationshipsAreErrorsOfTheRelationship() throws {
        let team = context.add("Team"), workers = (0..<4).map { context.add("Worker", ["name": "W\($0)"]) }
        team.setValue(Set(workers), forKey: "workers")
        for error in [failure { try context.save() }, failure { try team.validateForInsert() }] {
            check(error, NSValidationRelationshipExceedsMaximumCountError, team, "workers", nil)
            #expect(error?.userInfo[NSValidationValueErrorKey] as? Set<NSManagedObject> == Set(workers))
        }
        check(
            failure { try team.validateValue(Set(workers), forKey: "workers") },
            NSValidationRelationshipExceedsMaximumCountError, team, "workers", nil)
        try team.validateValue(Set(workers.prefix(3)), forKey: "workers")
    }

    @Test func aDeniedDeletionIsAnErrorOfTheObject() throws {
        let team = context.add("Team"), worker = context.add("Worker", ["name": "Ada", "team": team])
        try context.save()
        context.delete(team)
        for error in [failure { try team.validateForDelete() }, failure { try context.save() }] {
            check(error, NSValidationRelationshipDeniedDeleteError, team, "workers", nil)
        }
        context.delete(worker)
        try team.validateForDelete()
        try context.save()
    }

    @Test func aPredicateOfARelationshipIsAskedWithItsObjects() throws {
        let up = Office.relationship("up", max: 1), parts = Office.relationship("parts", max: 0)
        let whole = Office.entity("Whole", [parts]), part = Office.entity("Part", [up])
        Office.connect(parts, whole, up, part)
        parts.setValidationPredicates([NSPredicate(format: "@count <= 1")], withValidationWarnings: ["One part."])
        let context = try Office.open(Office.model(whole, part))
        let object = context.add("Whole")
        context.add("Part", ["up": object])
        try context.save()
        context.add("Part", ["up": object])
        let error = failure { try context.save() }
        check(error, NSManagedObjectValidationError, object, "parts", nil)
        #expect(error?.localizedDescription == "One part.")
    }

    @Test func boundsOfAModelFileHaveNumbersOfTheirOwnAndPredicates() throws {
        let folder = try Folder()
        let source = folder.url.appendingPathComponent("Bounds.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Item" representedClassName="NSManagedObject" syncable="YES">
                    <attribute name="code" optional="YES" attributeType="String" minValueString="2" maxValueString="4"/>
                </entity>
            </model>
            """.utf8
        ).write(to: source.appendingPathComponent("contents"))
        let model = try #require(NSManagedObjectModel(contentsOf: source))
        let code = try #require(model.entitiesByName["Item"]?.attributesByName["code"])
        #expect(
            code.validationPredicates == [NSPredicate(format: "length >= 2"), NSPredicate(format: "length <= 4")])
        #expect(code.validationWarnings as? [Int] == [1670, 1660])
        let context = try Office.open(model)
        let item = context.add("Item", ["code": "A"])
        let error = failure { try context.save() }
        check(error, NSValidationStringTooShortError, item, "code", NSString(string: "A"))
        #expect(error?.userInfo[NSValidationPredicateErrorKey] as? NSPredicate == NSPredicate(format: "length >= 2"))
    }

    @Test func anErrorOfTheApplicationArrivesAsItIs() throws {
        let item = Office.entity("Guarded", [Library.attribute("name", .stringAttributeType) { $0.isOptional = false }])
        item.managedObjectClassName = NSStringFromClass(Guarded.self)
        let context = try Office.open(Office.model(item))
        let object = context.add("Guarded", ["name": "bad"])
        #expect(throws: Guarded.Refusal()) { try object.validateForInsert() }
        #expect(throws: Guarded.Refusal()) { try context.save() }
        // An override sees the errors of the rules in Cocoa's form, and may add its own.
        object.setValue(nil, forKey: "name")
        let error = failure { try context.save() }
        #expect(error?.code == NSValidationMultipleErrorsError)
        #expect(details(error).map(\.code) == [1570, 7])
        // Together with the error of another object.
        context.add("Guarded", ["name": "bad"])
        let all = failure { try context.save() }
        #expect(details(all).count == 3 && all?.code == NSValidationMultipleErrorsError)
    }
}

/// A class with a rule of its own, which combines errors as Apple's guide does.
final class Guarded: NSManagedObject {
    struct Refusal: Error, Equatable {}

    override func validateForInsert() throws {
        do { try super.validateForInsert() } catch {
            let first = error as NSError
            let own = NSError(domain: "Guarded", code: 7)
            throw NSError(
                domain: NSCocoaErrorDomain, code: NSValidationMultipleErrorsError,
                userInfo: [NSDetailedErrorsKey: [first, own]])
        }
        if value(forKey: "name") as? String == "bad" { throw Refusal() }
    }
}
