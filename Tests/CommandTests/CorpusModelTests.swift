import Foundation
import Testing
import TestSupport

/// Hashes that `model hash` computes from model files, against those that Apple's tools and stores
/// recorded.
@Suite(.enabled(if: corpus != nil)) struct CorpusModelTests {
    /// Reads the hashes that a `VersionInfo.plist` records for each version.
    private func recordedHashes(_ momd: URL) throws -> [String: [String: Data]] {
        let list = try PropertyListSerialization.propertyList(
            from: try Data(contentsOf: momd.appendingPathComponent("VersionInfo.plist")), format: nil)
        return (list as? [String: Any])?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]] ?? [:]
    }

    private func hashes(_ model: String) throws -> [String: String] {
        let outcome = try FolioCommand.run("model", "hash", model, "--json")
        #expect(outcome.exit == 0, "\(model): \(outcome.messages)")
        return outcome.object["entities"] as? [String: String] ?? [:]
    }

    @Test(arguments: Corpus.files { $0.hasSuffix(".momd/VersionInfo.plist") })
    func compiledVersionsHaveTheRecordedHashes(plist: URL) throws {
        let momd = plist.deletingLastPathComponent()
        let recorded = try recordedHashes(momd)
        #expect(!recorded.isEmpty)
        for (version, expected) in recorded {
            let found = try hashes(momd.path + "#" + version)
            #expect(found == expected.mapValues { $0.map { String(format: "%02x", $0) }.joined() }, "\(version)")
        }
    }

    @Test(arguments: Corpus.stores) func storesRecordTheHashesOfTheModelThatTheyCarry(store: Corpus.Store) throws {
        let expected = try JSONSerialization.jsonObject(with: try Data(contentsOf: store.expected)) as? [String: Any]
        let recorded = (expected?["model"] as? [String: Any])?["hashes"] as? [String: String] ?? [:]
        // How Core Data hashes entities with derived attributes is not known.
        let isDerived = store.url.lastPathComponent.hasPrefix("SampleModel2")
        let found = try hashes(store.modelArguments.last ?? store.url.path)
        #expect(Set(found.keys) == Set(recorded.keys))
        let differing = recorded.filter { found[$0.key] != $0.value }.keys.sorted()
        if !isDerived { #expect(differing.isEmpty) } else { #expect(differing.count < recorded.count) }
    }

    @Test func everyModelOfTheCorpusIsRead() throws {
        let models = Corpus.files { $0.hasSuffix(".xcdatamodel/contents") || $0.hasSuffix(".xcdatamodel/elements") }
        #expect(models.count > 100)
        // One process for each would take long; the model's own tests read all of them, and here a
        // few of each kind are enough.
        for url in models.filter({ $0.lastPathComponent == "elements" })
            + models.enumerated().filter({ $0.offset % 12 == 0 }).map(\.element)
        {
            #expect(!(try hashes(url.deletingLastPathComponent().path)).isEmpty)
        }
    }
}
