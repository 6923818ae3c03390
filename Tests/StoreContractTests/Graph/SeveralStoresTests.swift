import AtomicStores
import Foundation
import ModelFiles
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Two kinds of stores behind one coordinator.
struct StorePair: Sendable, CustomTestStringConvertible {
    let first: StoreKind
    let second: StoreKind
    var testDescription: String { "\(first) and \(second)" }

    static let all: [StorePair] = [
        StorePair(first: .sqlite, second: .sqlite), StorePair(first: .sqlite, second: .binary),
        StorePair(first: .xml, second: .sqlite),
        StorePair(first: .binary, second: .inMemory), StorePair(first: .inMemory, second: .xml),
    ]
}

/// Several stores as one (C1–C9, Q13, Q14, R20).
struct SeveralStoresTests {
    static func model() throws -> ManagedObjectModel {
        var description = ManagedObjectModel.Definition()
        description.entities = [
            EntityDefinition(
                "Department", attributes: [.init("name", .string)],
                relationships: [.init("employees", to: "Employee", inverse: "department", maxCount: 0)]),
            EntityDefinition(
                "Employee",
                attributes: [
                    .init("name", .string), .init("salary", .integer32), .init("scratch", .string, isTransient: true),
                ],
                relationships: [
                    .init("department", to: "Department", inverse: "employees"),
                    .init("friends", to: "Employee", inverse: "friends", maxCount: 0),
                    .init("tasks", to: "Task", inverse: "owner", maxCount: 0, isOrdered: true),
                ], uniquenessConstraints: []),
            EntityDefinition("Manager", superentityName: "Employee", attributes: [.init("level", .integer16)]),
            EntityDefinition(
                "Task", attributes: [.init("title", .string)],
                relationships: [.init("owner", to: "Employee", inverse: "tasks")]),
            EntityDefinition(
                "Log", attributes: [.init("line", .string), .init("number", .integer32)],
                uniquenessConstraints: [["number"]]),
        ]
        description.configurations = ["People": ["Department", "Employee", "Manager", "Task"], "Logs": ["Log"]]
        return try ManagedObjectModel(description)
    }

    final class Fixture {
        let coordinator: PersistentStoreCoordinator
        let first: PersistentStore
        let second: PersistentStore
        /// Held, so that tests can use objects in one expression.
        private var contexts: [ManagedObjectContext] = []

        init(_ coordinator: PersistentStoreCoordinator, _ first: PersistentStore, _ second: PersistentStore) {
            self.coordinator = coordinator
            self.first = first
            self.second = second
        }

        func context() -> ManagedObjectContext {
            let context = ManagedObjectContext(coordinator)
            contexts.append(context)
            return context
        }
    }

    private func description(_ kind: StoreKind, _ name: String, _ folder: URL, _ configuration: String? = nil)
        -> PersistentStoreDescription
    {
        var description = PersistentStoreDescription(url: folder.appendingPathComponent(name), type: kind.factory.type)
        description.configuration = configuration
        return description
    }

    private func run(
        _ pair: StorePair, _ configurations: (String?, String?) = (nil, nil), _ body: (Fixture) throws -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model())
            let first = try coordinator.addPersistentStore(
                description(pair.first, "First.store", folder, configurations.0))
            let second = try coordinator.addPersistentStore(
                description(pair.second, "Second.store", folder, configurations.1))
            try body(Fixture(coordinator, first, second))
            try coordinator.removePersistentStores()
        }
    }

    private func names(_ request: FetchRequest<ManagedObject>, _ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(request).map { $0.text("name") ?? "–" }
    }
}

