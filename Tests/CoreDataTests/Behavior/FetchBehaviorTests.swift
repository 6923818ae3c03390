import CoreData
import Testing

/// Requests, key paths, and changes that arrive from elsewhere.
@Suite struct FetchBehaviorTests {
    @Test func aRequestHasItsEntityOnceAContextUsedIt() throws {
        let context = try Office.open(Office.staff())
        let request = NSFetchRequest<NSManagedObject>(entityName: "Worker")
        #expect(request.entity == nil && request.entityName == "Worker")
        _ = try context.fetch(request)
        #expect(request.entity?.name == "Worker" && request.entityName == "Worker")
        let counting = NSFetchRequest<NSNumber>(entityName: "Team")
        _ = try context.count(for: counting)
        #expect(counting.entity?.name == "Team")
        // Another context may have another model.
        #expect(try Office.open(Office.staff(version: 2)).fetch(request).isEmpty)
    }

    @Test func aPathThroughAToManyRelationshipIsASet() throws {
        let context = try Office.open(Office.staff())
        let team = context.add("Team", ["name": "T"])
        for (name, wage) in [("ab", 1), ("bc", 2), ("cd", 6)] {
            context.add("Worker", ["name": name, "wage": wage, "team": team])
        }
        try context.save()
        let names = team.value(forKeyPath: "workers.name")
        #expect(names as? Set<String> == ["ab", "bc", "cd"] && names is NSSet)
        #expect(team.value(forKeyPath: "workers.wage") as? Set<Int> == [1, 2, 6])
        #expect(team.value(forKeyPath: "workers.team") as? Set<NSManagedObject> == [team])
        #expect(team.value(forKeyPath: "workers.born") as? Set<Date> == [], "nil is no element of a set")
        let worker = try #require(try context.all("Worker", by: "name").first)
        #expect(worker.value(forKeyPath: "team.name") as? String == "T")
        #expect(worker.value(forKeyPath: "team.workers.name") as? Set<String> == ["ab", "bc", "cd"])
        worker.setValue(nil, forKey: "team")
        #expect(worker.value(forKeyPath: "team.workers.name") == nil)
        #expect(team.value(forKeyPath: "workers.@count") as? Int == 2)
        #expect(team.value(forKeyPath: "workers.@sum.wage") as? Int == 8)
        #expect(team.value(forKeyPath: "workers.@max.wage") as? Int == 6)
        #expect(team.value(forKeyPath: "workers.@avg.wage") as? Double == 4)
    }

