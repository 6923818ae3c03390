import ObjectGraph
import Query
import Schema
import Storage
import Testing

final class Author: ManagedObject {
    // Set by a test before it does anything; the hooks write what they were called for.
    nonisolated(unsafe) static var calls: [String] = []
    var willSaveSets: [String] = []

    override func awakeFromInsert() { Self.calls.append("insert \(self["rating"] as? Double ?? 0)") }
    override func awakeFromFetch() {
        Self.calls.append("fetch \(isFault)")
        self["note"] = "awake"
    }
    override func willSave() {
        Self.calls.append("willSave")
        if let name = willSaveSets.popLast() { self["name"] = name }
    }
    override func didSave() {
        Self.calls.append(isDeleted ? "didSave of the deleted \(self["name"] as? String ?? "?")" : "didSave")
    }
    override func prepareForDeletion() { Self.calls.append("prepareForDeletion") }
    override func willTurnIntoFault() { Self.calls.append("willTurnIntoFault") }
    override func didTurnIntoFault() { Self.calls.append("didTurnIntoFault") }
    override func awake(fromSnapshotEvents events: SnapshotEvents) { Self.calls.append("snapshot \(events.rawValue)") }
}

@Suite("Lifecycle (L, F)", .serialized)
struct LifecycleTests {
    let library: Library
    let context: ManagedObjectContext

    init() throws {
        library = try Library(classes: ["Author": Author.self])
        context = library.context
        Author.calls = []
    }

    @Test func awakeFromInsertIsSentOnceWithDefaults_L1() throws {
        let author = try library.author("Austen")
        #expect(author is Author && Author.calls == ["insert 2.5"])
        let made = Author(context: context)
        #expect(made.isInserted && made.entity.name == "Author")
    }

    @Test func awakeFromFetchIsSentWhenTheFaultIsFilled_L6_L7() throws {
        try library.author("Austen")
        try context.save()
        let other = library.anotherContext()
        Author.calls = []
        let author = try #require(other.fetch(FetchRequest<Author>(entityName: "Author")).first)
        #expect(author.isFault && Author.calls.isEmpty)
        #expect(author["name"] as? String == "Austen" && author["note"] as? String == "awake")
        #expect(Author.calls == ["fetch false"] && !other.hasChanges)
    }

    @Test func savesCallEachChangedObject_L34_L35_L37() throws {
        let author = try #require(try library.author("Austen") as? Author)
        author.willSaveSets = ["Jane Austen"]
        Author.calls = []
        try context.save()
        #expect(Author.calls == ["willSave", "willSave", "didSave"])
        #expect(try library.anotherContext().count(for: request("name == 'Jane Austen'")) == 1)
        context.delete(author)
        try context.save()
        #expect(Author.calls.suffix(3) == ["prepareForDeletion", "willSave", "didSave of the deleted Jane Austen"])
        #expect(!author.isDeleted && author.managedObjectContext == nil)
    }

    /// What belongs to a deleted object outside the store, such as a file, is cleared away when its
    /// deletion is saved.
    @Test func aDeletedObjectHasItsValuesWhenItHearsOfTheSave_L33_L34_L38() throws {
        let kept = try library.author("Eliot"), deleted = try library.author("Austen")
        deleted["spouse"] = kept
        try context.save()
        context.delete(deleted)
        Author.calls = []
        try context.save()
        #expect(
            Author.calls.filter { $0.hasPrefix("didSave") }.sorted() == ["didSave", "didSave of the deleted Austen"])
        #expect(!context.hasChanges)
    }

    private func request(_ predicate: String) throws -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Author")
        request.predicate = try FetchPredicate(format: predicate)
        return request
    }

    @Test func endlessWillSaveIsAnError_L36() throws {
        let author = try #require(try library.author("Austen") as? Author)
        author.willSaveSets = (0..<2000).map { "\($0)" }
        let error = #expect(throws: GraphError.self) { try context.save() }
        #expect(error?.code == .recursiveDirtying)
    }

    @Test func refreshingDropsOrKeepsChanges_F9_F10() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        try context.save()
        let other = library.anotherContext()
        let same = try other.existingObject(with: author.objectID)
        same["born"] = 1775
        try other.save()
        author["name"] = "Jane"
        context.refresh(author, mergeChanges: true)
        #expect(author["name"] as? String == "Jane" && author["born"] as? Int == 1775 && author.isUpdated)
        try context.save()
        author["name"] = "J"
        context.refresh(author, mergeChanges: false)
        #expect(author.isFault && !author.hasChanges)
        #expect(author["name"] as? String == "Jane" && author.names("books") == ["Emma"])
        #expect(author.object("books") == nil && book.object("author") === author)
    }
}

