import Foundation
import Migration
import ModelFiles
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Versions of every application of the corpus, in pairs: generated rows become those of the other
/// version, in one step or in several, or the pair is refused; nothing that both versions have is
/// lost.
///
/// A sample by default. With `FOLIO_MIGRATE_ALL` every pair of every application in both
/// directions, which takes hours in a debug build, with a table at its end; with a number there, so
/// many pairs of each application.
@Suite(.enabled(if: corpus != nil), .serialized)
struct CorpusPairsTests {
    struct Application: CustomTestStringConvertible, Sendable {
        let name: String
        let versions: [ManagedObjectModel]
        var testDescription: String { name }
    }

    /// Every file with several versions, by its path in the corpus.
    static let applications: [Application] = {
        guard let corpus, let names = FileManager.default.enumerator(atPath: corpus.path) else { return [] }
        var found: [Application] = []
        for case let name as String in names where ["xcdatamodeld", "momd"].contains((name as NSString).pathExtension) {
            names.skipDescendants()
            guard let file = try? ModelFile(contentsOf: corpus.appendingPathComponent(name)) else { continue }
            let versions = file.versionNames.compactMap { try? file.model(version: $0) }
            if versions.count > 1 { found.append(Application(name: name, versions: versions)) }
        }
        return found.sorted { $0.name < $1.name }
    }()

    /// How many pairs of each application are looked at, where that is said.
    static let most: Int? = ProcessInfo.processInfo.environment["FOLIO_MIGRATE_ALL"].map {
        Int($0).flatMap { $0 > 1 ? $0 : nil } ?? .max
    }

    /// What became of a pair.
    enum Outcome: Hashable {
        case same
        case steps(Int)
        /// By the two models, with the rules that are broken.
        case refused(Set<String>)
        /// By the rows.
        case unfit
    }

    /// Migrates generated rows as a document would be, and compares what is there afterwards.
    private func migrate(_ application: Application, _ first: Int, _ second: Int, seed: Int, in folder: URL) throws
        -> Outcome
    {
        let old = application.versions[first], new = application.versions[second]
        let place = "\(application.name) \(first + 1) → \(second + 1), seed \(seed)"
        let plans: [MigrationPlan]
        do {
            plans = try MigrationChain.plans(from: old, to: new, through: application.versions)
        } catch {
            #expect(
                !error.obstacles.isEmpty && error.refusedChain.map { !$0.losses.isEmpty } ?? true, "\(place): \(error)")
            return .refused(Set(error.obstacles.map(\.rule.rawValue)))
        }
        guard !plans.isEmpty else { return .same }
        let store = try MigratedStore.make(
            old, at: folder.appendingPathComponent("\(UUID().uuidString).sqlite"), seed: seed)
        defer { try? FileManager.default.removeItem(at: store.url) }
        let before = try store.snapshot()
        do {
            try SQLitePersistentStore.migrate(PersistentStoreDescription(url: store.url), plans)
        } catch let error as StorageError where [.invalidObjects, .constraint].contains(error.code) {
            #expect(try store.snapshot().objects == before.objects, "\(place)")
            return .unfit
        }
        let after = try store.snapshot(new)
        let expected = ExpectedMigration(old: old, new: new, before: before)
        let wrong = plans.count == 1 ? try expected.differences(from: after) : try expected.losses(in: after)
        #expect(wrong.isEmpty, "\(place), \(plans.count) steps: \(wrong.prefix(5))")
        try store.checkLayout(new, place)
        return .steps(plans.count)
    }

    /// The small applications whole; of the long chain there is a test of its own.
    @Test(arguments: applications.filter { $0.versions.count < 20 }) func everyVersionBecomesTheNext(
        application: Application
    ) throws {
        try withTemporaryDirectory { folder in
            for index in 1..<application.versions.count {
                let outcome = try migrate(application, index - 1, index, seed: index, in: folder)
                #expect(outcome == .steps(1) || outcome == .same, "\(application.name) \(index): \(outcome)")
            }
        }
    }

    @Test func nothingIsLostBetweenAnyTwoVersions() throws {
        var random = SplitMix(state: 0xC0DE)
        for application in Self.applications {
            let count = application.versions.count
            let pairs = (0..<count).flatMap { first in (0..<count).filter { $0 != first }.map { (first, $0) } }
            let chosen = Array(pairs.shuffled(using: &random).prefix(Self.most ?? (count > 20 ? 4 : 2)))
            var consecutive: [Outcome: Int] = [:], all: [Outcome: Int] = [:]
            try withTemporaryDirectory { folder in
                for (number, (first, second)) in chosen.enumerated() {
                    let outcome = try migrate(application, first, second, seed: number + 1, in: folder)
                    all[outcome, default: 0] += 1
                    if second == first + 1 { consecutive[outcome, default: 0] += 1 }
                }
            }
            #expect(all.values.reduce(0, +) == chosen.count)
            if Self.most != nil {
                print(
                    "\(application.name): \(count) versions\n  consecutive: \(Self.text(consecutive))\n  all: \(Self.text(all))"
                )
            }
        }
    }

    private static func text(_ outcomes: [Outcome: Int]) -> String {
        outcomes.map { outcome, count in
            switch outcome {
            case .same: "\(count) compatible"
            case .steps(let steps): "\(count) in \(steps) step\(steps == 1 ? "" : "s")"
            case .refused(let rules): "\(count) refused (\(rules.sorted().joined(separator: ", ")))"
            case .unfit: "\(count) refused by their rows"
            }
        }.sorted().joined(separator: "; ")
    }
}
