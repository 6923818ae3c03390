import Foundation
import ObjectGraph
import Query
import Schema
import Stack
import Storage
import TestSupport
import Testing

/// Random edits, and after each: every inverse is right; undo leads to the state before and redo
/// back; what was saved is what another context reads; rollback leads to what was saved.
@Suite("Random graphs")
struct RandomGraphTests {
    final class Run {
        let coordinator: PersistentStoreCoordinator
        let context: ManagedObjectContext
        let undo = UndoManager()
        var random: SplitMix
        var labels = 0
        /// The states that undo leads through, the present one last, and those that redo leads to.
        var past: [[String: String]] = []
        var future: [[String: String]] = []
        var saved: [String: String] = [:]
        var trace: [String] = []
        var underWay: (save: PreparedSave, state: [String: String])?

        init(seed: UInt64, _ coordinator: PersistentStoreCoordinator) throws {
            self.coordinator = coordinator
            context = ManagedObjectContext(coordinator)
            context.undoManager = undo
            random = SplitMix(state: seed)
            past = [try dump(context)]
        }

        func objects(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
            var request = FetchRequest<ManagedObject>(entityName: entity)
            request.sortDescriptors = [SortKey(entity == "Author" || entity == "Tag" ? "name" : "title")]
            return try context.fetch(request)
        }

        func any(_ entity: String) throws -> ManagedObject? {
            try objects(entity, context).randomElement(using: &random)
        }

        func label(_ object: ManagedObject) -> String {
            (object.entity.name == "Author" || object.entity.name == "Tag" ? object["name"] : object["title"])
                as? String ?? "?"
        }

        func labels(_ object: ManagedObject, _ key: String) -> [String] {
            switch object[key] {
            case let set as Set<ManagedObject>: set.map(label).sorted()
            case let array as [ManagedObject]: array.map(label)
            case let object as ManagedObject: [label(object)]
            default: []
            }
        }

        /// Everything there is, as text.
        func dump(_ context: ManagedObjectContext) throws -> [String: String] {
            var result: [String: String] = [:]
            for entity in ["Author", "Book", "Tag", "Chapter"] {
                for object in try objects(entity, context) {
                    let relationships = object.entity.relationships.map(\.name).sorted().map {
                        "\($0)=\(labels(object, $0))"
                    }
                    result["\(entity) \(label(object))"] =
                        "\(entity == "Author" ? object["born"] ?? 0 : 0) " + relationships.joined(separator: " ")
                }
            }
            return result
        }

