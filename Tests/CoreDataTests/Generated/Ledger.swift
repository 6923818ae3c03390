// Generated from the model: changes made here are lost.
import CoreData

/// What money lies on.
class LedgerAccount: NSManagedObject {
}

extension LedgerAccount {
    class func fetchRequest() -> NSFetchRequest<LedgerAccount> {
        NSFetchRequest<LedgerAccount>(entityName: "Account")
    }

    @Managed var balance: NSDecimalNumber?

    var description_: String? {
        get { managedValue(forKey: "description") }
        set { setManagedValue(newValue, forKey: "description") }
    }

    @Managed var id: UUID?

    @Managed var kind: NSNumber?

    @Managed var labels: [String]?

    @Managed var opened: TimeInterval

    @Managed var page: URL?

    @Managed var title: String?

    @Managed var entries: NSOrderedSet?

    @Managed var marks: NSSet?
}

// MARK: Generated accessors for entries
extension LedgerAccount {
    @ManagedAccessor func insertIntoEntries(_ value: LedgerEntry, at idx: Int)
    @ManagedAccessor func removeFromEntries(at idx: Int)
    @ManagedAccessor func insertIntoEntries(_ values: [LedgerEntry], at indexes: NSIndexSet)
    @ManagedAccessor func removeFromEntries(at indexes: NSIndexSet)
    @ManagedAccessor func replaceEntries(at idx: Int, with value: LedgerEntry)
    @ManagedAccessor func replaceEntries(at indexes: NSIndexSet, with values: [LedgerEntry])
    @ManagedAccessor func addToEntries(_ value: LedgerEntry)
    @ManagedAccessor func removeFromEntries(_ value: LedgerEntry)
    @ManagedAccessor func addToEntries(_ values: NSOrderedSet)
    @ManagedAccessor func removeFromEntries(_ values: NSOrderedSet)
}

// MARK: Generated accessors for marks
extension LedgerAccount {
    @ManagedAccessor func addToMarks(_ value: LedgerEntry)
    @ManagedAccessor func removeFromMarks(_ value: LedgerEntry)
    @ManagedAccessor func addToMarks(_ values: NSSet)
    @ManagedAccessor func removeFromMarks(_ values: NSSet)
}

extension LedgerAccount: Identifiable {}

class LedgerSavings: LedgerAccount {
}

extension LedgerSavings {
    class func fetchRequest() -> NSFetchRequest<LedgerSavings> {
        NSFetchRequest<LedgerSavings>(entityName: "Savings")
    }

    @Managed var rate: Float
}

extension LedgerEntry {
    class func fetchRequest() -> NSFetchRequest<LedgerEntry> {
        NSFetchRequest<LedgerEntry>(entityName: "Entry")
    }

    @Managed var amount: Double

    @Managed var isCleared: Bool

    @Managed var account: LedgerAccount?
}

extension LedgerEntry: Identifiable {}
