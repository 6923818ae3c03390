import CoreData
import Testing

extension PortTests {
    @Test func aBookshelfMigratesByAPolicyOfItsOwn() throws {
        let folder = try Folder()
        #expect(
            try Output.of { try BookshelfProgram.run(folder.url) } == [
                "true false first", "true", "true", "begin BookToBook", "1 without pages", "end BookToBook",
                "Le Guin 2 [\"The Dispossessed 341\", \"The Left Hand of Darkness 286\"]", "Lem 1 [\"Solaris 204\"]",
                "[\"the-left-hand-of-darkness\"]",
                "SF [\"The Left Hand of Darkness\", \"Solaris\", \"The Dispossessed\", \"Roadside Picnic\"]", "3",
                "3", "cancelled Bookshelf 7",
            ])
    }
}