    @Test func operatorsCollectValuesAndSettingReachesEachObject() throws {
        let context = try Office.open(Office.staff())
        let team = context.add("Team", ["name": "T"])
        for (name, wage) in [("ab", 1), ("bc", 1), ("cd", 6)] {
            context.add("Worker", ["name": name, "wage": wage, "team": team])
        }
        #expect(team.value(forKeyPath: "workers.@distinctUnionOfObjects.wage") as? Set<Int> == [1, 6])
        let worker = try #require(try context.all("Worker", by: "name").first)
        #expect(
            worker.value(forKeyPath: "team.workers.@distinctUnionOfObjects.name") as? Set<String> == ["ab", "bc", "cd"])
        team.setValue(9, forKeyPath: "workers.wage")
        #expect(team.value(forKeyPath: "workers.wage") as? Set<Int> == [9])
        worker.setValue("U", forKeyPath: "team.name")
        #expect(team.text("name") == "U")
    }

    @Test func aBatchHasItsEntityOnceAContextExecutedIt() throws {
        let folder = try Folder()
        let context = try Office.open(Office.cars(), NSSQLiteStoreType, folder)
        let insertion = NSBatchInsertRequest(entityName: "Car", objects: [["plate": "1"]])
        try context.execute(insertion)
        let update = NSBatchUpdateRequest(entityName: "Car")
        update.propertiesToUpdate = ["maker": "A"]
        try context.execute(update)
        #expect(insertion.entity?.name == "Car" && update.entity.name == "Car")
    }

    @Test func aPathThroughAnOrderedRelationshipKeepsTheOrder() throws {
        let up = Office.relationship("list", max: 1), items = Office.relationship("items", max: 0)
        items.isOrdered = true
        let list = Office.entity("List", [items])
        let item = Office.entity("Item", [Library.attribute("name", .stringAttributeType), up])
        Office.connect(items, list, up, item)
        let context = try Office.open(Office.model(list, item))
        let object = context.add("List")
        object.setValue(
            NSOrderedSet(array: ["b", "a", "c"].map { context.add("Item", ["name": $0]) }), forKey: "items")
        #expect((object.value(forKeyPath: "items.name") as? NSOrderedSet)?.array as? [String] == ["b", "a", "c"])
    }

    @Test func columnsLeadAlongToOneRelationships() throws {
        let folder = try Folder()
        let context = try Office.open(Office.staff(), NSSQLiteStoreType, folder)
        let team = context.add("Team", ["name": "T"])
        let first = context.add("Worker", ["name": "ab", "team": team])
        context.add("Worker", ["name": "bc"])
        try context.save()
        let column = NSExpressionDescription()
        (column.name, column.expressionResultType) = ("unit", .stringAttributeType)
        column.expression = NSExpression(forKeyPath: "team.name")
        let request = NSFetchRequest<NSDictionary>(entityName: "Worker")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name", "team.name", "objectID", column]
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let rows = try context.fetch(request)
        #expect(rows.map { $0["unit"] as? String } == ["T", nil] && rows[0]["team.name"] as? String == "T")
        #expect(rows[0]["objectID"] as? NSManagedObjectID == first.objectID)
        let id = NSExpressionDescription()
        (id.name, id.expressionResultType) = ("id", .objectIDAttributeType)
        id.expression = NSExpression.expressionForEvaluatedObject()
        request.propertiesToFetch = [id]
        #expect(try context.fetch(request).first?["id"] as? NSManagedObjectID == first.objectID)
    }

    @Test func templatesKeepTheirVariables() throws {
        let model = Office.staff()
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Worker")
        template.predicate = NSPredicate(format: "wage > $MIN AND name BEGINSWITH $NAME")
        model.setFetchRequestTemplate(template, forName: "rich")
        let context = try Office.open(model)
        for name in ["Anna", "Bob"] { context.add("Worker", ["name": name, "wage": 9]) }
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "rich", substitutionVariables: ["MIN": 3, "NAME": "A"]))
        #expect(try context.fetch(request).compactMap { ($0 as? NSManagedObject)?.text("name") } == ["Anna"])
        #expect(template.predicate == NSPredicate(format: "wage > $MIN AND name BEGINSWITH $NAME"))
    }

}

extension FetchBehaviorTests {
    // MARK: Contexts

    private final class Notes {
        var names: [String] = []
        var last: [AnyHashable: Any] = [:]
        var tokens: [any NSObjectProtocol] = []

