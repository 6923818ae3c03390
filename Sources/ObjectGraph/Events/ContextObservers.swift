import Schema

/// What an observer of a context is told.
public struct ContextNotification {
    /// What happened.
    public enum Event: Sendable, Hashable {
        /// Changes were processed: at the end of an event, before a save, after a refresh.
        case objectsDidChange
        /// A save begins.
        case willSave
        /// A save succeeded.
        case didSave
        /// Changes of another context were merged; see ``ContextNotification/changes``.
        case didMerge
    }

    public let event: Event
    public let context: ManagedObjectContext
    public internal(set) var inserted: Set<ManagedObject> = []
    public internal(set) var updated: Set<ManagedObject> = []
    public internal(set) var deleted: Set<ManagedObject> = []
    /// Objects whose values were read again or let go.
    public internal(set) var refreshed: Set<ManagedObject> = []
    /// Whether the context was reset: every object of it is invalid.
    public internal(set) var isReset = false

    /// Objects that a save changed by their derived values alone.
    var derived: Set<ManagedObjectID> = []
    /// What others did, where that is what it is about.
    var merged: SavedChanges?

    /// The same as object IDs, which can be sent and kept. Deleted objects have no IDs of their own any more: here they have.
    public var changes: SavedChanges {
        if let merged { return merged }
        func ids(_ objects: Set<ManagedObject>) -> Set<ManagedObjectID> {
            Set(objects.map { context.objectID(key: $0.key, entityIndex: Int($0.entityIndex)) })
        }
        return SavedChanges(inserted: ids(inserted), updated: ids(updated.union(refreshed)).union(derived), deleted: ids(deleted), contextName: context.name)
    }

    init(_ event: Event, _ context: ManagedObjectContext) {
        self.event = event
        self.context = context
    }
}

/// An observation of a context, which lasts as long as this is kept.
public final class ContextObservation {
    private weak var observers: ContextObservers?
    private let number: Int

    init(observers: ContextObservers, number: Int) {
        self.observers = observers
        self.number = number
    }

    /// Ends the observation.
    public func cancel() {
        observers?.remove(number)
    }

    deinit {
        cancel()
    }
}

/// Those who want to know what happens to a context, in the order in which they came.
final class ContextObservers {
    private var handlers: [(number: Int, event: ContextNotification.Event, handler: (ContextNotification) -> Void)] = []
    private var streams: [Int: AsyncStream<SavedChanges>.Continuation] = [:]
    private var lastNumber = 0

    func add(_ event: ContextNotification.Event, _ handler: @escaping (ContextNotification) -> Void) -> ContextObservation {
        lastNumber += 1
        handlers.append((lastNumber, event, handler))
        return ContextObservation(observers: self, number: lastNumber)
    }

    /// The changes of each such event, until nobody iterates over them any more or the context is gone.
    func stream(of event: ContextNotification.Event) -> AsyncStream<SavedChanges> {
        let (stream, continuation) = AsyncStream.makeStream(of: SavedChanges.self)
        lastNumber += 1
        let number = lastNumber
        streams[number] = continuation
        handlers.append((number, event, { [weak self] notification in
            if case .terminated = continuation.yield(notification.changes) { self?.remove(number) }
        }))
        return stream
    }

    deinit {
        for stream in streams.values { stream.finish() }
    }

    func remove(_ number: Int) {
        handlers.removeAll { $0.number == number }
        streams[number] = nil
    }

    func hasHandlers(for event: ContextNotification.Event) -> Bool {
        handlers.contains { $0.event == event }
    }

    func post(_ notification: ContextNotification) {
        for entry in handlers where entry.event == notification.event { entry.handler(notification) }
    }
}