extension SeveralStoresTests {
    @Test(arguments: StorePair.all) func configurationsPlaceEntities(pair: StorePair) throws {  // C3, C5
        try run(pair, ("People", "Logs")) { fixture in
            let context = fixture.context()
            let employee = try context.make("Employee", ["name": "Ada"]),
                line = try context.make("Log", ["line": "hired"])
            try context.save()
            #expect(
                employee.objectID.storeUUID == fixture.first.identifier
                    && line.objectID.storeUUID == fixture.second.identifier)
            #expect(fixture.coordinator.persistentStore(of: line.objectID) == fixture.second)
            let other = fixture.context()
            #expect(try other.one("Log").text("line") == "hired" && other.one("Employee").text("name") == "Ada")
            #expect(try other.existingObject(with: line.objectID).text("line") == "hired")
            #expect(
                fixture.coordinator.managedObjectID(forURIRepresentation: line.objectID.uriRepresentation())
                    == line.objectID)
            line["line"] = "promoted"
            employee["name"] = "Ada L."
            try context.save()
            context.delete(employee)
            try context.save()
            let last = fixture.context()
            #expect(try last.one("Log").text("line") == "promoted" && last.all("Employee").isEmpty)
        }
    }

    @Test(arguments: StorePair.all) func anObjectGoesToTheStoreItIsAssignedTo(pair: StorePair) throws {  // C3, C4
        try run(pair) { fixture in
            let context = fixture.context()
            let ada = try context.make("Employee", ["name": "Ada"]),
                bob = try context.make("Employee", ["name": "Bob"]),
                cleo = try context.make("Manager", ["name": "Cleo"])
            try context.assign(bob, to: fixture.second)
            try context.assign(cleo, to: fixture.second)
            try context.obtainPermanentIDs(for: [cleo])
            #expect(cleo.objectID.storeUUID == fixture.second.identifier)
            cleo["friends"] = Set([bob])
            try context.save()
            #expect(
                ada.objectID.storeUUID == fixture.first.identifier
                    && bob.objectID.storeUUID == fixture.second.identifier)
            #expect(ada.objectID != bob.objectID, "numbers of different stores are different objects, however alike")
            let error = #expect(throws: GraphError.self) { try context.assign(bob, to: fixture.first) }
            #expect(error?.code == .alreadySaved)
            let other = fixture.context()
            let sameBob = try other.existingObject(with: bob.objectID)
            #expect(sameBob.text("name") == "Bob" && sameBob.texts("friends", "name") == ["Cleo"])
            #expect(try other.existingObject(with: ada.objectID).text("name") == "Ada")
            #expect(try other.one("Manager").objectID == cleo.objectID)
        }
    }

    // Q13, Q14
    @Test(arguments: StorePair.all) func oneFetchOverAllStoresHasOneOrderAndOneWindow(pair: StorePair) throws {
        try run(pair) { fixture in
            let context = fixture.context()
            var departments: [PersistentStore: ManagedObject] = [:]
            for store in [fixture.first, fixture.second] {
                let department = try context.make("Department", ["name": store == fixture.first ? "One" : "Two"])
                try context.assign(department, to: store)
                departments[store] = department
            }
            for number in 0..<10 {
                let employee = try context.make("Employee", ["name": "E\(number)", "salary": number * 10])
                let store = number % 3 == 0 ? fixture.second : fixture.first
                try context.assign(employee, to: store)
                employee["department"] = departments[store]
            }
            try context.save()
            let reader = fixture.context()
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.sortDescriptors = [SortKey("salary", ascending: false)]
            #expect(try names(request, reader) == (0..<10).reversed().map { "E\($0)" })
            request.fetchOffset = 2
            request.fetchLimit = 4
            #expect(try names(request, reader) == ["E7", "E6", "E5", "E4"])
            #expect(try reader.count(for: request) == 4)
            request.predicate = try FetchPredicate(format: "salary < 80 AND name != 'E5'")
            #expect(try names(request, reader) == ["E4", "E3", "E2", "E1"])
            request.predicate = nil
            request.sortDescriptors = [SortKey("department.name", ascending: false), SortKey("name")]
            (request.fetchOffset, request.fetchLimit) = (3, 3)
            #expect(try names(request, reader) == ["E9", "E1", "E2"])
            (request.fetchOffset, request.fetchLimit, request.sortDescriptors) = (0, 0, [])
            #expect(try names(request, reader).count == 10 && reader.count(for: request) == 10)
            request.affectedStores = [fixture.second.identifier]
            #expect(try Set(names(request, reader)) == ["E0", "E3", "E6", "E9"] && reader.count(for: request) == 4)

            // Unsaved changes stand among them.
            request.affectedStores = nil
            request.sortDescriptors = [SortKey("salary")]
            request.fetchLimit = 3
            try reader.make("Employee", ["name": "New", "salary": 15])
            #expect(try names(request, reader) == ["E0", "E1", "New"])
            reader.rollback()

            let ids = try reader.fetch(FetchRequest<ManagedObjectID>(entityName: "Employee"))
            #expect(
                Set(ids.map(\.storeUUID)) == [fixture.first.identifier, fixture.second.identifier] && ids.count == 10)
            var sums = FetchRequest<[String: PropertyValue]>(entityName: "Employee")
            sums.propertiesToFetch = [.expression(try ExpressionDescription("total", format: "sum:(salary)"))]
            #expect(try reader.fetch(sums) == [["total": .int(450)]])
            let batched = try reader.fetchInBatches(FetchRequest<ManagedObject>(entityName: "Employee"))
            #expect(batched.count == 10 && Set(batched.map { $0.text("name") ?? "" }).count == 10)
        }
    }
}

