import CoreData
import Testing

/// Documents that are stores.
struct DocumentTests {
    private final class Shelf: NSPersistentDocument {
        private let model = Library.model()
        override var managedObjectModel: NSManagedObjectModel? { model }
    }

    @Test func aMissingFileIsNotCreatedByOpeningIt() throws {
        let folder = try Folder(), url = folder.url.appendingPathComponent("none.shelf")
        let error = #expect(throws: CocoaError.self) { try Shelf(contentsOf: url, ofType: "Shelf") }
        #expect(error?.code == .fileReadNoSuchFile)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    @Test func changesOutsideOfTheContextAreCounted() throws {
        let document = Shelf()
        document.updateChangeCount(.changeDone)
        document.updateChangeCount(.changeDone)
        document.updateChangeCount(.changeUndone)
        #expect(document.isDocumentEdited)
        document.updateChangeCount(.changeUndone)
        #expect(!document.isDocumentEdited)
        document.updateChangeCount(.changeRedone)
        #expect(document.isDocumentEdited)
        document.updateChangeCount(.changeCleared)
        #expect(!document.isDocumentEdited)
    }

    @Test func aDocumentFollowsItsFile() throws {
        let folder = try Folder()
        let url = folder.url.appendingPathComponent("a.shelf"), moved = folder.url.appendingPathComponent("b.shelf")
        let document = Shelf()
        let context = try #require(document.managedObjectContext)
        let book = Book(context: context)
        try document.save(to: url, ofType: "Shelf", for: .saveAsOperation)
        for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + end) {
            try FileManager.default.moveItem(atPath: url.path + end, toPath: moved.path + end)
        }
        document.fileURL = moved
        #expect(document.displayName == "b")
        book.title = "Dune"
        try document.save(to: moved, ofType: "Shelf", for: .saveOperation)
        document.close()
        #expect(!FileManager.default.fileExists(atPath: url.path))
        let opened = try Shelf(contentsOf: moved, ofType: "Shelf")
        let request = NSFetchRequest<Book>(entityName: "Book")
        #expect(try opened.managedObjectContext?.fetch(request).map(\.title) == ["Dune"])
        opened.close()
    }

    @Test func aStoreInMemoryGetsTheLocationThatItIsGiven() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let url = URL(fileURLWithPath: "/memory/library")
        #expect(coordinator.setURL(url, for: store) && store.url == url && coordinator.url(for: store) == url)
        #expect(coordinator.persistentStore(for: url) === store)
    }
}
