import Folio
import Foundation
import TestSupport
import Testing

@Model private final class Sailor: ManagedObject {
    var name: String
    var rank: String?
    var age: Int?
    var ship: Ship?
}

@Model private final class Ship: ManagedObject {
    var name: String = "Fram"
    @Relationship(inverse: \Sailor.ship) var crew: Set<Sailor>
    @Relationship(isOrdered: true) var log: [Sailor]
}

/// Objects that outlive their place in the context: what reads them finds no values, and does not
/// end the program.
struct ObjectsWithoutContextTests {
    enum End: String, CaseIterable {
        case rollback, undo, deletion, reset
    }

    @Test(arguments: End.allCases) func anObjectWithoutContextReadsAsNothing(by end: End) throws {
        try withTemporaryDirectory { folder in
            let model = try ManagedObjectModel(schema: [Sailor.self, Ship.self])
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: model, classes: ManagedObject.classesByName([Sailor.self, Ship.self]))
            try coordinator.addPersistentStore(
                PersistentStoreDescription(url: folder.appendingPathComponent("a.sqlite")))
            let context = ManagedObjectContext(coordinator)
            context.undoManager = UndoManager()
            let ship = Ship(context: context), sailor = Sailor(context: context)
            (sailor.name, sailor.rank, sailor.age, sailor.ship) = ("Ada", "mate", 30, ship)
            ship.log = [sailor]
            context.processPendingChanges()
            let entity = sailor.entity, crew = ship.mutableSetValue(forKey: "crew"),
                log = ship.mutableOrderedSetValue(forKey: "log")
            let rank = try entity.attribute("rank", as: String.self), home = try entity.toOne("ship"),
                hands = try ship.entity.toMany("crew")
            switch end {
            case .rollback: context.rollback()
            case .undo: context.undo()
            case .reset: context.reset()
            case .deletion:
                try context.save()
                context.delete(sailor)
                context.delete(ship)
                try context.save()
            }
            // A property with a default value has that.
            for object in [ship, sailor] { #expect(object.managedObjectContext == nil) }
            #expect(
                sailor.name == "" && sailor.rank == nil && sailor.age == nil && sailor.ship == nil
                    && ship.name == "Fram" && ship.crew.isEmpty && ship.log.isEmpty)
            #expect(
                sailor["name"] == nil && sailor.value(forKey: "ship") == nil
                    && sailor.primitiveValue(forKey: "rank") == nil && ship["crew"] == nil)
            #expect(
                sailor[rank] == nil && sailor[home] == nil && ship[hands].isEmpty && crew.isEmpty && log.isEmpty
                    && !crew.contains(sailor))
            #expect(ship.hasFault(forRelationshipNamed: "crew") && ship.objectIDs(forRelationshipNamed: "crew").isEmpty)
            #expect(
                sailor.changedValues().isEmpty && sailor.committedValues(forKeys: nil).isEmpty
                    && "\(sailor)" == "an object without context")
            sailor.willAccessValue(forKey: "name")
            for read in [
                { _ = try sailor.propertyValue(forKey: "name") }, { try sailor.fulfillFault() },
                { try sailor.setPropertyValue(.null, forKey: "rank") },
                { _ = try ship.fetchedObjects(forKey: "none") }, { _ = try sailor.transformedValue(forKey: "name") },
            ] {
                #expect(#expect(throws: GraphError.self) { try read() }?.code == .objectNotFound)
            }
            #expect(try context.count(Ship.self) == 0)
        }
    }
}
