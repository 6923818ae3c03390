import ObjectGraph
import Query
import Schema
import Storage
import Testing

@Suite("A save that runs elsewhere while editing goes on")
struct BackgroundSaveTests {
    let library: Library
    let context: ManagedObjectContext
    let author: ManagedObject
    let book: ManagedObject

    init() throws {
        library = try Library()
        context = library.context
        author = try library.author("Austen")
        book = try library.book("Emma", by: author)
        try context.save()
    }

    private func prepare() throws -> PreparedSave {
        try #require(try context.prepareSave(reservesKeys: true))
    }

    @Test func laterChangesStayDirty() throws {
        author["name"] = "Jane"
        author["born"] = 1
        let new = try library.book("Persuasion", by: author)
        let prepared = try prepare()
        #expect(context.hasChanges && !new.objectID.isTemporaryID)
        author["name"] = "Later"
        let later = try library.book("Later", by: author)
        new["title"] = "Persuasion 2"
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).count == 3)
        let receipt = try library.store.apply(prepared.changes)
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).count == 3)
        context.completeSave(prepared, receipt)
        #expect(context.insertedObjects == [later] && context.updatedObjects == [author, new])
        #expect(author.changedValues().keys.sorted() == ["books", "name"])
        #expect(author.committedValues(forKeys: ["name"])["name"] as? String == "Jane")
        #expect(library.anotherContext().fetchNames("Book") == ["Emma", "Persuasion"])
        try context.save()
        let other = library.anotherContext()
        #expect(
            other.fetchNames("Book") == ["Emma", "Later", "Persuasion 2"] && other.fetchNames("Author") == ["Later"])
        #expect(other.object(with: author.objectID).names("books") == ["Emma", "Later", "Persuasion 2"])
    }

    @Test func aFailureKeepsBothEarlierAndLaterChanges() throws {
        author["name"] = "Jane"
        let new = try library.book("Persuasion", by: author)
        let doomed = try library.book("Doomed")
        book["author"] = nil
        let prepared = try prepare()
        author["born"] = 1775
        author["name"] = "Later"
        new["title"] = "Persuasion 2"
        book["author"] = author
        context.delete(doomed)
        context.processPendingChanges()
        let error = context.failSave(prepared, StorageError(.full, "full"))
        #expect((error as? StorageError)?.code == .full)
        #expect(
            context.insertedObjects == [new] && context.updatedObjects == [author, book]
                && context.deletedObjects.isEmpty)
        #expect(author.committedValues(forKeys: ["name", "born"])["name"] as? String == "Austen")
        #expect(author.names("books") == ["Emma", "Persuasion 2"])
        try context.save()
        let other = library.anotherContext()
        #expect(other.fetchNames("Book") == ["Emma", "Persuasion 2"] && other.fetchNames("Author") == ["Later"])
        #expect(other.object(with: author.objectID).names("books") == ["Emma", "Persuasion 2"])
        #expect(try library.anotherContext().count(for: FetchRequest<ManagedObject>(entityName: "Book")) == 2)
    }

    /// The bride is inserted again, and what others made lead to her groom, who was changed after
    /// the save began, follows.
    @Test func whatLeadsToAnObjectThatWasChangedAfterTheSaveBeganFollowsIt() throws {
        let spouse = try library.author("Lefroy"), rival = try library.author("Bigg-Wither")
        let authorID = author.objectID
        try context.save()
        let other = library.anotherContext()
        other.mergePolicy = .mergeByPropertyObjectTrump
        let bride = other.object(with: author.objectID), groom = other.object(with: spouse.objectID)
        bride["name"] = "Jane"
        groom["name"] = "Tom"
        try other.save()
        bride["name"] = "Miss Austen"
        let prepared = try #require(try other.prepareSave(reservesKeys: true))
        groom["spouse"] = bride
        other.processPendingChanges()

        context.refreshAllObjects()
        rival["spouse"] = spouse
        context.delete(author)
        try context.save()

        var saving: PreparedSave? = prepared, refusals = 0
        while let next = saving {
            do {
                other.completeSave(next, try library.store.apply(next.changes))
                saving = nil
            } catch {
                refusals += 1
                saving = try other.prepareSave(again: next, after: error)
            }
        }
        #expect(refusals > 0)
        try other.save()
        let third = library.anotherContext()
        #expect(third.object(with: spouse.objectID)["spouse"] as? ManagedObject === third.object(with: authorID))
        #expect(try third.object(with: rival.objectID).propertyValue(forKey: "spouse") == .null)
        #expect(try other.object(with: rival.objectID).propertyValue(forKey: "spouse") == .null)
    }
}

