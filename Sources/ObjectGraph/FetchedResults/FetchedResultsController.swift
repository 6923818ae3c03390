public import Foundation
public import Query
public import Schema

/// Keeps the results of a fetch request up to date with what happens in a context, and tells what
/// changed: for lists on a screen.
///
/// ```swift
/// var request = FetchRequest<ManagedObject>("Book")
/// request.sortKeys = [SortKey("genre"), SortKey("title")]
/// let results = FetchedResultsController(request, in: context, sectionNameKeyPath: "genre")
/// let observation = results.observe { changes in table.apply(changes) }
/// try results.performFetch()
/// ```
/// It follows changes when the context processes them: its own, those of merged saves, and what
/// undo does. After a reset of the context it has to fetch again. A request with an offset or
/// limit, and one whose condition or order reads other objects that changed, is fetched anew for
/// each change; any other costs time in proportion to the changed objects and one pass over the
/// results. It holds the objects, and is used where the context is used.
public final class FetchedResultsController<Result: ManagedObject> {
    public let managedObjectContext: ManagedObjectContext
    /// What is fetched. A change of it counts from the next ``performFetch()`` on.
    public var fetchRequest: FetchRequest<Result>
    /// The path to the value whose text names an object's section; nil for a single section. The
    /// request is sorted by it first.
    public let sectionNameKeyPath: String?

    /// The objects in order; nil before ``performFetch()`` and after a reset of the context.
    public internal(set) var fetchedObjects: [Result]?
    /// The sections in order; none is empty.
    public internal(set) var sections: [FetchedResultsSection<Result>] = []

    var tracker: FetchedResultsTracker?
    private var contextObservation: ContextObservation?
    private var handlers: [(number: Int, handler: (FetchedResultsChanges) -> Void)] = []
    private var streams: [AsyncStream<FetchedResultsSnapshot>.Continuation] = []
    private var lastNumber = 0

    public init(
        _ fetchRequest: FetchRequest<Result>, in context: ManagedObjectContext, sectionNameKeyPath: String? = nil
    ) {
        self.fetchRequest = fetchRequest
        managedObjectContext = context
        self.sectionNameKeyPath = sectionNameKeyPath
    }

    deinit {
        for stream in streams { stream.finish() }
    }

    /// Fetches, and follows changes from here on.
    /// - Throws: ``GraphError`` with code `wrongType` where objects of one section don't stand
    ///   together, since the request is not sorted by the section first; what fetching throws.
    public func performFetch() throws {
        contextObservation = nil
        tracker = try FetchedResultsTracker(fetchRequest, sectionNameKeyPath, in: managedObjectContext)
        let objects = try managedObjectContext.fetch(fetchRequest)
        sections = try tracker?.sections(of: objects) ?? []
        fetchedObjects = objects
        contextObservation = managedObjectContext.observe(.objectsDidChange) { [weak self] in self?.follow($0) }
        publish()
    }

    // MARK: Looking

    public func object(at indexPath: IndexPath) -> Result { sections[indexPath[0]].objects[indexPath[1]] }

    /// Where an object stands; nil if it is not among the results. Costs a look at each of them.
    public func indexPath(for object: Result) -> IndexPath? {
        for (section, info) in sections.enumerated() {
            if let item = info.objects.firstIndex(where: { $0 === object }) {
                return IndexPath(indexes: [section, item])
            }
        }
        return nil
    }

    /// The titles of the sections for an index, each once.
    public var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return sections.map(\.indexTitle).filter { seen.insert($0).inserted }
    }

    /// The section that an index title leads to.
    public func section(forSectionIndexTitle title: String, at index: Int) -> Int? {
        sections.firstIndex { $0.indexTitle == title }
    }

    /// The results as IDs, which can be sent and compared. New objects get other IDs when they are
    /// saved.
    public var snapshot: FetchedResultsSnapshot {
        FetchedResultsSnapshot(
            sections: sections.map {
                FetchedResultsSnapshot.Section(name: $0.name, objectIDs: $0.objects.map(\.objectID))
            })
    }

    // MARK: Being told

    /// Calls `handler` after each change of the results, for as long as the result of this is kept.
    public func observe(_ handler: @escaping (FetchedResultsChanges) -> Void) -> FetchedResultsObservation {
        lastNumber += 1
        let number = lastNumber
        handlers.append((number, handler))
        return FetchedResultsObservation { [weak self] in self?.handlers.removeAll { $0.number == number } }
    }

    /// The results after each fetch and change, the present ones first; a consumer that is slow
    /// gets the newest.
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
                of: old, by: notification, fetching: { try? self.managedObjectContext.fetch(self.fetchRequest) }),
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

/// A section of a controller's results.
public struct FetchedResultsSection<Result: ManagedObject> {
    /// The text of the section's value; empty for nil, and for the only section of a controller
    /// without sections.
    public let name: String
    public let objects: [Result]
    public var numberOfObjects: Int { objects.count }
    /// The first letter of the name, as a capital.
    public var indexTitle: String { name.first.map { String($0).uppercased() } ?? "" }
}

/// The results of a controller as IDs.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    public struct Section: Sendable, Hashable {
        public let name: String
        public let objectIDs: [ManagedObjectID]
    }

    public let sections: [Section]
    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }
}

/// An observation of a controller, which lasts as long as this is kept.
public final class FetchedResultsObservation {
    private let end: () -> Void

    init(_ end: @escaping () -> Void) {
        self.end = end
    }

    public func cancel() { end() }

    deinit { end() }
}
