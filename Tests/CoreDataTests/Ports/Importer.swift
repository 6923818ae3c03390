import CoreData
import Foundation

// An importer of earthquakes: batch requests, persistent history, and several contexts that follow
// each other. A comment with "Linux:" marks a line that is another on Apple's platforms.

// MARK: Model

final class Quake: NSManagedObject {
    @Managed var code: String  // Linux: @NSManaged
    @Managed var magnitude: Float  // Linux: @NSManaged
    @Managed var place: String  // Linux: @NSManaged
    @Managed var time: Date  // Linux: @NSManaged

    static let entityName = "Quake"
}

enum QuakeModel {
    static func make() -> NSManagedObjectModel {
        let quake = NSEntityDescription()
        quake.name = Quake.entityName
        quake.managedObjectClassName = NSStringFromClass(Quake.self)
        let kinds: [(String, NSAttributeDescription.AttributeType)] = [
            ("code", .string), ("magnitude", .float), ("place", .string), ("time", .date),
        ]
        quake.properties = kinds.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.type = type
            attribute.isOptional = false
            if name == "code" { attribute.preservesValueInHistoryOnDeletion = true }
            if name == "time" { attribute.defaultValue = Date(timeIntervalSinceReferenceDate: 0) }
            if name == "magnitude" { attribute.defaultValue = 0 as Float }
            if name == "place" { attribute.defaultValue = "" }
            return attribute
        }
        quake.uniquenessConstraints = [["code"]]
        let model = NSManagedObjectModel()
        model.entities = [quake]
        return model
    }
}

/// What the server sends.
struct QuakeRecord: Codable {
    let code: String
    let magnitude: Double
    let place: String
    let time: TimeInterval

    var dictionaryValue: [String: Any] {
        ["code": code, "magnitude": magnitude, "place": place, "time": Date(timeIntervalSince1970: time)]
    }

    static func sample(_ range: Range<Int>) -> [QuakeRecord] {
        range.map { QuakeRecord(code: "q\($0)", magnitude: Double($0 % 9), place: "Place \($0)", time: Double($0)) }
    }
}

enum QuakeError: Error {
    case batchInsertError
    case batchDeleteError
    case persistentHistoryChangeError
    case unexpected(any Error)
}

// MARK: Provider

final class QuakesProvider: @unchecked Sendable {
    private let url: URL
    private let inMemory: Bool
    private var notificationToken: (any NSObjectProtocol)?
    /// The position in the history up to which the view context has merged.
    private var lastToken: NSPersistentHistoryToken?

