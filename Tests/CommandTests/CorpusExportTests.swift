import Foundation
import Testing
import TestSupport

@Suite(.enabled(if: corpus != nil)) struct CorpusExportTests {
    @Test(arguments: Corpus.stores) func exportGivesWhatIsExpectedAndLeavesTheStoreAlone(store: Corpus.Store) throws {
        let folder = store.url.deletingLastPathComponent()
        let before = try FolioCommand.contents(of: folder)
        let outcome = try FolioCommand.run(["export", store.url.path, "--format", "json"] + store.modelArguments)
        #expect(outcome.exit == 0, "\(outcome.messages)")
        // A comparison of the texts, but without printing megabytes where they differ.
        let isEqual = try outcome.output == String(contentsOf: store.expected, encoding: .utf8)
        #expect(isEqual)
        #expect(try FolioCommand.contents(of: folder) == before)
    }

    @Test func aStoreWithoutAModelAsksForOne() throws {
        let outcome = try FolioCommand.run("export", try Corpus.store(named: "Recipes.sqlite").url.path)
        #expect(outcome.exit == 78)
        #expect(outcome.errors.count == 1)
        #expect(outcome.hints.first?.contains("--model") == true)
    }

    @Test func aModelThatDoesNotFitIsRefusedWithTheEntitiesThatDiffer() throws {
        let store = try Corpus.store(named: "Bookmarks_V1.sqlite")
        let outcome = try FolioCommand.run("export", store.url.path, "--model", FolioCommand.model)
        #expect(outcome.exit == 78)
        #expect(outcome.errors.count == 1)
        #expect(outcome.messages.contains("BookmarkEntity"))
    }
}