        func observe(_ name: Notification.Name, _ context: NSManagedObjectContext) {
            nonisolated(unsafe) let own = self
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                    own.names.append($0.name.rawValue)
                    own.last = $0.userInfo ?? [:]
                })
        }

        func count(_ key: String) -> Int {
            (last[key] as? Set<NSManagedObject>)?.count ?? (last[key] as? Set<NSManagedObjectID>)?.count ?? 0
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    }

    @Test func aSaveTellsWhatItSaved() throws {
        let context = try Office.open(Office.cars()), saves = Notes(), ids = Notes()
        saves.observe(.NSManagedObjectContextWillSave, context)
        saves.observe(.NSManagedObjectContextDidSave, context)
        ids.observe(.NSManagedObjectContextDidSaveObjectIDs, context)
        let cars = ["1", "2"].map { context.add("Car", ["plate": $0]) }
        try context.save()
        #expect(
            saves.names == [
                Notification.Name.NSManagedObjectContextWillSave.rawValue,
                Notification.Name.NSManagedObjectContextDidSave.rawValue,
            ])
        #expect(saves.last[NSInsertedObjectsKey] as? Set<NSManagedObject> == Set(cars))
        #expect(ids.last[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == Set(cars.map(\.objectID)))
        cars[0].setValue("X", forKey: "maker")
        context.delete(cars[1])
        context.add("Car", ["plate": "3"])
        try context.save()
        #expect([NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey].map { saves.count($0) } == [1, 1, 1])
        #expect(ids.count(NSDeletedObjectIDsKey) == 1)
    }

    @Test func aMergeTellsWhatItRefreshedAndInserted() throws {
        let context = try Office.open(Office.cars()), viewer = Office.other(than: context)
        for plate in ["1", "2"] { context.add("Car", ["plate": plate]) }
        try context.save()
        let seen = try viewer.all("Car")
        #expect(seen.allSatisfy { $0.text("maker") == nil })
        let changes = Notes(), merges = Notes()
        changes.observe(.NSManagedObjectContextObjectsDidChange, viewer)
        merges.observe(.NSManagedObjectContextDidMergeChangesObjectIDs, viewer)
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { viewer.mergeChanges(fromContextDidSave: $0) }
        for car in try context.all("Car") { car.setValue("M", forKey: "maker") }
        context.add("Car", ["plate": "3"])
        try context.save()
        NotificationCenter.default.removeObserver(token)
        #expect(
            [NSRefreshedObjectsKey, NSInsertedObjectsKey, NSUpdatedObjectsKey].map { changes.count($0) } == [2, 1, 0])
        #expect(
            [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectIDsKey].map { merges.count($0) }
                == [1, 2, 2])
        #expect(seen.allSatisfy { $0.text("maker") == "M" })
    }

    @Test func changesOfABatchAreMergedByTheirIDs() throws {
        let folder = try Folder()
        let context = try Office.open(Office.cars(), NSSQLiteStoreType, folder)
        let car = context.add("Car", ["plate": "1", "maker": "A"])
        try context.save()
        let request = NSBatchUpdateRequest(entityName: "Car")
        (request.propertiesToUpdate, request.resultType) = (["maker": "B"], .updatedObjectIDsResultType)
        let ids = try #require((try context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID])
        #expect(car.text("maker") == "A")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
        #expect(car.text("maker") == "B")
    }

    @Test func refreshingAllKeepsEdits() throws {
        let context = try Office.open(Office.cars())
        let edited = context.add("Car", ["plate": "1"]), other = context.add("Car", ["plate": "2"])
        try context.save()
        edited.setValue("X", forKey: "maker")
        context.refreshAllObjects()
        #expect(!edited.isFault && other.isFault && edited.text("maker") == "X")
    }

    @Test func aFaultWithoutARowIsADeletedObject() throws {
        let context = try Office.open(Office.cars()), viewer = Office.other(than: context)
        let car = context.add("Car", ["plate": "1", "maker": "A"])
        try context.save()
        let fault = viewer.object(with: car.objectID)
        #expect(fault.isFault)
        context.delete(car)
        try context.save()
        #expect(fault.text("maker") == nil && fault.isDeleted && viewer.deletedObjects.contains(fault))
        try viewer.save()
        let error = failure { _ = try viewer.existingObject(with: car.objectID) }
        #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }

    @Test func undoingADeletionRestoresRelationships() throws {
        let context = try Office.open(Office.staff())
        context.undoManager = UndoManager()
        let team = context.add("Team"), worker = context.add("Worker", ["name": "Ada", "team": team])
        try context.save()
        context.delete(worker)
        context.processPendingChanges()
        #expect(team.value(forKeyPath: "workers.@count") as? Int == 0)
        context.undo()
        #expect(!worker.isDeleted && worker.value(forKey: "team") as? NSManagedObject === team)
        context.redo()
        #expect(worker.isDeleted)
    }

    @Test func blocksOfAQueueAreWaitedForAndThrow() throws {
        struct Stop: Error {}
        let context = try Office.open(Office.cars())
        #expect(throws: Stop.self) { try context.performAndWait { throw Stop() } }
        #expect(context.performAndWait { context.performAndWait { 3 } } == 3)
        let ran = DispatchSemaphore(value: 0)
        context.perform { ran.signal() }
        #expect(ran.wait(timeout: .now() + 10) == .success)
    }
}