extension SeveralStoresTests {
    @Test(arguments: StorePair.all) func aRelationshipIntoAnotherStoreIsRefusedAndNothingIsWritten(pair: StorePair)
        throws
    {  // R20, C6
        try run(pair) { fixture in
            let context = fixture.context()
            let department = try context.make("Department", ["name": "Tools"])
            let employee = try context.make("Employee", ["name": "Ada"]),
                friend = try context.make("Employee", ["name": "Bob"])
            try context.assign(employee, to: fixture.second)
            employee["department"] = department
            var error = #expect(throws: StorageError.self) { try context.save() }
            #expect(
                error?.code == .crossStore && error?.keys == ["department"]
                    && error?.message.contains("Second.store into First.store") == true)
            #expect(
                try fixture.context().all("Department").isEmpty && fixture.context().all("Employee").isEmpty
                    && context.hasChanges)
            employee["department"] = nil
            employee["friends"] = Set([friend])
            error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .crossStore && error?.keys == ["friends"])
            employee["friends"] = Set<ManagedObject>()
            try context.save()
            employee["department"] = department
            error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .crossStore)
            context.rollback()
            #expect(try fixture.context().all("Employee").count == 2)
        }
    }

    @Test(arguments: StorePair.all) func whatOneStoreRefusesLeavesAllAsTheyWere(pair: StorePair) throws {  // S16
        try run(pair, ("People", "Logs")) { fixture in
            let context = fixture.context()
            try context.make("Log", ["number": 1])
            try context.save()
            let ada = try context.make("Employee", ["name": "Ada"])
            let line = try context.make("Log", ["number": 1])
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .constraint)
            #expect(try fixture.context().all("Employee").isEmpty && ada.isInserted && line.isInserted)
            line["number"] = 2
            try context.save()
            #expect(try fixture.context().all("Employee").count == 1 && fixture.context().all("Log").count == 2)
        }
    }

    @Test(arguments: StorePair.all) func conflictsAreFoundInEveryStoreAndSettledByThePolicy(pair: StorePair) throws {
        try run(pair, ("People", "Logs")) { fixture in
            let context = fixture.context(), other = fixture.context()
            let line = try context.make("Log", ["line": "a"]), ada = try context.make("Employee", ["name": "Ada"])
            try context.save()
            let theirs = try other.same(line)
            theirs["line"] = "theirs"
            try other.save()
            line["line"] = "mine"
            ada["name"] = "Eve"
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .conflict && error?.conflicts.map(\.objectID) == [line.objectID])
            #expect(try fixture.context().one("Employee").text("name") == "Ada")
            context.mergePolicy = .mergeByPropertyObjectTrump
            try context.save()
            #expect(
                try fixture.context().one("Log").text("line") == "mine"
                    && fixture.context().one("Employee").text("name") == "Eve")
        }
    }
}

