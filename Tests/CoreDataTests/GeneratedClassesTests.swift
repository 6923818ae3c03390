import CoreData
import Testing

/// Its properties are generated, as the model says.
class LedgerEntry: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        isCleared = true
    }
}

/// The classes in `Generated`, which the generator writes for the model there.
struct GeneratedClassesTests {
    private static let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Generated/Ledger.xcdatamodel")

    private func context() throws -> NSManagedObjectContext {
        let model = try #require(NSManagedObjectModel(contentsOf: Self.model))
        let container = NSPersistentContainer(name: "Ledger", managedObjectModel: model)
        container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
        try Library.load(container)
        return container.viewContext
    }

    @Test func valuesOfAllTypesAreReadBack() throws {
        let context = try context(), account = LedgerAccount(context: context), id = UUID()
        #expect(account.title == "" && account.kind == nil && account.opened == 0 && account.balance == nil)
        (account.title, account.balance, account.kind) = ("Cash", NSDecimalNumber(string: "12.50"), 3)
        (account.description_, account.id, account.opened) = ("In the drawer", id, 86_400)
        (account.labels, account.page) = (["a", "b"], URL(string: "https://example.org"))
        let savings = LedgerSavings(context: context)
        (savings.title, savings.rate) = ("Savings", 0.5)
        try context.save()
        context.refreshAllObjects()
        #expect(account.balance == NSDecimalNumber(string: "12.5") && account.kind == 3)
        #expect(account.value(forKey: "description") as? String == "In the drawer" && account.id == id)
        #expect(account.value(forKey: "opened") as? Date == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(account.opened == 86_400 && account.labels == ["a", "b"] && account.page?.host == "example.org")
        let request: NSFetchRequest<LedgerAccount> = LedgerAccount.fetchRequest()
        request.predicate = NSPredicate(format: "%K == %@", NSStringFromKeyPath(\LedgerAccount.title), "Cash")
        #expect(try context.fetch(request) == [account])
        #expect(try context.fetch(LedgerSavings.fetchRequest() as NSFetchRequest<LedgerSavings>).first?.rate == 0.5)
    }

    @Test func accessorsChangeRelationships() throws {
        let context = try context(), account = LedgerAccount(context: context)
        let entries = (1...4).map { amount in
            let entry = LedgerEntry(context: context)
            entry.amount = Double(amount)
            return entry
        }
        var amounts: [Double] { (account.entries?.array as? [LedgerEntry] ?? []).map(\.amount) }
        account.addToEntries(entries[0])
        account.addToEntries(NSOrderedSet(array: [entries[1], entries[2]]))
        account.insertIntoEntries(entries[3], at: 0)
        #expect(amounts == [4, 1, 2, 3] && entries[3].account == account)
        account.removeFromEntries(at: 0)
        account.replaceEntries(at: 0, with: entries[3])
        #expect(amounts == [4, 2, 3] && entries[0].account == nil)
        account.removeFromEntries(NSOrderedSet(array: [entries[1]]))
        account.insertIntoEntries([entries[0], entries[1]], at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2)))
        account.removeFromEntries(entries[3])
        account.removeFromEntries(at: NSIndexSet(index: 1))
        account.replaceEntries(at: NSIndexSet(index: 1), with: [entries[1]])
        #expect(amounts == [1, 2])
        account.addToMarks(entries[0])
        account.addToMarks(NSSet(array: [entries[1], entries[2]]))
        account.removeFromMarks(entries[0])
        #expect(account.marks?.count == 2 && entries[0].isCleared)
        account.removeFromMarks(NSSet(array: [entries[1]]))
        #expect(account.marks?.allObjects as? [LedgerEntry] == [entries[2]])
    }
}
