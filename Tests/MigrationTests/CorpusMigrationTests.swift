import Foundation
import Migration
import ModelFiles
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// The chain of 117 versions of one application: generated data of every version, brought to the
/// next version and to the newest.
@Suite(.enabled(if: corpus != nil), .serialized)
struct CorpusMigrationTests {
    /// All pairs take minutes; without this, a part of them does that has every kind of change.
    static let isWhole = ProcessInfo.processInfo.environment["FOLIO_MIGRATE_ALL"] != nil

    static let versions: [ManagedObjectModel] = {
        guard let corpus,
            let file = try? ModelFile(
                contentsOf: corpus.appendingPathComponent(
                    "woocommerce__woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld"))
        else {
            return []
        }
        return file.versionNames.compactMap { try? file.model(version: $0) }
    }()

    /// What can't be inferred between consecutive versions, each looked at by hand.
    static let refused: [Int: [String]] = [
        9: ["Order.statusKey mandatoryWithoutDefault"],
        32: ["Product.date mandatoryWithoutDefault"],
    ]

    /// What can't be inferred from a version to the newest, each looked at by hand: an attribute
    /// that changed its type, or that came to be demanded without a default, bars the way from
    /// every version that has its entity before that. Between 10 and 11, and from 33 on, nothing
    /// does.
    static func refusedToNewest(from version: Int) -> [String] {
        switch version {
        case 1...9: ["Order.statusKey mandatoryWithoutDefault"]
        case 13...14:
            [
                "Product.date mandatoryWithoutDefault", "ProductVariation.permalink mandatoryWithoutDefault",
                "ProductVariation.shippingClassID attributeType",
                "ProductVariation.stockStatusKey mandatoryWithoutDefault",
                "ProductVariation.taxStatusKey mandatoryWithoutDefault",
            ]
        case 12...32: ["Product.date mandatoryWithoutDefault"]
        default: []
        }
    }

    /// Holds a reason against the two versions themselves.
    private func isTrue(_ reason: String, _ old: ManagedObjectModel, _ new: ManagedObjectModel) -> Bool {
        let words = reason.split { " .".contains($0) }.map(String.init)
        guard words.count == 3, let attribute = new.entity(named: words[0])?.attributesByName[words[1]],
            let entity = old.entity(named: words[0])
        else { return false }
        let former = entity.attributesByName[words[1]]
        switch words[2] {
        case "attributeType": return former.map { $0.type != attribute.type } ?? false
        case "mandatoryWithoutDefault":
            return !attribute.isOptional && attribute.defaultValue == nil && former?.isOptional ?? true
        default: return false
        }
    }

    /// What bars the way, or what the rows have to decide beyond single values.
    static func reasons(_ difference: ModelDifference) -> [String] {
        let decided = difference.conditions.filter { $0.rule != .attributeType }.compactMap { condition in
            condition.rule.map { "\(condition.place) \($0.rawValue)" }
        }
        return (difference.obstacles.map { "\($0.place) \($0.rule.rawValue)" } + decided).sorted()
    }

    private func check(_ pairs: [(Int, Int)]) throws -> (migrated: Int, refused: [String]) {
        try withTemporaryDirectory { folder in
            var migrated = 0, refused: [String] = []
            var originals: [Int: MigratedStore] = [:]
            for (first, second) in pairs {
                let old = Self.versions[first - 1], new = Self.versions[second - 1]
                let difference = ModelDifference(from: old, to: new)
                let reasons = Self.reasons(difference)
                guard reasons.isEmpty else {
                    refused.append("\(first) → \(second): " + reasons.joined(separator: ", "))
                    continue
                }
                if originals[first] == nil {
                    originals[first] = try MigratedStore.make(
                        old, at: folder.appendingPathComponent("V\(first).sqlite"))
                }
                guard let original = originals[first] else { continue }
                let copy = try original.copy(to: folder.appendingPathComponent("V\(first)-\(second).sqlite"))
                let before = try copy.snapshot()
                try copy.migrate(from: old, to: new)
                let differences = try ExpectedMigration(old: old, new: new, before: before).differences(
                    from: try copy.snapshot(new))
                #expect(differences.isEmpty, "\(first) → \(second): \(differences.prefix(5))")
                try copy.checkLayout(new, "\(first) → \(second)")
                try FileManager.default.removeItem(at: copy.url)
                migrated += 1
            }
            return (migrated, refused)
        }
    }
}

