import CoreData
import Testing

/// The sources in `Ported` are what `folio port` makes of `SourcePortTests/AppleForm`.
struct PortedTreeTests {
    @Test func thePortedTreeRuns() throws {
        let context = try container().viewContext
        let artist = Performer(context: context)
        artist.name = "Coleman Hawkins"
        for (title, year) in [("Body and Soul", 1939), ("Picasso", 1948), ("Tune 10", 1957), ("Tune 9", 1957)] {
            let tune = Tune(context: context)
            (tune.title, tune.year) = (title, Int16(year))
            tune.addToPerformers(artist)
        }
        let untitled = Tune(context: context)
        untitled.addToPerformers(NSSet(array: [artist]))
        untitled.removeFromPerformers(artist)
        try context.save()
        #expect(try Tune.recent(5, in: context).map(\.label) == ["Tune 9 (1957)", "Tune 10 (1957)"])
        #expect(artist.titles == ["Body and Soul", "Picasso", "Tune 10", "Tune 9", "name"])
        let request: NSFetchRequest<Tune> = Tune.fetchRequest()
        request.predicate = Tune.matching("year == %@ AND title == %@", 0 as NSNumber, "Untitled")
        #expect(try context.fetch(request).map(\.id) == [untitled.id])
    }

    private func container() throws -> NSPersistentContainer {
        let tune = NSEntityDescription(), performer = NSEntityDescription()
        (tune.name, tune.managedObjectClassName) = ("Tune", "Tune")
        (performer.name, performer.managedObjectClassName) = ("Performer", "Performer")
        let tunes = NSRelationshipDescription(), performers = NSRelationshipDescription()
        (tunes.name, tunes.destinationEntity, tunes.inverseRelationship) = ("tunes", tune, performers)
        (performers.name, performers.destinationEntity, performers.inverseRelationship) = (
            "performers", performer, tunes
        )
        tune.properties = [
            Library.attribute("title", .stringAttributeType),
            Library.attribute("year", .integer16AttributeType) { $0.defaultValue = 0 }, performers,
        ]
        performer.properties = [Library.attribute("name", .stringAttributeType), tunes]
        let model = NSManagedObjectModel()
        model.entities = [tune, performer]
        let container = NSPersistentContainer(name: "Tunes", managedObjectModel: model)
        container.persistentStoreDescriptions[0].type = NSInMemoryStoreType
        try Library.load(container)
        return container
    }
}