extension BackgroundSaveTests {
    /// What a save holds is not read again when what it belongs to is deleted: another's change
    /// shows as a conflict of that save, and is settled with it or after it.
    @Test(arguments: ["policy", "refresh", "refreshAll", "merge"])
    func whatIsDeletedMeanwhileIsNotLedToByWhatIsMergedThen(by settlement: String) throws {
        let spouse = try library.author("Lefroy")
        try context.save()
        let other = library.anotherContext()
        if settlement == "policy" { other.mergePolicy = .mergeByPropertyObjectTrump }
        let stale = other.object(with: spouse.objectID)
        stale["name"] = "Tom"
        author["spouse"] = spouse
        try context.save()

        let prepared = try #require(try other.prepareSave(reservesKeys: true))
        other.delete(other.object(with: author.objectID))
        other.processPendingChanges()
        let refusal = try #require(#expect(throws: StorageError.self) { _ = try library.store.apply(prepared.changes) })
        if settlement == "policy" {
            let settled = try #require(try other.prepareSave(again: prepared, after: refusal))
            other.completeSave(settled, try library.store.apply(settled.changes))
        } else {
            _ = other.failSave(prepared, refusal)
            switch settlement {
            case "refresh": other.refresh(stale, mergeChanges: true)
            case "refreshAll": other.refreshAllObjects()
            default: other.mergeChanges(from: SavedChanges(updated: [spouse.objectID]))
            }
        }
        try other.save()
        let third = library.anotherContext()
        let saved = third.object(with: spouse.objectID)
        #expect(try saved.propertyValue(forKey: "spouse") == .null)
        #expect(saved["name"] as? String == "Tom")
        #expect(stale["spouse"] == nil && !other.hasChanges)
    }

    @Test func aFailureCanBeRolledBack() throws {
        author["name"] = "Jane"
        _ = try library.book("Persuasion", by: author)
        let prepared = try prepare()
        author["name"] = "Later"
        _ = context.failSave(prepared, StorageError(.full, "full"))
        context.rollback()
        #expect(author["name"] as? String == "Austen" && author.names("books") == ["Emma"] && !context.hasChanges)
    }

    @Test func objectsDeletedMeanwhileAreDeletedLater() throws {
        let new = try library.book("Persuasion", by: author)
        let prepared = try prepare()
        context.delete(new)
        context.delete(book)
        let receipt = try library.store.apply(prepared.changes)
        context.completeSave(prepared, receipt)
        #expect(context.deletedObjects == [new, book])
        try context.save()
        #expect(library.anotherContext().fetchNames("Book").isEmpty && author.names("books").isEmpty)
    }

    @Test func deletionsUnderWayStayDeleted() throws {
        context.delete(book)
        let prepared = try prepare()
        #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).isEmpty)
        _ = context.failSave(prepared, StorageError(.full, "full"))
        #expect(context.deletedObjects == [book])
        context.rollback()
        #expect(!book.isDeleted && author.names("books") == ["Emma"])
    }

    @Test func smallSavesOneAfterTheOtherHaveWhatChangedSinceTheLast() throws {
        let manager = UndoManager()
        context.undoManager = manager
        for round in 0..<6 {
            // Each leaves the place of its changes to the next, but where that has begun already.
            author["name"] = "Name \(round)"
            let new = try library.book("Book \(round)", by: author)
            context.delete(try library.book("Gone"))
            let prepared = try prepare()
            if round % 2 == 1 { author["born"] = 1800 + round }
            context.completeSave(prepared, try library.store.apply(prepared.changes))
            let isChanged = round % 2 == 1
            #expect(context.hasChanges == isChanged && context.updatedObjects == (isChanged ? [author] : []))
            #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty && !new.objectID.isTemporaryID)
            #expect(author.changedValues().keys.sorted() == (isChanged ? ["born"] : []))
        }
        let other = library.anotherContext()
        let titles = (0..<6).map { "Book \($0)" } + ["Emma"]
        #expect(other.fetchNames("Author") == ["Name 5"] && other.fetchNames("Book") == titles)
        for _ in 0..<13 where manager.canUndo { manager.undo() }
        try context.save()
        #expect(!context.hasChanges)
    }
}

extension BackgroundSaveTests {
    @Test func metadataGoesWithTheChanges() throws {
        let prepared = try #require(try context.prepareSave(metadata: ["saved": .integer(3)]))
        #expect(prepared.changes.metadata == ["saved": .integer(3)] && prepared.changes.insertions.isEmpty)
        context.completeSave(prepared, try library.store.apply(prepared.changes))
        #expect(!context.hasChanges)
    }

    // MARK: Rolling back and resetting meanwhile

    /// Makes changes, begins to save them, and makes some more.
    private func editWhileSaving() throws -> (
        PreparedSave, new: ManagedObject, doomed: ManagedObject, later: ManagedObject
    ) {
        let doomed = try library.book("Doomed", by: author)
        try context.save()
        author["name"] = "Jane"
        let new = try library.book("Persuasion", by: author)
        context.delete(doomed)
        let prepared = try prepare()
        author["name"] = "Later"
        author["born"] = 1775
        new["title"] = "Persuasion 2"
        let later = try library.book("Later", by: author)
        context.delete(book)
        context.processPendingChanges()
        return (prepared, new, doomed, later)
    }

