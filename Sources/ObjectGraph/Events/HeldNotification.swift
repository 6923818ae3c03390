/// The notification of several events that observers are to hear of as one.
struct HeldNotification {
    private var notification: ContextNotification?

    mutating func add(_ later: ContextNotification) {
        if notification == nil { notification = later } else { notification?.add(later) }
    }

    /// Returns the notification and clears it; nil if the events have left everything as it was.
    mutating func take() -> ContextNotification? {
        defer { notification = nil }
        return notification.flatMap { $0.isWithoutChanges ? nil : $0 }
    }
}