extension SeveralStoresTests {
    @Test(arguments: StorePair.all) func orderedAndToManyRelationshipsWorkInEachStore(pair: StorePair) throws {
        try run(pair) { fixture in
            let context = fixture.context()
            for store in [fixture.first, fixture.second] {
                let owner = try context.make("Employee", ["name": store.url.lastPathComponent])
                try context.assign(owner, to: store)
                let tasks = try ["c", "a", "b"].map { title in
                    let task = try context.make("Task", ["title": title])
                    try context.assign(task, to: store)
                    return task
                }
                owner["tasks"] = tasks
            }
            try context.save()
            let reader = fixture.context()
            for employee in try reader.all("Employee") { #expect(employee.texts("tasks", "title") == ["c", "a", "b"]) }
            var request = FetchRequest<ManagedObject>(entityName: "Employee")
            request.relationshipKeyPathsForPrefetching = ["tasks"]
            #expect(try reader.fetch(request).allSatisfy { $0.texts("tasks", "title") == ["c", "a", "b"] })
            let second = try reader.one("Employee", "name == 'Second.store'")
            second["tasks"] = Array((second["tasks"] as? [ManagedObject] ?? []).reversed())
            try reader.save()
            #expect(
                try fixture.context().one("Employee", "name == 'Second.store'").texts("tasks", "title") == [
                    "b", "a", "c",
                ])
            #expect(
                try fixture.context().one("Task", "owner.name == 'First.store' AND title == 'a'").target("owner")?.text(
                    "name") == "First.store")
        }
    }

    @Test func aReadOnlyStoreIsReadBesideOneThatIsWritten() throws {  // C17
        try withTemporaryDirectory { folder in
            let model = try Self.model()
            let filler = PersistentStoreCoordinator(managedObjectModel: model)
            try filler.addPersistentStore(description(.sqlite, "Archive.sqlite", folder))
            let old = ManagedObjectContext(filler)
            try old.make("Employee", ["name": "Old"])
            try old.save()
            try filler.removePersistentStores()

            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            var archive = description(.sqlite, "Archive.sqlite", folder)
            archive.isReadOnly = true
            let readOnly = try coordinator.addPersistentStore(archive)
            try coordinator.addPersistentStore(description(.sqlite, "Current.sqlite", folder))
            let context = ManagedObjectContext(coordinator)
            let new = try context.make("Employee", ["name": "New"])
            #expect(throws: StorageError.self) { try context.assign(new, to: readOnly) }
            try context.save()
            #expect(try Set(context.all("Employee").map { $0.text("name") ?? "" }) == ["Old", "New"])
            try context.one("Employee", "name == 'Old'")["name"] = "Older"
            new["name"] = "Newer"
            let error = #expect(throws: StorageError.self) { try context.save() }
            #expect(error?.code == .readOnly && error?.path?.hasSuffix("Archive.sqlite") == true)
            #expect(try ManagedObjectContext(coordinator).all("Employee", "name == 'Newer'").isEmpty)
            try coordinator.removePersistentStores()
        }
    }

    @Test func storesComeAndGoAndTellOfIt() throws {  // C1
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model())
            let told = Told()
            let observer = NotificationCenter.default.addObserver(
                forName: PersistentStoreCoordinator.storesDidChangeNotification, object: coordinator, queue: nil
            ) { told.note($0) }
            defer { NotificationCenter.default.removeObserver(observer) }
            let first = try coordinator.addPersistentStore(description(.sqlite, "a.sqlite", folder, "People"))
            let second = try coordinator.addPersistentStore(description(.xml, "b.xml", folder, "Logs"))
            #expect(
                coordinator.persistentStores == [first, second]
                    && coordinator.persistentStore(for: second.url) == second)
            let again = #expect(throws: StorageError.self) {
                try coordinator.addPersistentStore(description(.sqlite, "a.sqlite", folder, "People"))
            }
            #expect(again?.code == .busy)
            let unknown = #expect(throws: StorageError.self) {
                try coordinator.addPersistentStore(description(.sqlite, "c.sqlite", folder, "Nobody"))
            }
            #expect(
                unknown?.code == .cannotCreate
                    && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("c.sqlite").path))
            let context = ManagedObjectContext(coordinator)
            try context.make("Log", ["line": "x"])
            try context.make("Employee", ["name": "Ada"])
            try context.save()
            try coordinator.remove(first)
            // The other store's objects are what they were.
            #expect(try context.one("Log").text("line") == "x" && coordinator.persistentStores == [second])
            let error = #expect(throws: StorageError.self) { try context.all("Employee") }
            #expect(error?.code == .unsupported && error?.entities == ["Employee"])
            #expect(throws: StorageError.self) { try coordinator.remove(first) }
            try coordinator.addPersistentStore(description(.sqlite, "a.sqlite", folder, "People"))
            try withContext(coordinator) { context in
                let found = try context.one("Employee").text("name")
                #expect(found == "Ada")
            }
            try coordinator.removePersistentStores()
            #expect(told.list == ["+a.sqlite", "+b.xml", "-a.sqlite", "+a.sqlite", "-b.xml-a.sqlite"])
        }
    }
}

extension SeveralStoresTests {
    private final class Told: @unchecked Sendable {
        // Notifications come on the thread of the test, which posts them.
        var list: [String] = []

        func note(_ notification: Notification) {
            func names(_ key: PersistentStoreCoordinator.StoreChangeKey, _ sign: String) -> String {
                (notification.userInfo?[key.rawValue] as? [PersistentStore] ?? []).map {
                    sign + $0.url.lastPathComponent
                }
                .joined()
            }
            list.append(names(.added, "+") + names(.removed, "-"))
        }
    }
}
