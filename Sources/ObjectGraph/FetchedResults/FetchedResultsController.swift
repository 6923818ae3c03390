public import Foundation
public import Query
import Schema

/// Keeps the results of a fetch request up to date with the changes in a context, and reports the
/// differences, for example to a list view.
///
/// ```swift
/// var request = FetchRequest<ManagedObject>(entityName: "Book")
/// request.sortDescriptors = [SortKey("genre"), SortKey("title")]
/// let results = FetchedResultsController(fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "genre")
/// let observation = results.observe { changes in table.apply(changes) }
/// try results.performFetch()
/// ```
/// Results are updated when the context processes changes: its own, merged changes, and undo. After
/// a reset of the context, fetch again. An update takes time proportional to the changed objects,
/// and one pass over the results. Requests with an offset or a limit, and requests whose predicate
/// or sort order refers to other objects that changed, are fetched again.
///
/// The controller retains the fetched objects. Use it in the isolation domain of the context.
public final class FetchedResultsController<Result: ManagedObject> {
    /// The context whose objects are fetched.
    public let managedObjectContext: ManagedObjectContext
    /// The fetch request. A change takes effect with the next ``performFetch()``.
    public var fetchRequest: FetchRequest<Result>
    /// The key path of the value whose text is the name of an object's section; nil for a single
    /// section. The request must sort by it first.
    public let sectionNameKeyPath: String?

    /// The objects in order; nil before ``performFetch()`` and after a reset of the context.
    public internal(set) var fetchedObjects: [Result]?
    /// The sections in order. No section is empty.
    public internal(set) var sections: [FetchedResultsSection<Result>] = []

    var tracker: FetchedResultsTracker?
    private var contextObservation: ContextObservation?
    private var handlers: [(number: Int, handler: (FetchedResultsChanges) -> Void)] = []
    private var streams: [AsyncStream<FetchedResultsSnapshot>.Continuation] = []
    private var lastNumber = 0

    /// Creates a controller. Call ``performFetch()`` to get results.
    public init(
        fetchRequest: FetchRequest<Result>, managedObjectContext context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) {
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    deinit {
        for stream in streams { stream.finish() }
        // Objects are released before the context: where another thread holds it, too, it could
        // release it meanwhile, and objects are removed from its registry.
        contextObservation = nil
        (fetchedObjects, sections, tracker) = (nil, [], nil)
        handlers = []
    }

    /// Fetches the results, and follows changes from then on.
    ///
    /// - Throws: ``GraphError`` with code `wrongType` if the objects of a section are not adjacent
    ///   because the request does not sort by the section first; what
    ///   `ManagedObjectContext.fetch(_:)` throws.
    public func performFetch() throws {
        contextObservation = nil
        tracker = try FetchedResultsTracker(fetchRequest, sectionNameKeyPath, in: managedObjectContext)
        let objects = try managedObjectContext.fetch(fetchRequest)
        sections = try tracker?.sections(of: objects) ?? []
        fetchedObjects = objects
        contextObservation = managedObjectContext.observe(.objectsDidChange) { [weak self] in self?.follow($0) }
        publish()
    }

    // MARK: Lookup

    /// The object at an index path of a section and an index in it. Traps if there is none.
    public func object(at indexPath: IndexPath) -> Result { sections[indexPath[0]].objects[indexPath[1]] }

    /// The index path of an object; nil if it is not in the results. Takes time linear in the
    /// results.
    public func indexPath(for object: Result) -> IndexPath? {
        for (section, info) in sections.enumerated() {
            if let item = info.objects.firstIndex(where: { $0 === object }) {
                return IndexPath(indexes: [section, item])
            }
        }
        return nil
    }

    /// The distinct index titles of the sections.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return sections.map(\.indexTitle).filter { seen.insert($0).inserted }
    }

    /// The index of the first section with an index title; nil if there is none. `index` is not
    /// used.
    public func section(forSectionIndexTitle title: String, at index: Int) -> Int? {
        sections.firstIndex { $0.indexTitle == title }
    }

    /// The results as object IDs, which can be sent to other isolation domains and compared. The
    /// IDs of new objects change when they are saved.
    public var snapshot: FetchedResultsSnapshot {
        FetchedResultsSnapshot(
            sections: sections.map {
                FetchedResultsSnapshot.Section(name: $0.name, objectIDs: $0.objects.map(\.objectID))
            })
    }

    // MARK: Notifications

    /// Calls a handler after each change of the results, until the returned observation is released
    /// or cancelled.
    public func observe(_ handler: @escaping (FetchedResultsChanges) -> Void) -> FetchedResultsObservation {
        lastNumber += 1
        let number = lastNumber
        handlers.append((number, handler))
        return FetchedResultsObservation { [weak self] in self?.handlers.removeAll { $0.number == number } }
    }

    /// The results after each fetch and each change, starting with the current ones. A slow
    /// consumer gets the latest results only.
    public func snapshots() -> AsyncStream<FetchedResultsSnapshot> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FetchedResultsSnapshot.self, bufferingPolicy: .bufferingNewest(1))
        streams.append(continuation)
        if fetchedObjects != nil { continuation.yield(snapshot) }
        return stream
    }

    private func publish() {
        guard !streams.isEmpty else { return }
        let snapshot = snapshot
        streams.removeAll { stream in
            if case .terminated = stream.yield(snapshot) { true } else { false }
        }
    }

    private func follow(_ notification: ContextNotification) {
        guard let tracker, let old = fetchedObjects else { return }
        if notification.isReset {
            fetchedObjects = nil
            sections = []
            return
        }
        guard
            let update = tracker.update(
                of: old, by: notification, in: managedObjectContext,
                fetching: { try? self.managedObjectContext.fetch(self.fetchRequest) }),
            let newSections = try? tracker.sections(of: update.objects)
        else { return }
        let changes = FetchedResultsChanges(from: sections, to: newSections, touched: update.touched)
        fetchedObjects = update.objects
        sections = newSections
        guard !changes.isEmpty else { return }
        for entry in handlers { entry.handler(changes) }
        publish()
    }
}

/// An observation of a controller. It ends when this object is released.
public final class FetchedResultsObservation {
    private let end: () -> Void

    init(_ end: @escaping () -> Void) {
        self.end = end
    }

    /// Ends the observation.
    public func cancel() { end() }

    deinit { end() }
}
