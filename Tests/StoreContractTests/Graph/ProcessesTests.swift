import Foundation
import ObjectGraph
import SQLiteKit
import SQLiteStore
import Stack
import Storage
import TestSupport
import Testing

/// Several processes with many threads on one file, on one coordinator and on several: nothing is
/// lost, and nobody who waits is turned away (S49).
struct ProcessesTests {
    private static let processCount = 2
    private static let threadCount = 10
    private static let turnCount = 5

    @Test(arguments: [StoreJournalMode.wal, .delete], ["one", "several"]) func twoProcessesOfTenThreadsLoseNothing(
        mode: StoreJournalMode, coordinators: String
    ) throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.sqlite")
            #expect(StoreWorker.lines(try StoreWorker.start("make", url.path, mode.rawValue)) == [])
            let workers = try (0..<Self.processCount).map { number in
                try StoreWorker.start(
                    "run", url.path, "w\(number)", "\(Self.threadCount)", "\(Self.turnCount)", coordinators)
            }
            let printed = workers.flatMap { StoreWorker.lines($0) }
            #expect(printed.filter { !$0.hasPrefix("conflicts ") } == [])

            let count = Self.processCount * Self.threadCount * Self.turnCount
            func number(_ statement: String) throws -> Int64? {
                try Connection.reading(url.path) { try $0.value(statement)?.integer }
            }
            #expect(
                try number("SELECT count(*) FROM ZACCOUNT") == Int64(count)
                    && number("SELECT count(DISTINCT ZTITLE) FROM ZACCOUNT") == Int64(count))
            #expect(
                try number("SELECT count(*) FROM ZENTRY WHERE ZACCOUNT IN (SELECT Z_PK FROM ZACCOUNT)")
                    == Int64(count * 2))
            #expect(try number("SELECT ZVALUE FROM ZCOUNTER") == Int64(count), "no number was counted twice")
            #expect(try number("SELECT Z_OPT FROM ZCOUNTER") == Int64(count + 1))
            #expect(try Connection.reading(url.path) { try $0.value("PRAGMA integrity_check")?.text } == "ok")
            let model = try #require(try SQLitePersistentStore.storedModelInfo(at: url).embeddedModel())
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
            try withContext(coordinator) { context in
                let accounts = try context.all("Account")
                #expect(
                    accounts.count == count && accounts.allSatisfy { ($0["entries"] as? [ManagedObject])?.count == 2 })
            }
            try coordinator.removePersistentStores()
        }
    }

    @Test func aNewStoreIsMadeOnceWhoeverComesFirst() throws {
        for _ in 0..<5 {
            try withTemporaryDirectory { folder in
                let url = folder.appendingPathComponent("a.sqlite")
                let workers = try (0..<4).map { _ in try StoreWorker.start("make", url.path, "wal") }
                #expect(workers.flatMap { StoreWorker.lines($0) } == [])
                #expect(
                    try Connection.reading(url.path) { try $0.value("SELECT count(*) FROM ZCOUNTER")?.integer } == 4)
            }
        }
    }
}
