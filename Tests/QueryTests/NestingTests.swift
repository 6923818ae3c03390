import Foundation
import Query
import Schema
import Synchronization
import Testing

/// Predicates that a program nests, on a thread with a small stack.
struct NestingTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Book", attributes: [.init("title", .string), .init("year", .integer32)])
        ])
    }

    /// Runs `body` on a thread with a stack of this many bytes.
    private static func onStack<Value: Sendable>(_ size: Int, _ body: @escaping @Sendable () -> Value) throws -> Value {
        let result = Mutex<Value?>(nil), done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let value = body()
            result.withLock { $0 = value }
            done.signal()
        }
        thread.stackSize = size
        thread.start()
        done.wait()
        return try #require(result.withLock { $0 })
    }

    private static func year(_ number: Int) -> FetchPredicate {
        .comparison(ComparisonPredicate(.keyPath("year"), .notEqual, .constant(.int(Int64(number)))))
    }

    private static func sum(_ count: Int) -> QueryExpression {
        (0..<count).reduce(QueryExpression.keyPath("year")) { sum, number in
            .function("add:to:", [sum, .constant(.int(Int64(number)))])
        }
    }

    /// Chains of one connective.
    private static let chains: [(name: String, make: @Sendable (Int) -> FetchPredicate)] = [
        ("and", { (1...$0).reduce(year(0)) { .and([$0, year($1)]) } }),
        ("or", { (1...$0).reduce(year(0)) { .or([year($1), $0]) } }),
        ("not", { (1...$0).reduce(year(0)) { predicate, _ in .not(predicate) } }),
        ("one part", { (1...$0).reduce(year(0)) { $1 % 2 == 0 ? .and([$0]) : .or([$0]) } }),
        ("and in negations", { (1...$0).reduce(year(0)) { .and([.not(.not($0)), year($1)]) } }),
    ]

    /// Trees whose levels all differ.
    private static let trees: [(name: String, make: @Sendable (Int) -> FetchPredicate)] = [
        ("and, or", { (1...$0).reduce(year(0)) { $1 % 2 == 0 ? .and([$0, year($1)]) : .or([$0, year($1)]) } }),
        ("not, and", { (1...$0).reduce(year(0)) { $1 % 2 == 0 ? .not($0) : .and([$0, year($1)]) } }),
        ("sum", { .comparison(ComparisonPredicate(sum($0), .less, .constant(.int(0)))) }),
        (
            "cast",
            {
                .comparison(
                    ComparisonPredicate(
                        (1...$0).reduce(QueryExpression.keyPath("title")) { expression, _ in
                            .cast(expression, "NSString")
                        },
                        .equal, .constant(.string(""))))
            }
        ),
        (
            "condition",
            {
                .comparison(
                    ComparisonPredicate(
                        (1...$0).reduce(QueryExpression.keyPath("year")) {
                            .conditional(year($1), $0, .constant(.int(1)))
                        },
                        .equal, .constant(.int(0))))
            }
        ),
    ]

    /// What uses of a predicate end with.
    private static func uses(_ predicate: FetchPredicate, _ model: ManagedObjectModel) -> [QueryError.Code?] {
        func code(_ body: () throws -> Void) -> QueryError.Code? {
            do { try body() } catch let error as QueryError { return error.code } catch { return .syntax }
            return nil
        }
        let book = model.entities[0]
        return [
            code { _ = try predicate.validated(against: book, in: model) },
            code {
                let valid = try predicate.validated(against: book, in: model)
                _ = try CompiledPredicate(valid, entity: book, model: model).matches(.scalar(.null))
            },
            code { _ = try CompiledPredicate(predicate) },
            code { _ = try CompiledPredicate(predicate.withSubstitutionVariables(["x": 1])) },
            code { if predicate.predicateFormat == "…" { throw QueryError(.limit, "") } },
            code { _ = predicate.variables },
        ]
    }

    /// Swift releases a tree by recursion, which the small stack has no room for: they stay.
    private static let kept = Mutex<[FetchPredicate]>([])

    /// What uses on a small stack end with. Without optimization a level takes up to 4 KB.
    private static func found(
        _ model: ManagedObjectModel, stack: Int = 512 << 10, _ make: @escaping @Sendable () -> FetchPredicate
    ) throws -> [QueryError.Code?] {
        try onStack(64 << 20) {
            let predicate = make()
            kept.withLock { $0.append(predicate) }
            return (try? onStack(stack) { uses(predicate, model) }) ?? []
        }
    }

    @Test(arguments: chains.indices) func chainsOfAnyLengthAreFlat(_ index: Int) throws {
        let model = try Self.model()
        let found = try Self.found(model) { Self.chains[index].make(8_000) }
        // Evaluated for nothing, a path has no value.
        #expect(found.count == 6 && found.allSatisfy { $0 == nil }, "\(Self.chains[index].name): \(found)")
    }

    @Test(arguments: trees.indices) func treesThatAreTooDeepAreRefused(_ index: Int) throws {
        let model = try Self.model()
        let found = try Self.found(model) { Self.trees[index].make(8_000) }
        #expect(found.count == 6 && found.dropLast().allSatisfy { $0 == .limit }, "\(Self.trees[index].name): \(found)")
        // Text may be as deep as 128 levels, and is a part of trees that a program makes.
        let good = try Self.found(model, stack: 2 << 20) { Self.trees[index].make(150) }
        #expect(good.count == 6 && good.allSatisfy { $0 == nil }, "\(Self.trees[index].name): \(good)")
    }

    @Test func flatChainsMeanTheSame() throws {
        for (name, make) in Self.chains {
            for length in [1, 2, 3, 200, 201] {
                let predicate = make(length)
                let parsed = try FetchPredicate(format: predicate.predicateFormat)
                for year in [0, 1, 150, 999] {
                    let shifted = { (predicate: FetchPredicate) in
                        predicate.replacing { expression, _ in
                            if case .keyPath = expression { .constant(.int(Int64(year))) } else { nil }
                        }
                    }
                    let expected = name == "not" ? (year != 0) == (length % 2 == 0) : nil
                    let value = try shifted(predicate).evaluate(with: .null)
                    #expect(try shifted(parsed).evaluate(with: .null) == value, "\(name) \(length) \(year)")
                    if let expected { #expect(value == expected, "\(name) \(length) \(year)") }
                    if name == "and" { #expect(value == (year > length), "\(length) \(year)") }
                }
            }
        }
    }
}