    init(url: URL, inMemory: Bool = false) {
        self.url = url
        self.inMemory = inMemory
        notificationToken = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
        ) { [weak self] note in
            guard let self, note.object as? NSPersistentStoreCoordinator === self.container.persistentStoreCoordinator
            else { return }
            self.remoteChanges.append(note.userInfo?[NSPersistentStoreURLKey] as? URL)
        }
    }

    deinit {
        if let observer = notificationToken { NotificationCenter.default.removeObserver(observer) }
    }

    private(set) var remoteChanges: [URL?] = []

    lazy var container: NSPersistentContainer = {
        let container = NSPersistentContainer(name: "Quakes", managedObjectModel: QuakeModel.make())
        guard let description = container.persistentStoreDescriptions.first else {
            fatalError("Failed to retrieve a persistent store description.")
        }
        description.url = inMemory ? URL(fileURLWithPath: "/dev/null") : url
        description.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.loadPersistentStores { _, error in
            if let error = error as NSError? { fatalError("Unresolved error \(error), \(error.userInfo)") }
        }
        container.viewContext.automaticallyMergesChangesFromParent = false
        container.viewContext.name = "viewContext"
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        container.viewContext.undoManager = nil
        container.viewContext.shouldDeleteInaccessibleFaults = true
        return container
    }()

    private func newTaskContext() -> NSManagedObjectContext {
        let taskContext = container.newBackgroundContext()
        taskContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        taskContext.undoManager = nil
        return taskContext
    }

    // MARK: Importing

    func importQuakes(from records: [QuakeRecord]) async throws {
        guard !records.isEmpty else { return }
        let taskContext = newTaskContext()
        taskContext.name = "importContext"
        taskContext.transactionAuthor = "importQuakes"
        try await taskContext.perform {
            let batchInsertRequest = self.newBatchInsertRequest(with: records)
            if let fetchResult = try? taskContext.execute(batchInsertRequest),
                let batchInsertResult = fetchResult as? NSBatchInsertResult,
                let success = batchInsertResult.result as? Bool, success
            {
                return
            }
            throw QuakeError.batchInsertError
        }
        print("inserted \(records.count)")
    }

    private func newBatchInsertRequest(with records: [QuakeRecord]) -> NSBatchInsertRequest {
        var index = 0
        let total = records.count
        let batchInsertRequest = NSBatchInsertRequest(
            entityName: Quake.entityName,
            dictionaryHandler: { dictionary in
                guard index < total else { return true }
                dictionary.addEntries(from: records[index].dictionaryValue)
                index += 1
                return false
            })
        return batchInsertRequest
    }

    func importByObjects(_ records: [QuakeRecord]) async throws -> Int {
        let context = newTaskContext()
        context.transactionAuthor = "objects"
        return try await context.perform {
            var iterator = records.makeIterator()
            let request = NSBatchInsertRequest(
                entityName: Quake.entityName,
                managedObjectHandler: { object in
                    guard let record = iterator.next(), let quake = object as? Quake else { return true }
                    quake.code = record.code
                    quake.magnitude = Float(record.magnitude)
                    quake.place = record.place.uppercased()
                    quake.time = Date(timeIntervalSince1970: record.time)
                    return false
                })
            request.resultType = .count
            let result = try context.execute(request) as? NSBatchInsertResult
            return result?.result as? Int ?? -1
        }
    }

    // MARK: Changing

    func round(_ magnitude: Double) async throws -> Int {
        let context = newTaskContext()
        context.transactionAuthor = "rounding"
        return try await context.perform {
            let request = NSBatchUpdateRequest(entityName: Quake.entityName)
            request.predicate = NSPredicate(format: "magnitude >= %f", magnitude)
            request.propertiesToUpdate = ["magnitude": 9, "place": NSExpression(forKeyPath: "code")]
            request.resultType = .updatedObjectsCountResultType
            let result = try context.execute(request) as? NSBatchUpdateResult
            return result?.result as? Int ?? -1
        }
    }

    func deleteQuakes(identifiedBy objectIDs: [NSManagedObjectID]) async throws {
        let taskContext = newTaskContext()
        taskContext.transactionAuthor = "deletion"
        try await taskContext.perform {
            let batchDeleteRequest = NSBatchDeleteRequest(objectIDs: objectIDs)
            batchDeleteRequest.resultType = .resultTypeCount
            guard let fetchResult = try? taskContext.execute(batchDeleteRequest),
                let batchDeleteResult = fetchResult as? NSBatchDeleteResult,
                let count = batchDeleteResult.result as? Int, count == objectIDs.count
            else { throw QuakeError.batchDeleteError }
        }
        print("deleted \(objectIDs.count)")
    }

    func deleteAll() throws {
        let fetch: NSFetchRequest<any NSFetchRequestResult> = NSFetchRequest(entityName: Quake.entityName)
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeObjectIDs
        let context = newTaskContext()
        let result = try context.performAndWait { try context.execute(request) as? NSBatchDeleteResult }
        let ids = result?.result as? [NSManagedObjectID] ?? []
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [container.viewContext])
        print("deleted all \(ids.count)")
    }

    // MARK: History

    func fetchPersistentHistory() async throws {
        try await fetchPersistentHistoryTransactionsAndChanges()
    }

    private func fetchPersistentHistoryTransactionsAndChanges() async throws {
        let taskContext = newTaskContext()
        taskContext.name = "persistentHistoryContext"
        let after = lastToken
        let history = try await taskContext.perform { () -> [NSPersistentHistoryTransaction] in
            let changeRequest = NSPersistentHistoryChangeRequest.fetchHistory(after: after)
            let historyResult = try taskContext.execute(changeRequest) as? NSPersistentHistoryResult
            guard let history = historyResult?.result as? [NSPersistentHistoryTransaction], !history.isEmpty else {
                throw QuakeError.persistentHistoryChangeError
            }
            return history
        }
        await mergePersistentHistoryChanges(from: history)
    }

    private func mergePersistentHistoryChanges(from history: [NSPersistentHistoryTransaction]) async {
        let viewContext = container.viewContext
        let described = await viewContext.perform { () -> [String] in
            var lines: [String] = []
            for transaction in history {
                viewContext.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
                self.lastToken = transaction.token
                let changes = transaction.changes ?? []
                lines.append("\(transaction.author ?? "-"): \(changes.count) \(Self.name(changes.first?.changeType))")
            }
            return lines
        }
        for line in described { print(line) }
    }

    private static func name(_ type: NSPersistentHistoryChangeType?) -> String {
        switch type {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        case nil: "none"
        }
    }

    func tombstones() throws -> [String] {
        let context = newTaskContext()
        return try context.performAndWait {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast)
            if let fetch = NSPersistentHistoryTransaction.fetchRequest {
                fetch.predicate = NSPredicate(format: "author == %@", "deletion")
                request.fetchRequest = fetch
            }
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
            return transactions.flatMap { $0.changes ?? [] }.compactMap { $0.tombstone?["code"] as? String }.sorted()
        }
    }

    func purge() throws {
        let context = newTaskContext()
        try context.performAndWait {
            _ = try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: lastToken))
        }
    }
}

