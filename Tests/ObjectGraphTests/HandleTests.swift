import Foundation
import ObjectGraph
import Schema
import Testing

/// Reading and writing by handle and by key, and what changes are noted of it.
struct HandleTests {
    @Test func aValueThatIsSetManyTimesInOneEventIsUndoneAtOnce() throws {
        let library = try Library(), context = library.context
        let book = try library.book("Emma")
        let title: AttributeKey<String> = try book.entity.attribute("title"),
            pages: AttributeKey<Int> = try book.entity.attribute("pages")
        try context.save()
        context.undoManager = UndoManager()
        for number in 1...3 { book[title] = "Draft \(number)" }
        book[pages] = 10
        context.processPendingChanges()
        book[title] = "Final"
        book[title] = "Final!"
        book[pages] = nil
        context.processPendingChanges()
        #expect(book[title] == "Final!" && book[pages] == nil)
        context.undo()
        #expect(book[title] == "Draft 3" && book[pages] == 10)
        book[title] = "Other"
        context.undo()
        #expect(book[title] == "Draft 3")
        context.undo()
        #expect(book[title] == "Emma" && book[pages] == nil)
        context.redo()
        #expect(book[title] == "Draft 3" && book[pages] == 10)
        #expect(book.changedValues().keys.sorted() == ["pages", "title"])
        context.rollback()
        #expect(book[title] == "Emma" && !book.hasChanges)
        book[title] = "Again"
        #expect(book.isUpdated && book.changedValuesForCurrentEvent()["title"] as? String == "Again")
        try context.save()
        book[title] = "And again"
        #expect(book.isUpdated && book.hasPersistentChangedValues)
    }

    @Test func keysReadWhatHandlesRead() throws {
        let library = try Library(), context = library.context
        let book = try library.book("Emma")
        #expect(book.value(forKey: "pages") == nil && book.value(forKey: "isbn") == nil)
        let date = Date(timeIntervalSinceReferenceDate: 1_000), isbn = UUID()
        book["pages"] = 400
        book["price"] = Decimal(12)
        book["printed"] = date
        book["isbn"] = isbn
        try context.save()
        context.refreshAllObjects()
        for isObservable in [false, true] {
            context.isObservable = isObservable
            for _ in 1...2 {
                #expect(book.value(forKey: "title") as? String == "Emma")
                #expect(book.value(forKey: "pages") as? Int == 400)
                #expect(book.value(forKey: "price") as? Decimal == 12)
                #expect(book.value(forKey: "printed") as? Date == date)
                #expect(book.value(forKey: "isbn") as? UUID == isbn)
                #expect(book.value(forKey: "author") == nil)
                #expect((book.value(forKey: "tags") as? Set<ManagedObject>)?.isEmpty == true)
            }
        }
    }
}
