import Foundation
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Predicates that nobody would write by hand: deep, long, slow.
struct HostilePredicateTests {
    private func withStore(_ body: (SQLitePersistentStore, EntityDescription) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let model = try LibraryModel.make()
            let description = PersistentStoreDescription(url: directory.appendingPathComponent("store.sqlite"))
            let store = try SQLitePersistentStore.create(description, model: model)
            try body(store, try #require(model.entity(named: "Item")))
            try store.close()
        }
    }

    private func count(_ predicate: FetchPredicate, _ store: SQLitePersistentStore, _ entity: EntityDescription) throws
        -> Int
    {
        let validated = try predicate.validated(against: entity, in: store.identity.model, store: store.identity)
        return try store.count(RowRequest(entityIndex: entity.index, selection: .matching(validated)))
    }

    @Test func deepAlternationsOfAndAndOrRun() throws {
        try withStore { store, entity in
            var predicate = try FetchPredicate(format: "year == 0")
            for level in 1...35 {
                predicate = .or([
                    try FetchPredicate(format: "year == %d", level),
                    .and([try FetchPredicate(format: "rank == 1"), predicate]),
                ])
            }
            #expect(try count(predicate, store, entity) == 0)
            #expect(try count(.not(predicate), store, entity) == 0)
        }
    }

    @Test func thousandsOfPartsRun() throws {
        try withStore { store, entity in
            let parts = try (0..<sweep(3_000, all: 20_000)).map { try FetchPredicate(format: "year == %d", $0) }
            #expect(try count(.or(parts), store, entity) == 0)
            #expect(try count(.not(.and(Array(parts.prefix(2_000)))), store, entity) == 0)
            #expect(
                try count(FetchPredicate(format: "year IN %@", Array(0..<sweep(40_000, all: 200_000))), store, entity)
                    == 0)
        }
    }

    @Test func whatIsTooDeepForSQLIsRefusedAsUnsupported() throws {
        try withStore { store, entity in
            var sum = QueryExpression.keyPath("year")
            for _ in 0..<150 { sum = .function("add:to:", [.keyPath("rank"), sum]) }
            let error = #expect(throws: QueryError.self) {
                try count(.comparison(ComparisonPredicate(sum, .greater, .constant(.int(1)))), store, entity)
            }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func aPatternThatTakesTooLongEndsTheFetch() throws {
        try withStore { store, entity in
            let text = String(repeating: "a", count: 60)
            let error = #expect(throws: QueryError.self) {
                try count(FetchPredicate(format: "%@ MATCHES '(a+)+b'", text), store, entity)
            }
            #expect(error?.code == .limit)
        }
    }
}