extension LifecycleTests {
    @Test func turningIntoAFaultIsTold_L39() throws {
        let author = try library.author("Austen")
        try context.save()
        Author.calls = []
        context.refreshAllObjects()
        #expect(Author.calls == ["willTurnIntoFault", "didTurnIntoFault"] && author.isFault)
    }

    @Test func rollbackRestoresEverything_L45() throws {
        let author = try library.author("Austen")
        let emma = try library.book("Emma", by: author)
        let doomed = try library.book("Doomed", by: author)
        try context.save()
        library.store.clearLog()
        author["name"] = "X"
        let new = try library.book("New", by: author)
        emma["author"] = nil
        context.delete(doomed)
        context.processPendingChanges()
        #expect(author.names("books") == ["New"])
        context.rollback()
        #expect(!context.hasChanges && context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
        #expect(author["name"] as? String == "Austen" && author.names("books") == ["Doomed", "Emma"])
        #expect(emma.object("author") === author && !doomed.isDeleted && new.managedObjectContext == nil)
        #expect(new.isFault && !new.isInserted && !new.isDeleted && !new.hasChanges)
        #expect(library.store.log.filter { $0.hasPrefix("rows") }.isEmpty)
    }

    @Test func rollbackTellsOfTheNewObjectsThatAreGone_L45() throws {
        let old = try library.author("Austen")
        try context.save()
        let list = FetchedResultsController(
            fetchRequest: FetchRequest<ManagedObject>(entityName: "Author"), managedObjectContext: context)
        try list.performFetch()
        var deleted: [Set<ManagedObject>] = []
        let observation = context.observe(.objectsDidChange) { deleted.append($0.deleted) }
        let new = try library.author("Eliot")
        context.processPendingChanges()
        #expect(list.fetchedObjects == [old, new])
        // What nobody was told of is not told as gone either (L31).
        _ = try library.author("Nobody")
        context.rollback()
        #expect(deleted == [[], [new]] && list.fetchedObjects == [old])
        old["name"] = "Jane"
        context.processPendingChanges()
        #expect(list.fetchedObjects == [old])
        withExtendedLifetime(observation) {}
    }

    @Test func resetForgetsEverything_F16_F18() throws {
        let author = try library.author("Austen")
        try context.save()
        author["name"] = "X"
        var resets = 0
        let observation = context.observe(.objectsDidChange) { if $0.isReset { resets += 1 } }
        context.reset()
        #expect(
            context.registeredObjects.isEmpty && !context.hasChanges && author.managedObjectContext == nil
                && author.isFault && resets == 1)
        try context.save()
        withExtendedLifetime(observation) {}
    }

    @Test func anInaccessibleFaultBecomesADeletedObject_F19_F20() throws {
        let author = try library.author("Austen")
        try context.save()
        let other = library.anotherContext()
        let fault = other.object(with: author.objectID), second = other.object(with: author.objectID)
        context.delete(author)
        try context.save()
        #expect(fault === second)
        #expect(throws: GraphError.self) { try fault.propertyValue(forKey: "name") }
        #expect(fault["name"] == nil && fault.isDeleted && other.deletedObjects == [fault])
        try other.save()
        #expect(!other.hasChanges)
    }

    @Test func aStoreThatCannotBeReadFailsTheNextSave() throws {
        let author = try library.author("Austen")
        try context.save()
        let other = library.anotherContext()
        let fault = other.object(with: author.objectID)
        library.store.readError = StorageError(.inputOutput, "disk on fire")
        #expect(throws: StorageError.self) { try fault.fulfillFault() }
        #expect(fault["name"] == nil && fault.isFault)
        fault["name"] = "lost"
        library.store.readError = nil
        try other.insert("Tag")
        let error = #expect(throws: GraphError.self) { try other.save() }
        #expect(error?.code == .loadFailed)
        #expect(fault["name"] as? String == "Austen")
        try other.save()
    }
}

