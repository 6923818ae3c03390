import Folio
import Foundation

/// What of the memory that a fetch of all objects takes is still taken when its context is gone.
enum MemoryWorkload {
    static func run(_ contestant: Contestant, size: Int, _ store: URL) throws -> Measurement {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Item.model())
        try coordinator.addPersistentStore(PersistentStoreDescription(url: store))
        let watch = Stopwatch()
        let before = Stopwatch.ownBytes()
        let (held, sum) = try fetchAndRead(coordinator)
        let after = Stopwatch.ownBytes()
        var measured = watch.measurement(checksum: sum)
        measured.bytes = max(0, (contestant == .folio ? after : held) - before)
        return measured
    }

    /// The context and its objects die here.
    private static func fetchAndRead(_ coordinator: PersistentStoreCoordinator) throws -> (held: Double, sum: UInt64) {
        let context = ManagedObjectContext(coordinator)
        guard let entity = coordinator.managedObjectModel.entity(named: Item.entityName) else {
            throw BenchmarkError("the model has no items")
        }
        let keys = try Item.Keys(entity)
        let items = try context.fetch(FetchRequest<ManagedObject>(entityName: Item.entityName))
        var checksum = Checksum()
        for item in items { keys.add(item, to: &checksum) }
        defer { withExtendedLifetime(context) {} }
        return (Stopwatch.ownBytes(), checksum.value)
    }
}
