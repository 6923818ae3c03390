import Foundation

/// An observation of a context. It ends when this object is released.
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

/// The observers of a context, in the order of their registration.
final class ContextObservers {
    /// The center to which notifications are posted too; nil for none.
    var notificationCenter: NotificationCenter?
    private var handlers: [(number: Int, event: ContextNotification.Event, handler: (ContextNotification) -> Void)] = []
    private var streams: [Int: AsyncStream<SavedChanges>.Continuation] = [:]
    private var lastNumber = 0

    func add(_ event: ContextNotification.Event, _ handler: @escaping (ContextNotification) -> Void)
        -> ContextObservation
    {
        lastNumber += 1
        handlers.append((lastNumber, event, handler))
        return ContextObservation(observers: self, number: lastNumber)
    }

    /// A stream of the changes of each event of this kind. It ends when the consumer stops
    /// iterating, or when the context is released.
    func stream(of event: ContextNotification.Event) -> AsyncStream<SavedChanges> {
        let (stream, continuation) = AsyncStream.makeStream(of: SavedChanges.self)
        lastNumber += 1
        let number = lastNumber
        streams[number] = continuation
        handlers.append(
            (
                number, event,
                { [weak self] notification in
                    if case .terminated = continuation.yield(notification.changes) { self?.remove(number) }
                }
            ))
        return stream
    }

    deinit {
        for stream in streams.values { stream.finish() }
    }

    func remove(_ number: Int) {
        handlers.removeAll { $0.number == number }
        streams[number] = nil
    }

    /// Whether an event has observers. Collecting the changes for a notification takes time
    /// proportional to their number, and is skipped without observers.
    func isObserved(_ event: ContextNotification.Event) -> Bool {
        notificationCenter != nil || handlers.contains { $0.event == event }
    }

    func post(_ notification: ContextNotification) {
        for entry in handlers where entry.event == notification.event { entry.handler(notification) }
        if let notificationCenter { notification.post(to: notificationCenter) }
    }
}
