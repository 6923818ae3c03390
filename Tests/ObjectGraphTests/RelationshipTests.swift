import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import Testing

@Suite("Relationships (R)")
struct RelationshipTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library()
        context = library.context
    }

    /// Saves and returns the same objects in a context that has not seen them.
    private func reread(_ objects: ManagedObject...) throws -> (ManagedObjectContext, [ManagedObject]) {
        try context.save()
        let other = library.anotherContext()
        return (other, objects.map { other.object(with: $0.objectID) })
    }

    @Test func settingEitherEndOfAOneToManySetsTheOther_R1() throws {
        let author = try library.author("Austen")
        let emma = try library.book("Emma", by: author)
        #expect(author.names("books") == ["Emma"])
        let persuasion = try library.book("Persuasion")
        author.mutableSetValue(forKey: "books").add(persuasion)
        #expect(persuasion.object("author") === author)
        let (other, read) = try reread(author, persuasion)
        #expect(read[0].names("books") == ["Emma", "Persuasion"])
        #expect(read[1].object("author") === read[0])
        author.mutableSetValue(forKey: "books").remove(emma)
        #expect(emma["author"] == nil)
        withExtendedLifetime(other) {}
    }

    @Test func aTargetIsTakenFromItsOwner_R3() throws {
        let a = try library.author("A"), b = try library.author("B")
        let book = try library.book("Emma", by: a)
        b["books"] = Set([book])
        #expect(a.names("books").isEmpty && b.names("books") == ["Emma"] && book.object("author") === b)
        let other = try library.book("Other")
        let cover = try context.insert("Cover")
        book["cover"] = cover
        other["cover"] = cover
        #expect(book["cover"] == nil && cover.object("book") === other)
    }

    @Test func theInverseObjectIsPartOfTheSave_R2_S11() throws {
        let author = try library.author("Austen")
        try context.save()
        try library.book("Emma", by: author)
        #expect(author.isUpdated)
        try context.save()
        #expect(library.store.lastChanges.updates.count == 1 && library.store.lastChanges.updates[0].changed[0].isEmpty)
    }

    @Test func aManyToManyIsSavedFromEitherSide_R4() throws {
        let emma = try library.book("Emma"), romola = try library.book("Romola")
        let classic = try context.insert("Tag"), short = try context.insert("Tag")
        classic["name"] = "classic"
        short["name"] = "short"
        emma["tags"] = Set([classic, short])
        classic.mutableSetValue(forKey: "books").add(romola)
        #expect(romola.names("tags") == ["classic"])
        let (other, read) = try reread(emma, romola, classic)
        #expect(read[0].names("tags") == ["classic", "short"] && read[1].names("tags") == ["classic"])
        #expect(read[2].names("books") == ["Emma", "Romola"])
        short.mutableSetValue(forKey: "books").remove(emma)
        #expect(emma.names("tags") == ["classic"])
        try context.save()
        #expect(library.store.storedLinks == 2)
        withExtendedLifetime(other) {}
    }

    @Test func aRelationshipCanBeItsOwnInverse() throws {
        let a = try library.author("A"), b = try library.author("B"), c = try library.author("C")
        a["spouse"] = b
        #expect(b.object("spouse") === a)
        c["spouse"] = a
        #expect(b["spouse"] == nil && a.object("spouse") === c)
        a["friends"] = Set([b, c, a])
        #expect(b.names("friends") == ["A"] && a.names("friends") == ["A", "B", "C"])
        let (other, read) = try reread(a, b, c)
        #expect(
            read[0].names("friends") == ["A", "B", "C"] && read[2].names("friends") == ["A"]
                && read[2].names("spouse") == ["A"])
        b.mutableSetValue(forKey: "friends").remove(a)
        a.mutableSetValue(forKey: "friends").remove(a)
        let (again, rest) = try reread(a, b)
        #expect(rest[0].names("friends") == ["C"] && rest[1].names("friends").isEmpty)
        withExtendedLifetime((other, again)) {}
    }
}

extension RelationshipTests {
    @Test func anOrderedRelationshipKeepsItsOrder_R7_R8() throws {
        let book = try library.book("Emma")
        let chapters = try ["one", "two", "three"].map { title in
            let chapter = try context.insert("Chapter")
            chapter["title"] = title
            chapter["book"] = book
            return chapter
        }
        #expect(book.names("chapters") == ["one", "two", "three"])
        let proxy = book.mutableOrderedSetValue(forKey: "chapters")
        proxy.moveObjects(at: [2], to: 0)
        let zero = try context.insert("Chapter")
        zero["title"] = "zero"
        proxy.insert(zero, at: 1)
        #expect(zero.object("book") === book && book.names("chapters") == ["three", "zero", "one", "two"])
        let (other, read) = try reread(book)
        #expect(read[0].names("chapters") == ["three", "zero", "one", "two"])
        book["chapters"] = [chapters[0], chapters[1], chapters[2], zero]
        #expect(book.hasPersistentChangedValues)
        let (again, rest) = try reread(book)
        #expect(rest[0].names("chapters") == ["one", "two", "three", "zero"])
        withExtendedLifetime((other, again)) {}
    }

