import CoreData

final class Performer: NSManagedObject {
    @Managed var name: String
    @Managed /* by both */ var tunes: Set<Tune>

    /// The titles, in order.
    var titles: [String] {
        let key = NSStringFromKeyPath(\Performer.name)
        return tunes.compactMap(\.title).sorted() + [key]
    }
}
