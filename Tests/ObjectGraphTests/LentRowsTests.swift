import Foundation
import ObjectGraph
import Query
import RowMemory
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

@Suite("Rows that a large save lends the store, while editing goes on")
struct LentRowsTests {
    private static let count = 300
    private static let longText = "a title that is too long to stand in place"

    let library: Library
    let context: ManagedObjectContext
    let book: ManagedObject
    let chapters: [ManagedObject]

    init() throws {
        library = try Library()
        context = library.context
        context.undoManager = UndoManager()
        book = try library.book("Emma")
        let context = context
        let book = book
        chapters = try (0..<Self.count).map { number in
            let chapter = try context.insert("Chapter")
            chapter["title"] = "\(Self.longText) \(number)"
            chapter["book"] = number % 2 == 0 ? book : nil
            return chapter
        }
    }

    private func prepare() throws -> PreparedSave { try #require(try context.prepareSave(reservesKeys: true)) }

    private func rows(_ prepared: PreparedSave) throws -> RowBatch {
        let index = try #require(library.model.entity(named: "Chapter")).index
        let inserted = prepared.changes.insertions.first { $0.entityIndex == index }?.rows
        return try #require(inserted ?? prepared.changes.updates.first { $0.entityIndex == index }?.rows)
    }

    private func slot(_ name: String) throws -> RowSlot {
        let entity = try #require(library.model.entity(named: "Chapter"))
        return library.store.layouts[entity.index].slots[try #require(entity.property(named: name)).index]
    }

    private func titles(_ rows: RowBatch) throws -> [String?] {
        let title = try slot("title")
        return (0..<rows.count).map { rows[$0].string(title) }
    }

    private static let titles: [String?] = (0..<count).map { "\(longText) \($0)" }

    private func complete(_ prepared: PreparedSave) throws {
        context.completeSave(prepared, try library.store.apply(prepared.changes))
    }

    private func expectSaved(_ expected: [String?], line: Int = #line) throws {
        let saved = try library.savedTitles()
        #expect(saved == expected.compactMap { $0 }.sorted(), "line \(line)")
    }

    private func addresses(_ rows: RowBatch) -> [UnsafeMutableRawPointer] {
        (0..<rows.count).map { rows[$0].cells.address }
    }

    private func isBorrowed(_ rows: RowBatch) -> Bool { (0..<rows.count).contains { rows[$0].slab.isBorrowed } }

    @Test func nothingOfThemIsCopied() throws {
        let first = try prepare()
        let rows = try rows(first), places = addresses(rows)
        #expect(isBorrowed(rows))
        _ = context.failSave(first, StorageError(.full, "full"))
        #expect(!isBorrowed(rows))
        // Back with the graph, they are changed where they are, and lent again.
        for chapter in chapters { chapter["title"] = "In place" }
        let second = try prepare()
        #expect(try addresses(self.rows(second)) == places)
        try complete(second)
        #expect(!isBorrowed(rows))
        try expectSaved([String?](repeating: "In place", count: Self.count))
    }

    @Test func whatIsSetMeanwhileDoesNotReachTheStore() throws {
        let prepared = try prepare()
        for chapter in chapters { chapter["title"] = "New" }
        chapters[0]["title"] = nil
        chapters[1].setPrimitiveValue("Primitive", forKey: "title")
        chapters[2].setValue("By key", forKey: "title")
        let typed: AttributeKey<String> = try chapters[3].entity.attribute("title")
        chapters[3][typed] = "Typed"
        chapters[3][typed] = "Typed again"
        chapters[4][typed] = nil
        #expect(try titles(rows(prepared)) == Self.titles)
        try complete(prepared)
        try expectSaved(Self.titles)
        #expect(chapters[3].changedValues().keys.sorted() == ["title"] && chapters[4]["title"] == nil)
        try context.save()
        var expected = [String?](repeating: "New", count: Self.count)
        // A primitive value is told nobody; what was set of it before is a change.
        (expected[0], expected[1], expected[2], expected[3], expected[4]) = (
            nil, "Primitive", "By key", "Typed again", nil
        )
        try expectSaved(expected)
    }
}

extension LentRowsTests {
    @Test func relationshipsThatChangeMeanwhileDoNotReachTheStore() throws {
        let prepared = try prepare()
        for (number, chapter) in chapters.enumerated() { chapter["book"] = number % 2 == 0 ? nil : book }
        let other = try library.book("Persuasion")
        chapters[0]["book"] = other
        let rows = try rows(prepared), slot = try slot("book")
        #expect((0..<rows.count).allSatisfy { rows[$0].hasValue(slot) == ($0 % 2 == 0) })
        try complete(prepared)
        try context.save()
        let later = library.anotherContext()
        #expect(later.object(with: other.objectID).names("chapters") == [Self.titles[0]])
        #expect(later.object(with: book.objectID).names("chapters").count == Self.count / 2)
    }

    @Test func undoMeanwhileDoesNotReachTheStore() throws {
        try context.save()
        for chapter in chapters { chapter["title"] = "Second" }
        let prepared = try prepare()
        #expect(prepared.changes.updates.count == 1)
        context.undo()
        #expect(chapters.allSatisfy { $0["title"] as? String != "Second" })
        #expect(try titles(rows(prepared)).allSatisfy { $0 == "Second" })
        context.redo()
        context.undo()
        try complete(prepared)
        try expectSaved([String?](repeating: "Second", count: Self.count))
        try context.save()
        try expectSaved(Self.titles)
    }

    @Test func insertionsThatAreUndoneAndRedoneMeanwhileAreSavedAsTheyWere() throws {
        let prepared = try prepare()
        context.undo()
        context.redo()
        #expect(try titles(rows(prepared)) == Self.titles)
        try complete(prepared)
        try context.save()
        try expectSaved(Self.titles)
    }

    @Test func objectsThatAreDeletedOrGoMeanwhileLeaveTheirRowsToTheStore() throws {
        let prepared = try prepare()
        for chapter in chapters { context.delete(chapter) }
        context.processPendingChanges()
        #expect(try titles(rows(prepared)) == Self.titles)
        try complete(prepared)
        try expectSaved(Self.titles)
        try context.save()
        try expectSaved([])
    }

    @Test func theRowsOutliveTheirContext() throws {
        let prepared: PreparedSave
        do {
            let other = library.anotherContext()
            for number in 0..<Self.count { try other.insert("Chapter")["title"] = "\(Self.longText) \(number)" }
            prepared = try #require(try other.prepareSave(reservesKeys: true))
        }
        #expect(try titles(rows(prepared)) == Self.titles)
    }

    @Test func aSaveThatFailsGivesThemBack() throws {
        let prepared = try prepare()
        chapters[0]["title"] = "Meanwhile"
        _ = context.failSave(prepared, StorageError(.full, "full"))
        #expect(try !isBorrowed(rows(prepared)))
        chapters[1]["title"] = "Afterwards"
        try context.save()
        var expected = Self.titles
        (expected[0], expected[1]) = ("Meanwhile", "Afterwards")
        try expectSaved(expected)
    }

    @Test func newObjectsGetRowsInSlabsThatAreNotLent() throws {
        let prepared = try prepare()
        let new = try context.insert("Chapter")
        new["title"] = "New"
        #expect(try rows(prepared).count == Self.count)
        try complete(prepared)
        try context.save()
        try expectSaved(Self.titles + ["New"])
    }

    @Test func rowsOfSeveralEntitiesAndOfTwoKindsAreFound() throws {
        // Of books lists are kept in the rows, which are copied; covers and chapters alternate.
        for number in 0..<Self.count {
            let cover = try context.insert("Cover")
            cover["color"] = "\(number)"
            if number % 3 == 0 { try library.book("B\(number)") }
            chapters[number]["title"] = "T\(number)"
        }
        try context.save()
        try expectSaved((0..<Self.count).map { "T\($0)" })
        let other = library.anotherContext()
        #expect(
            try other.fetch(FetchRequest<ManagedObject>(entityName: "Cover")).compactMap { $0["color"] as? String }
                .compactMap {
                    Int($0)
                }.sorted() == Array(0..<Self.count))
        #expect(other.fetchNames("Book").count == Self.count / 3 + 1)
    }
}

extension LentRowsTests {
    /// Of one slab rows that lists hold and rows that none holds: these are lent, those are copied,
    /// and both are changed while the store writes.
    @Test func rowsOfListsStandBesideThoseThatAreLent() throws {
        try withTemporaryDirectory { directory in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Team", attributes: [.init("number", .integer64)],
                    relationships: [.init("players", to: "Player", inverse: "team", maxCount: 0)]),
                EntityDefinition(
                    "Player", attributes: [.init("name", .string)],
                    relationships: [.init("team", to: "Team", inverse: "players")]),
            ])
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
            let store = try SQLitePersistentStore.create(
                PersistentStoreDescription(url: directory.appendingPathComponent("s.sqlite")), model: model)
            coordinator.add(store)
            let writer = ManagedObjectContext(coordinator)
            let written = try (0..<7).map { _ in try writer.insert("Team") }
            for number in 0..<700 {
                let player = try writer.insert("Player")
                player["name"] = "\(Self.longText) \(number)"
                player["team"] = written[number % 7]
            }
            try writer.save()
            let reader = ManagedObjectContext(coordinator)
            var request = FetchRequest<ManagedObject>(entityName: "Team")
            request.relationshipKeyPathsForPrefetching = ["players"]
            let teams = try reader.fetch(request),
                key: ObjectGraph.ToManyKey<ManagedObject> = try teams[0].entity.toMany("players")
            var players = teams.flatMap { Array($0[key]) }
            #expect(players.count == 700)
            for team in teams.prefix(4) { reader.refresh(team, mergeChanges: false) }
            for player in players { player["name"] = "first" }
            let prepared = try #require(try reader.prepareSave(reservesKeys: true))
            for player in players { player["name"] = "second" }
            reader.completeSave(prepared, try store.apply(prepared.changes))
            func names(_ context: ManagedObjectContext) throws -> Set<String?> {
                Set(try context.fetch(FetchRequest<ManagedObject>(entityName: "Player")).map { $0["name"] as? String })
            }
            #expect(try names(ManagedObjectContext(coordinator)) == ["first"])
            try reader.save()
            #expect(try names(ManagedObjectContext(coordinator)) == ["second"])
            // Let go of, they are what their lists and the store say; and those that stayed in
            // their lists are held by nobody.
            players = []
            struct Looked { weak var player: ManagedObject? }
            let looked = teams.suffix(3).flatMap { team in team[key].map { Looked(player: $0) } }
            #expect(looked.count == 300 && looked.allSatisfy { $0.player == nil })
            for _ in 0..<2 {
                #expect(
                    teams.allSatisfy { team in
                        team[key].count == 100
                            && team[key].allSatisfy {
                                $0["name"] as? String == "second" && $0["team"] as? ManagedObject === team
                            }
                    })
            }
            for team in teams { reader.refresh(team, mergeChanges: false) }
            #expect(try names(reader) == ["second"])
        }
    }
}

extension Library {
    fileprivate func savedTitles() throws -> [String] {
        let context = anotherContext()
        return try context.fetch(FetchRequest<ManagedObject>(entityName: "Chapter")).compactMap {
            $0["title"] as? String
        }.sorted()
    }
}