    /// What was changed later is gone at once; what the save writes is saved.
    @Test(arguments: [false, true]) func aRollbackMeanwhileDropsTheLaterChangesOnly(hasUndo: Bool) throws {
        if hasUndo { context.undoManager = UndoManager() }
        let (prepared, new, doomed, later) = try editWhileSaving()
        context.rollback()
        let position = context.editPosition
        func check() {
            #expect(
                author["name"] as? String == "Jane" && author["born"] == nil && new["title"] as? String == "Persuasion"
                    && !book.isDeleted)
            #expect(
                author.names("books") == ["Emma", "Persuasion"] && later.managedObjectContext == nil
                    && later["title"] == nil)
        }
        check()
        #expect(context.undoManager?.canUndo != true && doomed.isDeleted)
        context.completeSave(prepared, try library.store.apply(prepared.changes))
        check()
        #expect(!context.hasChanges && context.editPosition == position && doomed.managedObjectContext == nil)
        let other = library.anotherContext()
        #expect(other.fetchNames("Book") == ["Emma", "Persuasion"] && other.fetchNames("Author") == ["Jane"])
    }

    /// Undo has brought back an object that the save deletes: rolled back, it is deleted.
    @Test func aRollbackMeanwhileTakesBackWhatUndoHasDone() throws {
        context.undoManager = UndoManager()
        context.delete(book)
        context.processPendingChanges()
        let prepared = try prepare()
        context.undo()
        #expect(!book.isDeleted)
        context.rollback()
        #expect(book.isDeleted && author.names("books").isEmpty)
        context.completeSave(prepared, try library.store.apply(prepared.changes))
        #expect(
            !context.hasChanges && book.managedObjectContext == nil
                && library.anotherContext().fetchNames("Book").isEmpty)
    }

    @Test(arguments: [false, true]) func aRollbackMeanwhileDropsAllWhereTheSaveFails(again: Bool) throws {
        let (prepared, new, doomed, later) = try editWhileSaving()
        context.rollback()
        let full = StorageError(.full, "full")
        if again {
            context.mergePolicy = .overwrite
            #expect(throws: StorageError.self) { try context.prepareSave(again: prepared, after: full) }
        } else {
            #expect((context.failSave(prepared, full) as? StorageError)?.code == .full)
        }
        #expect(
            !context.hasChanges && author["name"] as? String == "Austen" && author.names("books") == ["Doomed", "Emma"])
        #expect(!doomed.isDeleted && new.managedObjectContext == nil && later.managedObjectContext == nil)
        try context.save()
        #expect(library.anotherContext().fetchNames("Book") == ["Doomed", "Emma"])
    }
}

extension BackgroundSaveTests {
    /// What was edited after the rollback is not to be lost, and it may belong to what the save
    /// had.
    @Test func whatIsEditedAfterARollbackStaysWhereTheSaveFails() throws {
        let (prepared, new, _, _) = try editWhileSaving()
        context.rollback()
        new["pages"] = 7
        _ = context.failSave(prepared, StorageError(.full, "full"))
        #expect(new.isInserted && new["pages"] as? Int == 7 && author["name"] as? String == "Jane")
        try context.save()
        #expect(library.anotherContext().fetchNames("Book") == ["Emma", "Persuasion"])
    }

    /// The context has forgotten the objects; those it has read again since, before the store had
    /// written, are brought up to date.
    @Test(arguments: [true, false]) func aResetMeanwhileForgetsEveryObject(succeeds: Bool) throws {
        let (id, bookID) = (author.objectID, book.objectID)
        let (prepared, new, doomed, later) = try editWhileSaving()
        let follower = library.anotherContext()
        follower.automaticallyMergesChangesFromParent = true
        let followed = follower.object(with: id)
        #expect(followed["name"] as? String == "Austen")
        context.reset()
        for object in [author, book, new, doomed, later] {
            #expect(object.managedObjectContext == nil && object["title"] == nil && object.isFault)
        }
        let again = context.object(with: id)
        #expect(
            again["name"] as? String == "Austen" && again.names("books") == ["Doomed", "Emma"]
                && context.fetchNames("Book") == ["Doomed", "Emma"])
        if succeeds {
            context.completeSave(prepared, try library.store.apply(prepared.changes))
        } else {
            _ = context.failSave(prepared, StorageError(.full, "full"))
        }
        let books = succeeds ? ["Emma", "Persuasion"] : ["Doomed", "Emma"]
        #expect(
            !context.hasChanges && again["name"] as? String == (succeeds ? "Jane" : "Austen")
                && again.names("books") == books)
        follower.processPendingChanges()
        #expect(followed["name"] as? String == (succeeds ? "Jane" : "Austen"))
        again["born"] = 1775
        context.object(with: bookID)["pages"] = 3
        try context.save()
        #expect(library.anotherContext().fetchNames("Book") == books)
    }
}
