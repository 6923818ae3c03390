import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Synchronization

// StoreWorker make <store> <journal mode> makes a store with a counter that is 0 StoreWorker run
// <store> <name> <threads> <turns> <one|several> many threads that insert and count, on one
// coordinator or on one each
//
// StoreWorker load <folder> <count> how long it takes to open each type of store and to read so
// many objects, best of five
//
// Prints "conflicts <n>" and "failure <what>" for each failure, and ends with 1 after one. Whoever
// runs several of them looks at the store when they have ended.

enum Worker {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Account", attributes: [.init("title", .string)],
                relationships: [.init("entries", to: "Entry", inverse: "account", maxCount: 0, isOrdered: true)],
                uniquenessConstraints: [["title"]]),
            EntityDefinition(
                "Entry", attributes: [.init("text", .string)],
                relationships: [.init("account", to: "Account", inverse: "entries")]),
            EntityDefinition("Counter", attributes: [.init("value", .integer32)]),
        ])
    }

    static func open(_ url: URL, _ mode: StoreJournalMode? = nil) throws -> PersistentStoreCoordinator {
        var description = PersistentStoreDescription(url: url)
        description.timeout = 120
        description.journalMode = mode
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(description)
        return coordinator
    }

    static func make(_ url: URL, _ mode: StoreJournalMode) throws {
        let coordinator = try open(url, mode)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Counter")["value"] = 0
        try context.save()
        try coordinator.removePersistentStores()
    }

    /// New objects, one transaction each, and a number that everybody raises: who comes second
    /// reads it again.
    static func work(_ coordinator: PersistentStoreCoordinator, _ name: String, turns: Int) throws -> Int {
        let context = ManagedObjectContext(coordinator)
        guard let counter = try context.fetch(FetchRequest<ManagedObject>(entityName: "Counter")).first else {
            throw StorageError(.notFound, "There is no counter")
        }
        var conflicts = 0
        for turn in 0..<turns {
            let account = try context.insert("Account")
            account["title"] = "\(name)-\(turn)"
            account["entries"] = [try context.insert("Entry"), try context.insert("Entry")]
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "Account")
            request.predicate = try FetchPredicate(format: "title == %@", "\(name)-\(turn)")
            guard try context.fetch(request) == [account] else {
                throw StorageError(.unknownObject, "\(name) does not find what it saved")
            }
            while true {
                counter["value"] = (counter["value"] as? Int ?? 0) + 1
                do {
                    try context.save()
                    break
                } catch let error as GraphError where error.code == .conflict {
                    conflicts += 1
                    context.refresh(counter, mergeChanges: false)
                }
            }
        }
        return conflicts
    }

    /// Opens stores of each type with the same objects in turns, reads every object, and prints the
    /// best time of each with its ratio to SQLite's.
    static func load(in folder: URL, count: Int) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Reading",
                attributes: [
                    .init("title", .string), .init("number", .integer64), .init("weight", .double),
                    .init("taken", .date), .init("isGood", .boolean),
                ],
                relationships: [
                    .init("previous", to: "Reading", inverse: "next"),
                    .init("next", to: "Reading", inverse: "previous"),
                ])
        ])
        let types: [StoreType] = [.sqlite, .binary, .xml]
        func open(_ type: StoreType) throws -> PersistentStoreCoordinator {
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("\(type.rawValue).store"), type: type))
            return coordinator
        }
        for type in types {
            let coordinator = try open(type)
            let context = ManagedObjectContext(coordinator)
            var previous: ManagedObject?
            for number in 0..<count {
                let object = try context.insert("Reading")
                object["title"] = "reading number \(number)"
                object["number"] = number
                object["weight"] = Double(number) / 7
                object["taken"] = Date(timeIntervalSinceReferenceDate: Double(number))
                object["isGood"] = number % 3 == 0
                if number % 2 == 1 { object["previous"] = previous }
                previous = object
            }
            try context.save()
            try coordinator.removePersistentStores()
        }
        var best: [StoreType: Double] = [:]
        for _ in 0..<5 {
            for type in types {
                let start = ContinuousClock.now
                let coordinator = try open(type)
                let context = ManagedObjectContext(coordinator)
                var sum = 0
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "Reading")) {
                    sum += object["number"] as? Int ?? 0
                }
                let duration = ContinuousClock.now - start
                guard sum == count * (count - 1) / 2 else { throw StorageError(.damaged, "The sum is \(sum)") }
                let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
                best[type] = min(best[type] ?? .infinity, seconds)
                context.reset()
                try coordinator.removePersistentStores()
            }
        }
        for type in types {
            let seconds = best[type] ?? 0
            print(
                "\(type.rawValue) \(String(format: "%.1f ms, %.2f of SQLite's", seconds * 1000, seconds / (best[.sqlite] ?? 1)))"
            )
        }
    }

    static func run(_ url: URL, _ name: String, threads: Int, turns: Int, isShared: Bool) throws -> (
        conflicts: Int, failures: [String]
    ) {
        let outcome = Mutex<(conflicts: Int, failures: [String])>((0, []))
        let shared = isShared ? try open(url) : nil
        let group = DispatchGroup()
        for number in 0..<threads {
            group.enter()
            let thread = Thread {
                do {
                    let coordinator = try shared ?? open(url)
                    let conflicts = try work(coordinator, "\(name)-\(number)", turns: turns)
                    outcome.withLock { $0.conflicts += conflicts }
                    if shared == nil { try coordinator.removePersistentStores() }
                } catch {
                    outcome.withLock { $0.failures.append("\(error)") }
                }
                group.leave()
            }
            thread.start()
        }
        group.wait()
        try shared?.removePersistentStores()
        return outcome.withLock { $0 }
    }
}

let arguments = CommandLine.arguments
do {
    if arguments.count == 4, arguments[1] == "make", let mode = StoreJournalMode(rawValue: arguments[3]) {
        try Worker.make(URL(fileURLWithPath: arguments[2]), mode)
    } else if arguments.count == 4, arguments[1] == "load", let count = Int(arguments[3]) {
        try Worker.load(in: URL(fileURLWithPath: arguments[2], isDirectory: true), count: count)
    } else if arguments.count == 7, arguments[1] == "run", let threads = Int(arguments[4]),
        let turns = Int(arguments[5])
    {
        let outcome = try Worker.run(
            URL(fileURLWithPath: arguments[2]), arguments[3], threads: threads, turns: turns,
            isShared: arguments[6] == "one")
        print("conflicts \(outcome.conflicts)")
        for failure in outcome.failures { print("failure \(failure)") }
        exit(outcome.failures.isEmpty ? 0 : 1)
    } else {
        exit(64)
    }
} catch {
    print("failure \(error)")
    exit(1)
}
