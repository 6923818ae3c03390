import Foundation
import Query
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Random predicates on random data of random models: SQL must choose the objects that memory
/// chooses.
///
/// `FOLIO_DIFFERENTIAL_CASES` makes it longer, `FOLIO_DIFFERENTIAL_SEED` starts it elsewhere; a
/// failure names the seed of its case.
struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let cases = environment["FOLIO_DIFFERENTIAL_CASES"].flatMap { Int($0) } ?? sweep(1_000, all: 4_000)
    private static let seed = environment["FOLIO_DIFFERENTIAL_SEED"].flatMap { UInt64($0) } ?? 20_260

    @Test func sqlChoosesWhatMemoryChooses() throws {
        var random = SeededGenerator(seed: Self.seed)
        var data = try LibraryData(&random, size: 24, model: LibraryModel.random(&random))
        var (compared, refused, left) = (0, 0, 0)
        var failures = 0
        print("differential test: seed \(Self.seed), \(Self.cases) cases")
        for number in 0..<Self.cases {
            if number % 500 == 499 {
                data = try LibraryData(
                    &random, size: Int.random(in: 1...40, using: &random), model: LibraryModel.random(&random))
            }
            let seed = random.next()
            var generator = PredicateGenerator(data, seed: seed)
            let entity = generator.random.pick(data.model.entities)
            let raw = generator.predicate(for: entity)
            let predicate: FetchPredicate
            do { predicate = try raw.validated(against: entity, in: data.model, store: data.identity) } catch {
                refused += 1; continue
            }
            let objects = data.objects(of: entity)
            let expected: [LibraryObject]
            do {
                expected = try CompiledPredicate(predicate, entity: entity, model: data.model).filter(objects)
            } catch { refused += 1; continue }
            for isNegated in [false, true] {
                let condition = isNegated ? FetchPredicate.not(predicate) : predicate
                let request = RowRequest(entityIndex: entity.index, selection: .matching(condition))
                let translated = try SQLTranslation.translate(request, layout: data.layout, identity: data.identity)
                if let residual = translated.residual {
                    left += 1
                    Issue.record("case \(number), seed \(seed), \(entity.name): left to memory: \(residual)")
                    continue
                }
                let wanted = Set(
                    (isNegated ? objects.filter { object in !expected.contains { $0 === object } } : expected).map(
                        \.queryID.key))
                let select = translated.statement.selecting(["t0.Z_PK"])
                let found: Set<Int64>
                do {
                    found = Set(try data.connection.rows(select.text, select.arguments).compactMap { $0[0].integer })
                } catch {
                    Issue.record("case \(number), seed \(seed): \(error)\n\(predicate)\n\(select)")
                    failures += 1
                    continue
                }
                guard found != wanted else { continue }
                failures += 1
                Issue.record(
                    "case \(number), seed \(seed), \(entity.name): \(condition)\n\(select.text)\n\(select.arguments)\nSQL \(found.sorted()), memory \(wanted.sorted())"
                )
            }
            compared += 1
            if failures > 5 { break }
        }
        print("differential test: \(compared) compared, \(refused) refused, \(left) left to memory")
        #expect(refused * 5 < compared)
        #expect(left == 0)
    }

    @Test func sqlOrdersAndWindowsAsMemoryDoes() throws {
        var random = SeededGenerator(seed: Self.seed &+ 1)
        var data = try LibraryData(&random, size: 60)
        for number in 0..<(Self.cases / 4) {
            if number % 500 == 499 { data = try LibraryData(&random, size: 60, model: LibraryModel.random(&random)) }
            let seed = random.next()
            var generator = PredicateGenerator(data, seed: seed)
            let entity = generator.random.pick(data.model.entities)
            let keys = generator.sortKeys(for: entity)
            guard keys.allSatisfy({ (try? $0.validated(against: entity, in: data.model)) != nil }) else { continue }
            let predicate = try? generator.predicate(for: entity).validated(
                against: entity, in: data.model, store: data.identity)
            let objects = data.objects(of: entity)
            guard
                let matching = try? predicate.map({
                    try CompiledPredicate($0, entity: entity, model: data.model).filter(objects)
                }) ?? objects
            else { continue }
            let excluded = Set(objects.filter { _ in generator.random.chance(10) }.map(\.queryID.key))
            let sorted = try CompiledSort(keys, entity: entity, model: data.model).sorted(
                matching.filter { !excluded.contains($0.queryID.key) })
            let offset = generator.random.pick([0, 0, 1, 3, 100]),
                limit = generator.random.pick([nil, nil, 0, 1, 5, 100])
            let window = sorted.dropFirst(offset).prefix(limit ?? .max).map(\.queryID.key)

            let request = RowRequest(
                entityIndex: entity.index, selection: .matching(predicate), sortKeys: keys, offset: offset,
                limit: limit, excludedKeys: excluded.sorted())
            let translated = try SQLTranslation.translate(request, layout: data.layout, identity: data.identity)
            let select = translated.statement.selecting(["t0.Z_PK"])
            let found = try data.connection.rows(select.text, select.arguments).compactMap { $0[0].integer }
            let isOrdered = !keys.isEmpty || offset > 0 || limit != nil
            #expect(
                isOrdered ? found == window : found.sorted() == window.sorted(),
                "case \(number), seed \(seed), \(entity.name): \(keys)\n\(select)")
            let count = translated.statement.counting
            #expect(
                try data.connection.value(count.text, count.arguments)?.integer == Int64(window.count),
                "case \(number), seed \(seed): \(count)")
        }
    }

    @Test func sqlMakesTheRowsOfValuesThatMemoryMakes() throws {
        var random = SeededGenerator(seed: Self.seed &+ 2)
        var data = try LibraryData(&random, size: 24, model: LibraryModel.random(&random))
        let files = ExternalValues(
            path: { $0 }, write: { _ in throw QueryError(.unsupported, "nothing is written") }, secure: { _ in false },
            remove: { _ in })
        var (compared, refused) = (0, 0)
        for number in 0..<Self.cases {
            if number % 500 == 499 {
                data = try LibraryData(
                    &random, size: Int.random(in: 1...40, using: &random), model: LibraryModel.random(&random))
            }
            let seed = random.next()
            var generator = PredicateGenerator(data, seed: seed)
            let entity = generator.random.pick(data.model.entities)
            let request = generator.table(for: entity)
            let predicate = generator.random.chance(50) ? generator.predicate(for: entity) : nil
            let table: TableRequest
            let expected: [[PropertyValue]]
            let condition: FetchPredicate?
            do {
                table = try TableRequest(request, entity: entity, model: data.model, store: data.identity)
                condition = try predicate?.validated(against: entity, in: data.model, store: data.identity)
                let objects =
                    try condition.map {
                        try CompiledPredicate($0, entity: entity, model: data.model).filter(data.objects(of: entity))
                    } ?? data.objects(of: entity)
                expected = try TableEvaluation(table, entity: entity, model: data.model).rows(of: objects)
            } catch { refused += 1; continue }
            let place = "case \(number), seed \(seed), \(entity.name): \(request)"
            do {
                let rows = RowRequest(entityIndex: entity.index, selection: .matching(condition))
                let translated = try SQLTranslation.translate(
                    table, of: rows, layout: data.layout, identity: data.identity)
                let found = try translated.rows(
                    on: data.connection, layout: data.layout, identity: data.identity, files: files)
                #expect(
                    Self.same(found, expected, isOrdered: table.isOrdered),
                    "\(place)\n\(translated.statement)\nSQL \(found)\nmemory \(expected)")
            } catch let error as QueryError where error.code == .unsupported {
                Issue.record("\(place): left to memory: \(error)")
            } catch {
                Issue.record("\(place): \(error)")
            }
            compared += 1
        }
        print("differential test of rows: \(compared) compared, \(refused) refused")
        #expect(refused * 2 < compared)
    }

    /// Without the forms that only one of the two sides knows: files of large values, nil parts of
    /// composites.
    private static func plain(_ value: PropertyValue) -> PropertyValue {
        switch value {
        case .large(let large): (try? large.data()).map(PropertyValue.data) ?? value
        case .composite(let parts): .composite(parts.filter { !$0.value.isNull }.mapValues(plain))
        default: value
        }
    }

    private static func same(_ found: [[PropertyValue]], _ expected: [[PropertyValue]], isOrdered: Bool) -> Bool {
        guard found.count == expected.count else { return false }
        func equal(_ a: [PropertyValue], _ b: [PropertyValue]) -> Bool {
            zip(a, b).allSatisfy { ScalarRules.equal(plain($0), plain($1)) }
        }
        if isOrdered { return zip(found, expected).allSatisfy(equal) }
        var rest = expected
        for row in found {
            guard let place = rest.firstIndex(where: { equal($0, row) }) else { return false }
            rest.remove(at: place)
        }
        return true
    }
}
