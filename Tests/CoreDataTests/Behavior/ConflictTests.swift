import CoreData
import Testing

/// What the errors of saves that failed for conflicts tell.
@Suite struct ConflictTests {
    private static func conflicts<Conflict>(_ error: NSError?, _ type: Conflict.Type = Conflict.self) -> [Conflict] {
        error?.userInfo["conflictList"] as? [Conflict] ?? []
    }

    @Test(arguments: Office.types)
    func aConflictWithinACoordinatorHasTheObjectAndTheNewerValues(_ type: String) throws {
        let folder = try Folder()
        let first = try Office.open(Office.cars(), type, folder), second = Office.other(than: first)
        first.add("Car", ["plate": "1", "maker": "A"])
        try first.save()
        let one = try #require(try first.all("Car").first), two = try #require(try second.all("Car").first)
        #expect(two.text("maker") == "A")
        one.setValue("B", forKey: "maker")
        try first.save()
        two.setValue("C", forKey: "maker")
        let error = failure { try second.save() }
        #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectMergeError)
        let conflict = try #require(Self.conflicts(error, NSMergeConflict.self).first)
        #expect(conflict.sourceObject === two)
        #expect(conflict.objectSnapshot?["maker"] as? String == "A")
        #expect(conflict.cachedSnapshot?["maker"] as? String == "B")
        #expect(conflict.persistedSnapshot == nil)
        #expect(conflict.newVersionNumber > conflict.oldVersionNumber)
        // Also once the context is no longer used.
        second.rollback()
        #expect(conflict.sourceObject === two)
    }

    @Test func aConflictWithAnotherCoordinatorHasTheStoresValues() throws {
        let folder = try Folder()
        let mine = try Office.open(Office.cars(), NSSQLiteStoreType, folder)
        let car = mine.add("Car", ["plate": "1", "maker": "A"])
        try mine.save()
        let theirs = try Office.open(Office.cars(), NSSQLiteStoreType, folder)
        try #require(try theirs.all("Car").first).setValue("B", forKey: "maker")
        try theirs.save()
        car.setValue("C", forKey: "maker")
        let conflict = try #require(Self.conflicts(failure { try mine.save() }, NSMergeConflict.self).first)
        #expect(conflict.sourceObject === car)
        #expect(conflict.cachedSnapshot?["maker"] as? String == "A")
        #expect(conflict.persistedSnapshot?["maker"] as? String == "B")
    }

    @Test func aDeletedRowHasTheVersionZeroAndNoValues() throws {
        let first = try Office.open(Office.cars()), second = Office.other(than: first)
        let car = first.add("Car", ["plate": "1"])
        try first.save()
        let seen = try #require(try second.all("Car").first)
        seen.setValue("X", forKey: "maker")
        first.delete(car)
        try first.save()
        let conflict = try #require(Self.conflicts(failure { try second.save() }, NSMergeConflict.self).first)
        #expect(conflict.sourceObject === seen && conflict.newVersionNumber == 0)
        #expect(conflict.cachedSnapshot == nil && conflict.persistedSnapshot == nil)
    }

    @Test func aConstraintsConflictNamesTheObjectsAfterTheSave() throws {
        let folder = try Folder()
        let first = try Office.open(Office.cars(), NSSQLiteStoreType, folder), second = Office.other(than: first)
        let saved = first.add("Car", ["plate": "1", "maker": "A"])
        try first.save()
        let new = second.add("Car", ["plate": "1", "maker": "B"])
        let error = failure { try second.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        let conflict = try #require(Self.conflicts(error, NSConstraintConflict.self).first)
        #expect(conflict.constraint == ["plate"] && conflict.constraintValues["plate"] as? String == "1")
        #expect(conflict.conflictingObjects.count == 1 && conflict.conflictingObjects.first === new)
        #expect(conflict.databaseObject?.objectID == saved.objectID)
        #expect(conflict.databaseObject?.managedObjectContext === second)
        #expect(conflict.databaseSnapshot?["maker"] as? String == "A")
        #expect(conflict.conflictingSnapshots.first?["maker"] as? String == "B")
        second.rollback()
        #expect(conflict.conflictingObjects.first === new && conflict.databaseObject != nil)
    }

    @Test func aConstraintsConflictWithinAContextHasNoObjectOfTheStore() throws {
        let folder = try Folder()
        let context = try Office.open(Office.cars(), NSSQLiteStoreType, folder)
        let cars = [context.add("Car", ["plate": "1"]), context.add("Car", ["plate": "1"])]
        let conflict = try #require(Self.conflicts(failure { try context.save() }, NSConstraintConflict.self).first)
        #expect(Set(conflict.conflictingObjects) == Set(cars))
        #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
    }

    @Test func aPolicyOfOnesOwnGetsObjectsInBothKindsOfConflicts() throws {
        final class Noting: NSMergePolicy, @unchecked Sendable {
            var seen: [String] = []

            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                seen += list.map { "changed \($0.sourceObject.text("maker") ?? "")" }
                try super.resolve(optimisticLockingConflicts: list)
            }

            override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
                seen += list.map { "same \($0.conflictingObjects.count) \($0.databaseObject != nil)" }
                try super.resolve(constraintConflicts: list)
            }
        }
        let folder = try Folder()
        let first = try Office.open(Office.cars(), NSSQLiteStoreType, folder), second = Office.other(than: first)
        let policy = Noting(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        second.mergePolicy = policy
        let car = first.add("Car", ["plate": "1", "maker": "A"])
        try first.save()
        let seen = try #require(try second.all("Car").first)
        _ = seen.text("maker")
        car.setValue("B", forKey: "maker")
        try first.save()
        seen.setValue("C", forKey: "maker")
        try second.save()
        second.add("Car", ["plate": "1", "maker": "D"])
        try second.save()
        #expect(policy.seen == ["changed C", "same 1 true"])
        #expect(try Office.other(than: first).all("Car").count == 1)
    }

    @Test func aStoreOfOnesOwnMakesConflicts() throws {
        let context = try Office.open(Office.cars())
        let car = context.add("Car", ["plate": "1", "maker": "A"])
        try context.save()
        let conflict = NSMergeConflict(
            source: car, newVersion: 3, oldVersion: 2, cachedSnapshot: ["maker": "B"], persistedSnapshot: nil)
        #expect(conflict.sourceObject === car && conflict.newVersionNumber == 3 && conflict.oldVersionNumber == 2)
        #expect(conflict.objectSnapshot?["maker"] as? String == "A")
        #expect(conflict.cachedSnapshot?["maker"] as? String == "B" && conflict.persistedSnapshot == nil)
        let same = NSConstraintConflict(
            constraint: ["plate"], databaseObject: nil, databaseSnapshot: nil, conflictingObjects: [car],
            conflictingSnapshots: [["plate": "1", "maker": "A"]])
        #expect(same.conflictingObjects.first === car && same.constraintValues["plate"] as? String == "1")
        #expect(same.conflictingSnapshots.first?["maker"] as? String == "A" && same.databaseObject == nil)
    }
}
