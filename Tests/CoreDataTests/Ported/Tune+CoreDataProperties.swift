import CoreData
import Foundation

extension Tune {
    class func fetchRequest() -> NSFetchRequest<Tune> {
        return NSFetchRequest<Tune>(entityName: "Tune")
    }

    @Managed var title: String?
    @Managed var year: Int16
    @Managed var performers: NSSet?
}

// MARK: Generated accessors for performers
extension Tune {
    @ManagedAccessor func addToPerformers(_ value: Performer)

    @ManagedAccessor func removeFromPerformers(_ value: Performer)

    @ManagedAccessor func addToPerformers(_ values: NSSet)
}

extension Tune: Identifiable {}