    @Test func replacingMembersByTheSameIsNoPersistentChange_R22() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        try context.save()
        author["books"] = Set([book])
        #expect(!author.hasPersistentChangedValues)
        library.store.clearLog()
        try context.save()
        #expect(!library.store.log.contains("apply"))
    }

    @Test func addingToARelationshipThatWasNotReadDoesNotReadIt() throws {
        let author = try library.author("Austen")
        try library.book("Emma", by: author)
        try context.save()
        let other = library.anotherContext()
        let same = other.object(with: author.objectID)
        library.store.clearLog()
        let book = try other.insert("Book")
        book["title"] = "Persuasion"
        book["author"] = same
        #expect(library.store.log == ["rows Author"])
        #expect(same.hasFault(forRelationshipNamed: "books"))
        #expect(same.names("books") == ["Emma", "Persuasion"])
        let emma = try #require(
            other.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first { $0["title"] as? String == "Emma" })
        emma["author"] = nil
        #expect(same.names("books") == ["Persuasion"])
        try other.save()
        #expect(same.names("books") == ["Persuasion"])
    }

    @Test func aRelationshipWithoutInverseIsKept() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma")
        author["favourites"] = Set([book])
        let (other, read) = try reread(author)
        #expect(read[0].names("favourites") == ["Emma"])
        withExtendedLifetime(other) {}
    }

    @Test func theFirstToManyOfAFetchBringsThoseOfItsSiblings() throws {
        for name in ["A", "B", "C"] { try library.book("by \(name)", by: try library.author(name)) }
        try context.save()
        let other = library.anotherContext()
        let authors = try other.fetch(FetchRequest<ManagedObject>(entityName: "Author"))
        library.store.clearLog()
        for author in authors { #expect(author.names("books").count == 1) }
        #expect(library.store.log == ["related Author.books 3"])
    }

    @Test func prefetchingReadsRelationshipsInOneTripEach() throws {
        for name in ["A", "B"] {
            let book = try library.book("by \(name)", by: try library.author(name))
            book["tags"] = Set([try context.insert("Tag")])
        }
        try context.save()
        let other = library.anotherContext()
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.relationshipKeyPathsForPrefetching = ["author.books", "tags"]
        library.store.clearLog()
        let books = try other.fetch(request)
        #expect(library.store.log == ["rows Book", "rows Author", "related Author.books 2", "related Book.tags 2"])
        for book in books { #expect(book.object("author")?.names("books").count == 1 && book.names("tags").count == 1) }
        #expect(library.store.log.count == 4)
        request.relationshipKeyPathsForPrefetching = ["authr"]
        #expect(throws: GraphError.self) { try other.fetch(request) }
    }
}

extension RelationshipTests {
    @Test func objectsOfAnotherContextAreRefused_R21() throws {
        let book = try library.book("Emma")
        let other = library.anotherContext()
        let author = try other.insert("Author")
        #expect(throws: GraphError.self) { try book.setPropertyValue(.object(author.objectID), forKey: "author") }
    }

    @Test func relationshipsAreSetFromIDs() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma")
        try book.setPropertyValue(.object(author.objectID), forKey: "author")
        #expect(try author.propertyValue(forKey: "books") == .list([.object(book.objectID)]))
        try author.setPropertyValue(.list([]), forKey: "books")
        #expect(try book.propertyValue(forKey: "author") == .null)
        let error = #expect(throws: GraphError.self) {
            try book.setPropertyValue(.object(book.objectID), forKey: "author")
        }
        #expect(error?.code == .wrongType)
    }

    @Test func typedHandlesReachRelationships() throws {
        let books = try #require(library.model.entity(named: "Author")).toMany("books")
        let author = try #require(library.model.entity(named: "Book")).toOne("author")
        let austen = try library.author("Austen")
        let emma = try library.book("Emma")
        emma[author] = austen
        #expect(austen[books].count == 1 && austen[books].first === emma)
        austen[books] = []
        #expect(emma[author] == nil)
    }

    /// Filling, taking back and emptying an ordered relationship takes time in proportion to its
    /// members, but for moving places.
    @Test func anOrderedRelationshipMayHaveManyMembers() throws {
        context.undoManager = UndoManager()
        let few = try timeOfFillingAndEmptying(2_000), many = try timeOfFillingAndEmptying(20_000)
        #expect(many < 40 * few)
    }

    /// In seconds of this thread alone: whatever else the machine does.
    private func timeOfFillingAndEmptying(_ count: Int) throws -> Double {
        let book = try library.book("Encyclopaedia")
        let chapters = try (0..<count).map { number in
            let chapter = try context.insert("Chapter")
            chapter["title"] = "\(number)"
            return chapter
        }
        context.processPendingChanges()
        let begin = threadTime()
        book["chapters"] = chapters
        context.processPendingChanges()
        #expect((book["chapters"] as? [ManagedObject])?.elementsEqual(chapters, by: ===) == true)
        context.undo()
        #expect((book["chapters"] as? [ManagedObject])?.isEmpty == true)
        context.redo()
        #expect((book["chapters"] as? [ManagedObject])?.elementsEqual(chapters, by: ===) == true)
        book.mutableOrderedSetValue(forKey: "chapters").removeAll()
        #expect((book["chapters"] as? [ManagedObject])?.isEmpty == true)
        context.processPendingChanges()
        context.undo()
        #expect((book["chapters"] as? [ManagedObject])?.elementsEqual(chapters, by: ===) == true)
        return threadTime() - begin
    }

    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
