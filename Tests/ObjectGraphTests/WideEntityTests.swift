import ObjectGraph
import Schema
import Testing

/// An entity with more properties than a word has bits: what was changed is told, saved, undone and
/// dropped for all of them.
struct WideEntityTests {
    private static let count = 150

    private func makeCoordinator() throws -> PersistentStoreCoordinator {
        let attributes = (0..<Self.count).map { AttributeDescription("a\($0)", .integer64) }
        let model = try ManagedObjectModel(entities: [EntityDefinition("Wide", attributes: attributes)])
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
        coordinator.add(TestStore(model))
        return coordinator
    }

    @Test(arguments: [[0, 63, 64, 127, 149], [70, 71], [1, 2], Array(0..<150)])
    func changesOfAllPropertiesAreKnown(places: [Int]) throws {
        let coordinator = try makeCoordinator()
        let context = ManagedObjectContext(coordinator)
        let object = try context.insert("Wide")
        for place in 0..<Self.count { object["a\(place)"] = place }
        try context.save()
        context.undoManager = UndoManager()
        for place in places { object["a\(place)"] = place + 1000 }
        let names = Set(places.map { "a\($0)" })
        #expect(Set(object.changedValuesForCurrentEvent().keys) == names)
        context.processPendingChanges()
        #expect(object.changedValuesForCurrentEvent().isEmpty && Set(object.changedValues().keys) == names)
        context.undo()
        #expect(!context.hasChanges && places.allSatisfy { object["a\($0)"] as? Int == $0 })
        context.redo()
        #expect(context.hasChanges && places.allSatisfy { object["a\($0)"] as? Int == $0 + 1000 })
        context.rollback()
        #expect(!context.hasChanges && places.allSatisfy { object["a\($0)"] as? Int == $0 })
        for place in places { object["a\(place)"] = place + 2000 }
        try context.save()
        let other = ManagedObjectContext(coordinator)
        let read = try other.existingObject(with: object.objectID)
        for place in 0..<Self.count {
            #expect(read["a\(place)"] as? Int == (places.contains(place) ? place + 2000 : place))
        }
    }
}
