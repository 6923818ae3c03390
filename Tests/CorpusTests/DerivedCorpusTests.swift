import Folio
import Foundation
import SQLiteKit
import SQLiteStore
import TestSupport
import Testing

/// Stores of Apple's with a derived attribute: their own triggers go on keeping it.
@Suite(.enabled(if: corpus != nil))
struct DerivedCorpusTests {
    @Test(arguments: ["SampleModel2_V1", "SampleModel2_V2"]) func applesTriggersCountWhatIsEditedHere(name: String)
        throws
    {
        let original = try #require(StoreReadingTests.stores.first { $0.lastPathComponent == name + ".sqlite" })
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("s.sqlite")
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + suffix) {
                try FileManager.default.copyContents(
                    of: URL(fileURLWithPath: original.path + suffix), to: URL(fileURLWithPath: url.path + suffix))
            }
            func triggers() throws -> [String] {
                try Connection.reading(url.path) {
                    try $0.rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1").compactMap(
                        \.[0].text)
                }
            }
            let before = try triggers()
            #expect(before.count == 5)
            let model = try #require(try SQLiteStoreFile(url).modelInfo().embeddedModel())
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(PersistentStoreDescription(url: url))
            let context = ManagedObjectContext(coordinator)
            let book = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first {
                    ($0["pages"] as? Set<ManagedObject>)?.count ?? 0 > 1
                })
            let pages = try #require(book["pages"] as? Set<ManagedObject>)
            #expect(book["pagesCount"] as? Int == pages.count)
            context.delete(try #require(pages.first))
            try context.save()
            #expect(book["pagesCount"] as? Int == pages.count - 1)
            try coordinator.removePersistentStores()
            #expect(try triggers() == before)
        }
    }
}
