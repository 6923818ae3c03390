import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import Testing
import TestSupport

/// Fetching objects that a context knows, on every kind of store: their rows need not come again,
/// and nobody may notice.
struct RefetchContractTests {
    private func run(_ kind: StoreKind, _ body: (ManagedObjectContext) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try ContractModel.make())
            coordinator.registerSamples()
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("Refetch.store"), type: kind.factory.type)
            )
            try body(ManagedObjectContext(coordinator))
            try coordinator.removePersistentStores()
        }
    }

    private func tags(_ context: ManagedObjectContext, sorted: Bool = false, offset: Int = 0, limit: Int = 0) throws
        -> [ManagedObject]
    {
        var request = FetchRequest<ManagedObject>(entityName: "Tag")
        if sorted { request.sortDescriptors = [SortKey("word")] }
        request.fetchOffset = offset
        request.fetchLimit = limit
        return try context.fetch(request)
    }

    @Test(arguments: StoreKind.allCases) func valuesThatWereReadStayAndFaultsShowWhatIsStored(kind: StoreKind) throws {
        try run(kind) { writer in
            var made: [ManagedObject] = []
            for word in ["a", "b", "c", "d", "e"] {
                let tag = try writer.insert("Tag")
                tag["word"] = word
                made.append(tag)
            }
            try writer.save()
            let reader = ManagedObjectContext(writer.persistentStoreCoordinator)
            let before = try tags(reader, sorted: true)
            #expect(before[0]["word"] as? String == "a")
            #expect(before[1]["word"] as? String == "b")

            made[0]["word"] = "a2"
            made[2]["word"] = "c2"
            writer.delete(made[3])
            let new = try writer.insert("Tag")
            new["word"] = "f"
            try writer.save()

            let after = try tags(reader, sorted: true)
            #expect(after.prefix(3).map(ObjectIdentifier.init) == before.prefix(3).map(ObjectIdentifier.init))
            // The deleted one is gone, the new one is there, and the others are the same objects.
            #expect(after.count == 5 && after[3] === before[4] && !before.contains(after[4]))
            #expect(after.map { $0["word"] as? String } == ["a", "b", "c2", "e", "f"])
            #expect(try tags(reader).count == 5)
            #expect(try tags(reader, sorted: true, offset: 1, limit: 2).map { $0["word"] as? String } == ["b", "c2"])

            reader.refreshAllObjects()
            #expect(try tags(reader, sorted: true).map { $0["word"] as? String } == ["a2", "b", "c2", "e", "f"])
            // Once more, with every row at hand.
            #expect(Set(try tags(reader).compactMap { $0["word"] as? String }) == ["a2", "b", "c2", "e", "f"])
        }
    }

    @Test(arguments: StoreKind.allCases) func objectsOfAHierarchyAreFoundAgainInOrder(kind: StoreKind) throws {
        try run(kind) { writer in
            for number in 0..<40 {
                let item = try writer.insert(["Book", "Atlas", "Disc"][number % 3])
                item["title"] = "title \(number + 100)"
            }
            try writer.save()
            let context = ManagedObjectContext(writer.persistentStoreCoordinator)
            func fetch(_ entity: String, _ predicate: String? = nil, limit: Int = 0) throws -> [ManagedObject] {
                var request = FetchRequest<ManagedObject>(entityName: entity)
                request.predicate = try predicate.map { try FetchPredicate(format: $0) }
                request.sortDescriptors = [SortKey("title", ascending: false)]
                request.fetchLimit = limit
                return try context.fetch(request)
            }
            let books = try fetch("Book")
            for book in books.prefix(10) { _ = book["title"] }
            let items = try fetch("Item")
            #expect(items.count == 40)
            #expect(items.map { $0["title"] as? String } == (0..<40).reversed().map { "title \($0 + 100)" })
            #expect(items.filter { $0.entity.name != "Disc" } == books)
            #expect(try fetch("Item") == items)
            #expect(try fetch("Item", limit: 7) == Array(items.prefix(7)))
            #expect(
                try fetch("Item", "title ENDSWITH '5'")
                    == items.filter { ($0["title"] as? String)?.hasSuffix("5") == true })
            #expect(try fetch("Atlas") == items.filter { $0.entity.name == "Atlas" })
        }
    }

    @Test(arguments: StoreKind.allCases) func objectsThatWentAreReadAgain(kind: StoreKind) throws {
        try run(kind) { writer in
            for number in 0..<100 { try writer.insert("Tag")["word"] = "\(number)" }
            try writer.save()
            let context = ManagedObjectContext(writer.persistentStoreCoordinator)
            var kept: [ManagedObject] = []
            do {
                let all = try tags(context)
                for tag in all { _ = tag["word"] }
                kept = Array(all.prefix(3))
            }
            let again = try tags(context)
            #expect(again.count == 100 && kept.allSatisfy { again.contains($0) })
            #expect(Set(again.compactMap { $0["word"] as? String }).count == 100)
        }
    }
}
