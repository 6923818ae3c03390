import Folio
import Foundation

/// Stores that are written as a whole, beside SQLite's: objects made and saved, then fetched and
/// read by another context of another coordinator where the store has a file.
enum StoreTypeWorkload {
    static func run(_ type: StoreType, size: Int, in folder: URL) throws -> Measurement {
        let model = try Item.model()
        let url = folder.deletingLastPathComponent().appendingPathComponent("round.\(type.rawValue)")
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
        let description = PersistentStoreDescription(url: url, type: type)
        let watch = Stopwatch()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(description)
        try insert(size, ManagedObjectContext(coordinator))
        if type == .inMemory {
            let sum = try read(ManagedObjectContext(coordinator))
            return watch.measurement(checksum: sum)
        }
        try coordinator.remove(store)
        let reader = PersistentStoreCoordinator(managedObjectModel: model)
        try reader.addPersistentStore(description)
        let sum = try read(ManagedObjectContext(reader))
        return watch.measurement(checksum: sum)
    }

    private static func insert(_ size: Int, _ context: ManagedObjectContext) throws {
        guard let entity = context.persistentStoreCoordinator.managedObjectModel.entity(named: Item.entityName) else {
            throw BenchmarkError("the model has no items")
        }
        let keys = try Item.Keys(entity)
        for index in 0..<size { keys.set(ManagedObject(entity: entity, insertInto: context), index) }
        try context.save()
    }

    /// What was read, in whatever order it came.
    private static func read(_ context: ManagedObjectContext) throws -> UInt64 {
        guard let entity = context.persistentStoreCoordinator.managedObjectModel.entity(named: Item.entityName) else {
            throw BenchmarkError("the model has no items")
        }
        let keys = try Item.Keys(entity)
        return try context.fetch(FetchRequest<ManagedObject>(entityName: Item.entityName)).reduce(0) { sum, item in
            var checksum = Checksum()
            keys.add(item, to: &checksum)
            return sum &+ checksum.value
        }
    }
}
