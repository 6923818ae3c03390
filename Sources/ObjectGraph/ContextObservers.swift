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
    private var lastNumber = 0

    func add(_ event: ContextNotification.Event, _ handler: @escaping (ContextNotification) -> Void) -> ContextObservation {
        lastNumber += 1
        handlers.append((lastNumber, event, handler))
        return ContextObservation(observers: self, number: lastNumber)
    }

    func remove(_ number: Int) {
        handlers.removeAll { $0.number == number }
    }

    func hasHandlers(for event: ContextNotification.Event) -> Bool {
        handlers.contains { $0.event == event }
    }

    func post(_ notification: ContextNotification) {
        for entry in handlers where entry.event == notification.event { entry.handler(notification) }
    }
}
