extension ContextNotification {
    /// The notification of an event for observers; nil if nothing happened.
    init?(of changes: ChangeRecords, _ news: EventNews, in context: ManagedObjectContext) {
        self.init(.objectsDidChange, context)
        for object in changes.eventObjects {
            if object.state.isFree {
                inserted.insert(object)
            } else if object.state.contains(.deleted) {
                deleted.insert(object)
            } else {
                updated.insert(object)
            }
        }
        add(news)
        if inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty { return nil }
    }

    private mutating func add(_ news: EventNews) {
        deleted.formUnion(news.deleted)
        // An insertion that was never announced is not announced as a deletion either.
        for object in news.forgotten where !object.state.contains(.unannounced) { deleted.insert(object) }
        updated.formUnion(news.restored)
        refreshed = news.refreshed
        inserted.formUnion(news.mergedInsertions)
    }
}