extension CorpusMigrationTests {
    @Test func everyVersionBecomesTheNext() throws {
        let count = Self.versions.count
        try #require(count == 117)
        let pairs = (1..<count).filter {
            Self.isWhole || $0 % 11 == 0 || [2, 9, 14, 25, 26, 28, 30, 31, 32, 45, 65, 87, 114].contains($0)
        }.map { ($0, $0 + 1) }
        let (migrated, refused) = try check(pairs)
        #expect(
            refused
                == Self.refused.keys.sorted().map {
                    "\($0) → \($0 + 1): " + Self.refused[$0, default: []].joined(separator: ", ")
                })
        #expect(migrated == pairs.count - refused.count)
    }

    @Test func everyVersionBecomesTheNewestOrIsRefused() throws {
        let count = Self.versions.count
        try #require(count == 117)
        let pairs = (1..<count).filter { Self.isWhole || $0 % 15 == 0 || [2, 13, 46, 88, 114].contains($0) }.map {
            ($0, count)
        }
        let (migrated, refused) = try check(pairs)
        let expected = pairs.map(\.0).filter { !Self.refusedToNewest(from: $0).isEmpty }
        #expect(
            refused == expected.map { "\($0) → \(count): " + Self.refusedToNewest(from: $0).joined(separator: ", ") })
        #expect(migrated == pairs.count - expected.count)
        if Self.isWhole { print("\(migrated) migrated, \(refused.count) refused:\n" + refused.joined(separator: "\n")) }
    }

    @Test func everyReasonOfARefusalIsTrue() throws {
        let count = Self.versions.count
        try #require(count == 117)
        for version in 1..<count {
            for reason in Self.refused[version, default: []] {
                #expect(isTrue(reason, Self.versions[version - 1], Self.versions[version]), "\(version): \(reason)")
            }
            for reason in Self.refusedToNewest(from: version) {
                #expect(isTrue(reason, Self.versions[version - 1], Self.versions[count - 1]), "\(version): \(reason)")
            }
            // Every pair, whatever is migrated here.
            let difference = ModelDifference(from: Self.versions[version - 1], to: Self.versions[count - 1])
            #expect(Self.reasons(difference) == Self.refusedToNewest(from: version), "\(version)")
        }
    }

    /// The same migration, done by Apple's own framework.
    @Test func theSampleBecomesWhatCoreDataMadeOfIt() throws {
        let corpus = try #require(corpus)
        let folder = corpus.appendingPathComponent("alemar11__CoreDataPlus/Tests/Resources/SampleModel")
        let file = try ModelFile(contentsOf: folder.appendingPathComponent("SampleModel.xcdatamodeld"))
        let old = try file.model(version: "SampleModel"), new = try file.model(version: "SampleModel2")
        try withTemporaryDirectory { scratch in
            let copy = try MigratedStore(url: folder.appendingPathComponent("Fixtures/SampleModel_V1.sqlite")).copy(
                to: scratch.appendingPathComponent("V1.sqlite"))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy.url.path)
            let before = try copy.snapshot()
            try copy.migrate(from: old, to: new)
            try copy.checkLayout(new, "SampleModel")
            let after = try copy.snapshot(new)
            #expect(try ExpectedMigration(old: old, new: new, before: before).differences(from: after).isEmpty)
            let apples = try MigratedStore(url: folder.appendingPathComponent("Fixtures/SampleModel_V2.sqlite"))
                .snapshot()
            #expect(after.objects.count == apples.objects.count && apples.objects.count == 145)
            for (object, content) in apples.objects { #expect(after.objects[object] == content, "\(object)") }
        }
    }
}