        func checkInverses() throws {
            for author in try objects("Author", context) {
                for book in author["books"] as? Set<ManagedObject> ?? [] {
                    #expect(book.object("author") === author && !book.isDeleted, "\(trace)")
                }
                for friend in author["friends"] as? Set<ManagedObject> ?? [] {
                    #expect(
                        (friend["friends"] as? Set<ManagedObject>)?.contains(author) == true && !friend.isDeleted,
                        "\(trace)")
                }
                if let spouse = author.object("spouse") {
                    #expect(spouse.object("spouse") === author && !spouse.isDeleted, "\(trace)")
                }
            }
            for book in try objects("Book", context) {
                if let author = book.object("author") {
                    #expect(
                        (author["books"] as? Set<ManagedObject>)?.contains(book) == true && !author.isDeleted,
                        "\(trace)")
                }
                for tag in book["tags"] as? Set<ManagedObject> ?? [] {
                    #expect((tag["books"] as? Set<ManagedObject>)?.contains(book) == true, "\(trace)")
                }
                for chapter in book["chapters"] as? [ManagedObject] ?? [] {
                    #expect(chapter.object("book") === book, "\(trace)")
                }
            }
            for chapter in try objects("Chapter", context) {
                if let book = chapter.object("book") {
                    #expect((book["chapters"] as? [ManagedObject])?.filter { $0 === chapter }.count == 1, "\(trace)")
                }
            }
        }

        func edit() throws {
            labels += 1
            let name = "n\(labels)"
            switch Int.random(in: 0..<16, using: &random) {
            case 0: try context.insert("Author")["name"] = name
            case 1: try context.insert("Book")["title"] = name
            case 2: try context.insert("Tag")["name"] = name
            case 3, 4:
                let chapter = try context.insert("Chapter")
                chapter["title"] = name
                chapter["book"] = try any("Book")
            case 5, 6: if let book = try any("Book") { book["author"] = try any("Author") }
            case 7: if let book = try any("Book") { book["author"] = nil }
            case 8:
                if let author = try any("Author"), let book = try any("Book") {
                    author.mutableSetValue(forKey: "books").add(book)
                }
            case 9:
                if let book = try any("Book"), let tag = try any("Tag") {
                    tag.mutableSetValue(forKey: "books").add(book)
                }
            case 10:
                if let book = try any("Book"), let tag = try any("Tag") {
                    book.mutableSetValue(forKey: "tags").remove(tag)
                }
            case 11: if let a = try any("Author") { a["spouse"] = try any("Author") }
            case 12:
                if let a = try any("Author"), let b = try any("Author") { a.mutableSetValue(forKey: "friends").add(b) }
            case 13: if let author = try any("Author") { author["born"] = Int.random(in: 0..<100, using: &random) }
            case 14:
                if let book = try any("Book") {
                    let chapters = book.mutableOrderedSetValue(forKey: "chapters")
                    if chapters.count > 1 { chapters.moveObjects(at: [chapters.count - 1], to: 0) }
                }
            default:
                if let object = try any(["Author", "Book", "Tag", "Chapter"].randomElement(using: &random)!) {
                    context.delete(object)
                }
            }
        }

        func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...9:
                trace.append("edit")
                let count = undo.undoCount
                undo.beginUndoGrouping()
                for _ in 0..<Int.random(in: 1...4, using: &random) { try edit() }
                undo.endUndoGrouping()
                // A group without changes is none.
                if undo.undoCount > count { settle(try dump(context)) }
            case 10, 11:
                trace.append("undo")
                guard past.count > 1, undo.canUndo else { return }
                future.append(past.removeLast())
                context.undo()
                #expect(try dump(context) == past.last!, "\(trace)")
            case 12, 13:
                trace.append("redo")
                guard let next = future.popLast() else { return }
                context.redo()
                past.append(next)
                #expect(try dump(context) == next, "\(trace)")
            case 14, 15:
                guard underWay == nil else { return try finishSave() }
                trace.append("save")
                try context.save()
                saved = try dump(context)
                #expect(!context.hasChanges)
                let other = ManagedObjectContext(coordinator)
                #expect(try dump(other) == saved, "\(trace)")
            case 16:
                guard underWay == nil else { return try finishSave() }
                trace.append("prepare")
                if let save = try context.saving.prepare(reservesKeys: true) {
                    underWay = (save, try dump(context))
                } else {
                    saved = try dump(context)
                }
            case 17:
                guard underWay == nil else { return }
                trace.append("rollback")
                context.rollback()
                #expect(try dump(context) == saved, "\(trace)")
                past = [saved]
                future = []
            default:
                guard underWay == nil else { return }
                trace.append("refresh")
                let before = try dump(context)
                context.refreshAllObjects()
                #expect(try dump(context) == before, "\(trace)")
            }
            try checkInverses()
        }

        private func settle(_ now: [String: String]) {
            past.append(now)
            future = []
        }

        private func finishSave() throws {
            guard let (save, state) = underWay else { return }
            underWay = nil
            let before = try dump(context)
            if Bool.random(using: &random) {
                trace.append("complete")
                context.saving.complete(save, try coordinator.stores[0].apply(save.changes))
                saved = state
                let other = ManagedObjectContext(coordinator)
                #expect(try dump(other) == saved, "\(trace)")
            } else {
                trace.append("fail")
                _ = context.saving.fail(save, GraphError(.noStore, "no"))
            }
            #expect(try dump(context) == before, "\(trace)")
        }
    }

    private func run(_ seed: Int, on coordinator: PersistentStoreCoordinator) throws {
        let run = try Run(seed: UInt64(seed), coordinator)
        do {
            for _ in 0..<80 { try run.step() }
        } catch {
            Issue.record("\(error) \(run.trace)")
        }
    }

    @Test(arguments: 1...sweep(20, all: 80))
    func staySound(seed: Int) throws {
        try run(seed, on: try Library().coordinator)
    }

    @Test(arguments: 1000...sweep(1003, all: 1012))
    func staySoundInAFile(seed: Int) throws {
        try withTemporaryDirectory { folder in
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try Library.model())
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("random.sqlite")))
            try run(seed, on: coordinator)
        }
    }
}