extension LifecycleTests {
    @Test func observersHearOfChangesAndSaves_L46_S2_S4() throws {
        var heard: [String] = []
        let observations = [ContextNotification.Event.objectsDidChange, .willSave, .didSave].map { event in
            context.observe(event) {
                heard.append("\($0.event) \($0.inserted.count) \($0.updated.count) \($0.deleted.count)")
            }
        }
        let author = try library.author("Austen")
        context.processPendingChanges()
        context.processPendingChanges()
        #expect(heard == ["objectsDidChange 1 0 0"])
        author["name"] = "Jane"
        heard = []
        try context.save()
        #expect(heard == ["objectsDidChange 0 1 0", "willSave 0 0 0", "didSave 1 0 0"])
        context.delete(author)
        heard = []
        try context.save()
        #expect(heard == ["objectsDidChange 0 0 1", "willSave 0 0 0", "didSave 0 0 1"])
        heard = []
        try context.save()
        #expect(heard == ["willSave 0 0 0", "didSave 0 0 0"])
        withExtendedLifetime(observations) {}
    }

    @Test func settingAValueBackLeavesADirtyObjectWithoutChangedValues_L12() throws {
        let author = try library.author("Austen")
        try context.save()
        author["name"] = "Jane"
        author["name"] = "Austen"
        #expect(author.hasChanges && !author.hasPersistentChangedValues && author.changedValues().isEmpty)
        author["note"] = "transient"
        #expect(!author.hasPersistentChangedValues)
        library.store.clearLog()
        try context.save()
        #expect(library.store.log.isEmpty && !context.hasChanges && author["note"] as? String == "transient")
    }

    @Test func primitiveValuesBypassEverything_L16() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma")
        try context.save()
        author.setPrimitiveValue("X", forKey: "name")
        book.setPrimitiveValue(author, forKey: "author")
        #expect(
            author.primitiveValue(forKey: "name") as? String == "X" && !context.hasChanges
                && author.names("books").isEmpty)
    }

    @Test func permanentIDsCanBeObtainedEarly_L25_L26() throws {
        let author = try library.author("Austen")
        let book = try library.book("Emma", by: author)
        try context.obtainPermanentIDs(for: [author])
        let id = author.objectID
        #expect(!id.isTemporaryID && author.isInserted && book.objectID.isTemporaryID)
        #expect(book.object("author") === author)
        try context.save()
        #expect(author.objectID == id && context.registeredObject(for: id) === author)
        let other = library.anotherContext()
        #expect(try other.existingObject(with: id)["name"] as? String == "Austen")
    }

    @Test func aConflictFailsTheSaveAndKeepsTheChanges_S13_S16() throws {
        let author = try library.author("Austen")
        try context.save()
        let other = library.anotherContext()
        other.object(with: author.objectID)["born"] = 1775
        try other.save()
        author["name"] = "Jane"
        let error = #expect(throws: GraphError.self) { try context.save() }
        #expect(error?.code == .conflict && error?.cocoaCode == 133_020)
        #expect(
            error?.conflicts.first?.objectID == author.objectID
                && error?.conflicts.first?.objectSnapshot["name"] == .string("Austen"))
        #expect(error?.conflicts.first?.oldVersion == 1 && error?.conflicts.first?.newVersion == 2)
        #expect(author.isUpdated && author["name"] as? String == "Jane")
        context.refresh(author, mergeChanges: true)
        try context.save()
        #expect(author["born"] as? Int == 1775)
    }
}
