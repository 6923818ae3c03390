import CoreData
import Foundation
import Testing

/// Time zones in predicates of this module.
struct ZonePredicateTests {
    @Test func partsOfDatesTakeATimeZone() throws {
        let date = NSAttributeDescription()
        date.name = "date"
        date.attributeType = .dateAttributeType
        let entity = NSEntityDescription()
        entity.name = "Entry"
        entity.properties = [date]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: folder.appendingPathComponent("Store"), options: nil)
            let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
            // 2024-03-31T01:15Z, after clocks went forward in Europe.
            entry.setValue(Date(timeIntervalSinceReferenceDate: 733_540_500), forKey: "date")
            try context.save()
            for predicate in [
                NSPredicate(format: "hour(local(date, %@)) == 3", "Europe/Oslo"),
                NSPredicate(format: "hour(date, %@) == 3 AND hour(date) == 1", "Europe/Oslo"),
            ] {
                #expect(predicate.evaluate(with: entry))
                let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
                request.predicate = predicate
                #expect(try context.count(for: request) == 1)
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
            request.predicate = NSPredicate(format: "hour(date, 'Nowhere/Else') == 3")
            let error = #expect(throws: (any Error).self) { try context.fetch(request) }
            #expect("\(String(describing: error))".contains("Nowhere/Else"))
        }
    }
}
