import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Testing
import TestSupport

/// The graph above the seam, on every kind of store that the stack registers.
struct GraphContractTests {
    private func run(_ kind: StoreKind, _ body: (() throws -> ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let model = try ContractModel.make()
            let description = PersistentStoreDescription(
                url: folder.appendingPathComponent("Graph.store"), type: kind.factory.type)
            var coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            coordinator.registerSamples()
            try coordinator.addPersistentStore(description)
            try body {
                if kind.hasFile {
                    try coordinator.removePersistentStores()
                    coordinator = PersistentStoreCoordinator(managedObjectModel: model)
                    coordinator.registerSamples()
                    try coordinator.addPersistentStore(description)
                }
                return ManagedObjectContext(coordinator)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func aSaveNamesWhatIsNotUniqueAndWhatCannotBeKept(kind: StoreKind) throws {
        try run(kind) { open in
            let context = try open()
            let first = try context.insert("Shelf")
            first["name"] = "a"
            try context.save()
            let second = try context.insert("Shelf")
            second["name"] = "a"
            let error = #expect(throws: GraphError.self) { try context.save() }
            #expect(error?.code == .constraint && error?.entity == "Shelf" && error?.keys == ["name"])
            #expect(error?.objects == [second.objectID, first.objectID])

            second["name"] = "b"
            let book = try context.insert("Book")
            book["price"] = Decimal.nan
            let refusal = #expect(throws: ValidationError.self) { try context.save() }
            #expect(refusal?.failures.map(\.key) == ["price"] && refusal?.failures.map(\.object) == [book.objectID])
            #expect(refusal?.failures.first?.value?.isNotANumber == true)
            // Nothing is lost: with a value that can be kept all of it is saved.
            book["price"] = 1
            try context.save()
            #expect(!context.hasChanges && !second.objectID.isTemporaryID)
        }
    }

    @Test(arguments: StoreKind.allCases) func aGraphIsSavedAndFoundAgain(kind: StoreKind) throws {
        try run(kind) { open in
            var context = try open()
            let shelf = try context.insert("Shelf")
            shelf["name"] = "first"
            for number in 0..<3 {
                let book = try context.insert("Book")
                book["title"] = "book \(number)"
                book["code"] = Int64(number)
                book["shelf"] = shelf
            }
            try context.save()

            context = try open()
            var request = FetchRequest<ManagedObject>(entityName: "Book")
            request.predicate = try FetchPredicate(format: "shelf.name == 'first' AND code > 0")
            request.sortDescriptors = [SortKey("code", ascending: false)]
            let books = try context.fetch(request)
            #expect(books.map { $0["title"] as? String } == ["book 2", "book 1"])
            books[0]["title"] = "changed"
            context.delete(books[1])
            try context.save()

            context = try open()
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
            #expect(Set(all.map { $0["title"] as? String }) == ["book 0", "changed"])
        }
    }

    @Test(arguments: StoreKind.allCases) func twoContextsDoNotOverwriteEachOther(kind: StoreKind) throws {
        try run(kind) { open in
            let first = try open()
            let tag = try first.insert("Tag")
            tag["word"] = "a"
            try first.save()
            let coordinator = first.persistentStoreCoordinator
            let second = ManagedObjectContext(coordinator)
            let same = try #require(try second.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).first)
            same["word"] = "b"
            try second.save()
            tag["word"] = "c"
            let error = #expect(throws: GraphError.self) { try first.save() }
            #expect(error?.code == .conflict)
        }
    }
}
