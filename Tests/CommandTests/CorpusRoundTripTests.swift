import Foundation
import TestSupport
import Testing

/// Whatever a store holds, `export` and `import` into a new document lose nothing of it.
@Suite(.enabled(if: corpus != nil)) struct CorpusRoundTripTests {
    /// Exports, imports into a new document and compares; what the store has lost itself is
    /// reported by `import`, and stands in the difference alone.
    private func expectNoDifference(_ store: String, _ model: [String], in folder: URL) throws {
        func done(_ arguments: [String]) throws -> FolioCommand.Outcome {
            let outcome = try FolioCommand.run(arguments)
            #expect(outcome.exit == 0, "\(arguments): \(outcome.messages)")
            return outcome
        }
        let document = folder.path + "/New.folio", file = folder.path + "/all.json"
        let exported = try done(["export", store, "-o", file] + model)
        guard exported.exit == 0 else { return }
        _ = try done(["new", document] + (model.isEmpty ? ["--model", store] : model))
        let imported = try done(["import", document, file, "--json"])
        let missing = (imported.object["missing"] as? [[String: String]] ?? []).compactMap { $0["value"] }
        let outcome = try FolioCommand.run(["diff", store, document, "--json"] + model)
        let differences = outcome.object["differences"] as? [[String: Any]] ?? []
        let found = differences.flatMap { difference -> [String] in
            let object = difference["object"] as? String ?? ""
            guard difference["change"] as? String == "changed" else { return [object] }
            return (difference["properties"] as? [String: Any] ?? [:]).keys.map { "\(object).\($0)" }
        }
        #expect(Set(found) == Set(missing), "\(found.sorted().prefix(20)), \(missing.count) missing")
        #expect(outcome.exit == (missing.isEmpty ? 0 : 1), "\(outcome.messages)")
    }

    @Test(arguments: Corpus.stores) func aStoreThatIsExportedAndImportedHasNoDifference(store: Corpus.Store) throws {
        try withTemporaryDirectory { try expectNoDifference(store.url.path, store.modelArguments, in: $0) }
    }
}
