import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import Testing

/// Contexts that read one moment of the store (B27–B31).
struct QueryGenerationTests {
    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.all("Account").compactMap { $0.text("title") }.sorted()
    }

    @Test func aPinnedContextSeesWhatWasThere_B28() throws {  // B31
        try GraphFixture.run(.sqlite) { fixture in
            let writer = fixture.context(), reader = fixture.context()
            let first = try writer.make("Account", ["title": "a", "note": "n"])
            let entry = try writer.make("Entry", ["text": "e", "account": first])
            try writer.save()
            try reader.setQueryGeneration(from: .current)
            #expect(reader.queryGenerationToken == nil)
            let known = try reader.same(first)
            #expect(reader.queryGenerationToken != nil)
            first["title"] = "b"
            writer.delete(entry)
            try writer.make("Account", ["title": "c"])
            try writer.save()
            #expect(try titles(reader) == ["a"] && reader.count("Account") == 1)
            reader.refresh(known, mergeChanges: false)
            #expect(known.text("title") == "a" && known.texts("entries", "text") == ["e"])
            var rows = FetchRequest<[String: PropertyValue]>(entityName: "Account")
            rows.propertiesToFetch = ["title"]
            #expect(try reader.fetch(rows) == [["title": .string("a")]])
            #expect(try titles(fixture.context()) == ["b", "c"])

            // The same moment for another context, and for a child of a pinned one.
            let another = fixture.context()
            try another.setQueryGeneration(from: reader.queryGenerationToken)
            #expect(try titles(another) == ["a"] && another.queryGenerationToken == reader.queryGenerationToken)
            let child = ManagedObjectContext(parent: reader)
            #expect(try titles(child) == ["a"] && child.queryGenerationToken == nil)

            try reader.setQueryGeneration(from: nil)
            #expect(try titles(reader) == ["a", "c"])
            reader.refreshAllObjects()
            #expect(try titles(reader) == ["b", "c"] && reader.queryGenerationToken == nil)
        }
    }

    @Test func savesMergesAndResetsMoveOn_B28() throws {
        try GraphFixture.run(.sqlite) { fixture in
            let writer = fixture.context(), reader = fixture.context()
            try reader.setQueryGeneration(from: .current)
            #expect(try reader.count("Account") == 0)
            var count = 0
            func moves(_ body: () throws -> Void) throws {
                try writer.make("Account", ["title": "\(count)"])
                try writer.save()
                #expect(try reader.count("Account") == count)
                try body()
                count += 1
                #expect(try reader.count("Account") == count && reader.queryGenerationToken != nil)
            }
            try moves { reader.reset() }
            try moves { reader.mergeChanges(from: SavedChanges()) }
            try moves { try reader.setQueryGeneration(from: .current) }
            try moves {
                try reader.make("Tag", ["word": "x"])
                try reader.save()
            }
            #expect(try fixture.context().count("Tag") == 1)
        }
    }

    @Test func conflictsAreSettledWithTheStoreAsItIs() throws {
        try GraphFixture.run(.sqlite) { fixture in
            let writer = fixture.context(), reader = fixture.context(.mergeByPropertyObjectTrump)
            let account = try writer.make("Account", ["title": "a", "note": "n"])
            try writer.save()
            try reader.setQueryGeneration(from: .current)
            let same = try reader.same(account)
            account["title"] = "b"
            account["note"] = "m"
            try writer.save()
            same["title"] = "c"
            try reader.save()
            #expect(same.text("title") == "c" && same.text("note") == "m")
            let stored = try fixture.context().one("Account")
            #expect(stored.text("title") == "c" && stored.text("note") == "m")
        }
    }
}

extension QueryGenerationTests {
    @Test(arguments: StoreKind.allCases.filter { $0 != .sqlite }) func otherStoresStayUnpinned_B27(kind: StoreKind)
        throws
    {
        try GraphFixture.run(kind) { fixture in
            let writer = fixture.context(), reader = fixture.context()
            try reader.setQueryGeneration(from: .current)
            #expect(try reader.count("Account") == 0)
            try writer.make("Account", ["title": "a"])
            try writer.save()
            #expect(try reader.count("Account") == 1 && reader.queryGenerationToken == nil)
        }
    }

    @Test func aTokenOfAnotherStoreIsRefused_B30() throws {
        try GraphFixture.run(.sqlite) { first in
            try GraphFixture.run(.sqlite) { second in
                let context = first.context()
                try context.setQueryGeneration(from: .current)
                _ = try context.count("Account")
                let error = #expect(throws: GraphError.self) {
                    try second.context().setQueryGeneration(from: context.queryGenerationToken)
                }
                #expect(error?.code == .noStore)
                // A store that is taken away is not read any more, and a pinned moment keeps nobody
                // from closing it.
                try first.coordinator.removePersistentStores()
                #expect(#expect(throws: GraphError.self) { try context.count("Account") }?.code == .noStore)
            }
        }
    }
}
