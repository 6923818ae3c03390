import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Synchronization
import TestSupport
import Testing

/// What stores tell of the SQL that they run. Serial, since the level is the process's.
@Suite(.serialized) struct SQLDebugTests {
    /// The events of one store's work at a level; other tests' stores tell too, meanwhile.
    private func events(_ level: SQLDebug.Level, _ body: (ManagedObjectContext) throws -> Void) throws -> [SQLDebug
        .Event]
    {
        let told = Mutex<[SQLDebug.Event]>([])
        let name = "debug-\(UUID().uuidString).sqlite"
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note", attributes: [.init("title", .string), .init("stars", .integer16, isIndexed: true)])
        ])
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(PersistentStoreDescription(url: folder.appendingPathComponent(name)))
            let context = ManagedObjectContext(coordinator)
            for number in 0..<3 { try context.make("Note", ["title": "n\(number)", "stars": number]) }
            try context.save()
            let before = (SQLDebug.level, SQLDebug.handler)
            SQLDebug.handler = { event in if event.store == name { told.withLock { $0.append(event) } } }
            SQLDebug.level = level
            defer { (SQLDebug.level, SQLDebug.handler) = before }
            try body(ManagedObjectContext(coordinator))
            SQLDebug.level = .off
            try coordinator.removePersistentStores()
        }
        return told.withLock { $0 }
    }

    /// Not the question whether a column has cells of other types, which comes before a comparison.
    private func isFetch(_ event: SQLDebug.Event) -> Bool {
        event.statement.contains("ZNOTE") && !event.statement.hasPrefix("SELECT 1 ")
    }

    private func fetch(_ context: ManagedObjectContext) throws {
        #expect(try context.all("Note", "stars >= 1").count == 2)
    }

    @Test func nothingIsToldAtFirst() throws {
        #expect(try events(.off, fetch).isEmpty)
    }

    @Test func statementsComeWithTimesAndCounts() throws {
        let told = try events(.statements, fetch)
        let select = try #require(told.first(where: isFetch))
        #expect(
            select.statement.contains("?") && select.rowCount == 2 && select.seconds >= 0 && select.seconds < 60
                && select.rows.isEmpty && select.plan.isEmpty)
        #expect("\(select)".contains(" ms, 2 rows"))
    }

    @Test func argumentsStandInTheirPlaces() throws {
        let select = try #require(try events(.arguments, fetch).first(where: isFetch))
        #expect(!select.statement.contains("?") && select.statement.contains(">= 1"))
    }

    @Test func rowsAreShown() throws {
        let select = try #require(try events(.rows, fetch).first(where: isFetch))
        #expect(select.rows.count == 2 && select.rows.allSatisfy { $0.contains("n1") || $0.contains("n2") })
    }

    @Test func plansNameTheIndex() throws {
        let select = try #require(try events(.plans, fetch).first(where: isFetch))
        #expect(select.plan.contains { $0.contains("USING INDEX Z_Note_stars") })
        #expect("\(select)".contains("plan: "))
    }

    @Test func writingIsToldToo() throws {
        let told = try events(.statements) { context in
            try context.one("Note", "stars == 0")["title"] = "changed"
            try context.save()
        }
        #expect(
            told.contains { $0.statement.hasPrefix("UPDATE ZNOTE") }
                && told.contains { $0.statement.hasPrefix("COMMIT") })
    }
}
