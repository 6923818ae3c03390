import CoreData
import Testing

/// Fetched results controllers, as the page *Core Data's behavior* numbers them.
struct ResultsFactTests {
    /// Writes down what a controller tells.
    final class Listener: NSFetchedResultsControllerDelegate {
        var calls: [String] = []

        func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            calls.append("will")
        }
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            func place(_ path: IndexPath?) -> String { path.map { "\($0[0]).\($0[1])" } ?? "-" }
            calls.append("\(type) \(place(indexPath)) \(place(newIndexPath))")
        }
        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
            for type: NSFetchedResultsChangeType
        ) { calls.append("section \(type) \(sectionIndex) \(sectionInfo.numberOfObjects)") }
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            calls.append("did")
        }
    }

    private func controller(
        _ context: NSManagedObjectContext, _ listener: Listener?, section: String? = nil, format: String? = nil
    ) throws -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.sortDescriptors =
            (section.map { [NSSortDescriptor(key: $0, ascending: true)] } ?? [])
            + [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section, cacheName: nil)
        controller.delegate = listener
        #expect(controller.fetchedObjects == nil)
        try controller.performFetch()
        return controller
    }

    @Test(arguments: Facts.Kind.allCases)
    func insertionsDeletionsUpdatesAndMoves_Q40_Q43_Q44_Q45_Q46(kind: Facts.Kind) throws {
        let context = try Facts(kind).context(), listener = Listener()
        let ann = try context.person(["name": "Ann"]), bob = try context.person(["name": "Bob"])
        try context.save()
        let controller = try controller(context, listener, format: "age < 100")
        #expect(controller.fetchedObjects == [ann, bob])
        func calls(_ body: () throws -> Void) rethrows -> [String] {
            listener.calls = []
            try body()
            context.processPendingChanges()
            return listener.calls
        }
        func name(_ type: NSFetchedResultsChangeType) -> String { "\(type)" }
        let insert = name(.insert), delete = name(.delete), move = name(.move), update = name(.update)
        var cy: FactPerson?
        #expect(try calls { cy = try context.person(["name": "Aaron"]) } == ["will", "\(insert) - 0.0", "did"])
        #expect(calls { bob.setValue("nick", forKey: "nickname") }.contains { $0.hasPrefix("\(update) 0.2") })
        #expect(calls { cy?.setValue("Zoe", forKey: "name") } == ["will", "\(move) 0.0 0.2", "did"])
        #expect(calls { bob.setValue(100, forKey: "age") } == ["will", "\(delete) 0.1 -", "did"])
        #expect(calls { bob.setValue(10, forKey: "age") } == ["will", "\(insert) - 0.1", "did"])
        #expect(calls { context.delete(ann) } == ["will", "\(delete) 0.0 -", "did"])
        #expect(calls { context.make("Club") }.isEmpty)
        #expect(controller.fetchedObjects?.map { $0.text("name") } == ["Bob", "Zoe"])
    }

    @Test(arguments: Facts.Kind.allCases)
    func sections_Q41_Q47_Q48_Q51(kind: Facts.Kind) throws {
        let context = try Facts(kind).context(), listener = Listener()
        let ann = try context.person(["name": "Ann", "nickname": "red"])
        let bob = try context.person(["name": "Bob", "nickname": "blue"])
        try context.save()
        let controller = try controller(context, listener, section: "nickname")
        #expect(controller.sections?.map(\.name) == ["blue", "red"])
        #expect(controller.sectionIndexTitles == ["B", "R"])
        #expect(controller.object(at: IndexPath(indexes: [1, 0])) === ann)
        #expect(controller.indexPath(forObject: bob) == IndexPath(indexes: [0, 0]))
        bob.setValue("red", forKey: "nickname")
        context.processPendingChanges()
        #expect(controller.sections?.map(\.name) == ["red"] && controller.sections?[0].numberOfObjects == 2)
        #expect(listener.calls.contains { $0.hasPrefix("section \(NSFetchedResultsChangeType.delete) 0 ") })
        #expect(listener.calls.contains { $0.hasPrefix("\(NSFetchedResultsChangeType.move) 0.0") })
    }

    @Test func refreshesResetsAndMerges_Q42_Q49_Q50_Q52_Q53_Q54() throws {
        let facts = try Facts(.sqlite), context = facts.context(), listener = Listener()
        let ann = try context.saved(["name": "Ann"])
        let controller = try controller(context, listener)
        context.refreshAllObjects()
        context.processPendingChanges()
        #expect(!listener.calls.contains { $0.hasPrefix("\(NSFetchedResultsChangeType.insert)") })
        listener.calls = []
        let request = NSBatchUpdateRequest(entityName: "Person")
        request.propertiesToUpdate = ["nickname": "batch"]
        try context.execute(request)
        context.processPendingChanges()
        #expect(listener.calls.isEmpty)
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: [ann.objectID]], into: [context])
        context.processPendingChanges()
        #expect(listener.calls.contains { $0.hasPrefix("\(NSFetchedResultsChangeType.update)") })
        listener.calls = []
        context.reset()
        #expect(listener.calls.isEmpty)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 1)
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
    }
}
