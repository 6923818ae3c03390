import CoreData
import Foundation

class Tune: NSManagedObject {
    /// What a list shows.
    dynamic var label: String { "\(title ?? "Untitled") (\(year))" }

    class func recent(_ limit: Int, in context: NSManagedObjectContext) throws -> [Tune] {
        let request = NSFetchRequest<Tune>(entityName: "Tune")
        request.predicate = NSPredicate(format: "%K > %d", NSStringFromKeyPath(\Tune.year), 1950)
        request.sortDescriptors = [
            NSSortDescriptor(
                key: NSStringFromKeyPath(\Tune.title), ascending: true, selector: Selector("localizedStandardCompare:")),
            NSSortDescriptor(key: NSStringFromKeyPath(\Tune.year), ascending: false),
        ]
        request.fetchLimit = limit
        return try context.fetch(request)
    }

    class func matching(_ format: String, _ values: any CVarArg...) -> NSPredicate {
        NSPredicate(format: format, argumentArray: values)
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue("Untitled", forKey: NSStringFromKeyPath(\Tune.title))
    }
}