// MARK: Program

enum ImporterProgram {
    static func run(_ url: URL) async throws {
        let provider = QuakesProvider(url: url)
        let viewContext = provider.container.viewContext
        print(provider.container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil) != nil)
        try await provider.importQuakes(from: QuakeRecord.sample(0..<40))
        try await provider.fetchPersistentHistory()
        let request = NSFetchRequest<Quake>(entityName: Quake.entityName)
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Quake.time, ascending: false)]
        request.fetchLimit = 3
        let newest = try await viewContext.perform { try viewContext.fetch(request).map(\.code) }
        print(newest)

        // Objects that exist get the new values.
        try await provider.importQuakes(
            from: [QuakeRecord(code: "q39", magnitude: 1, place: "Elsewhere", time: 39)])
        print(try await provider.importByObjects(QuakeRecord.sample(40..<45)))
        print(try await provider.round(8))
        try await provider.fetchPersistentHistory()
        let (place, count) = try await viewContext.perform {
            let quakes = try viewContext.fetch(request)
            request.fetchLimit = 0
            return (quakes.first { $0.code == "q44" }?.place ?? "", try viewContext.count(for: request))
        }
        print(place, count)

        let ids = try await viewContext.perform { () -> [NSManagedObjectID] in
            let found = NSFetchRequest<NSManagedObjectID>(entityName: Quake.entityName)
            found.resultType = .managedObjectIDResultType
            found.predicate = NSPredicate(format: "code IN %@", ["q1", "q2"])
            return try viewContext.fetch(found)
        }
        try await provider.deleteQuakes(identifiedBy: ids)
        try await provider.fetchPersistentHistory()
        print(try provider.tombstones())
        try provider.purge()
        do {
            try await provider.fetchPersistentHistory()
        } catch QuakeError.persistentHistoryChangeError {
            print("nothing new")
        }

        // A draft of a child, whose save goes to its parent alone.
        let draft = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        draft.parent = viewContext
        try await draft.perform {
            let quake = Quake(context: draft)
            quake.code = "draft"
            quake.magnitude = 2
            quake.place = "Desk"
            try draft.save()
        }
        let inserted = await viewContext.perform { viewContext.insertedObjects.compactMap { ($0 as? Quake)?.code } }
        print(inserted, draft.hasChanges)
        try await viewContext.perform { try viewContext.save() }
        try provider.deleteAll()
        print(try await viewContext.perform { try viewContext.count(for: request) })
    }
}
