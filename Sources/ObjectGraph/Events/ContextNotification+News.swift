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
        if isWithoutChanges { return nil }
    }

    var isWithoutChanges: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !refreshesAll
    }

    private mutating func add(_ news: EventNews) {
        deleted.formUnion(news.deleted)
        // An insertion that was never announced is not announced as a deletion either.
        for object in news.forgotten where !object.state.contains(.unannounced) { deleted.insert(object) }
        updated.formUnion(news.restored)
        refreshed = news.refreshed
        refreshesAll = news.refreshesAll
        inserted.formUnion(news.mergedInsertions)
        if !news.broughtBack.isEmpty {
            updated.subtract(news.broughtBack)
            inserted.formUnion(news.broughtBack)
        }
    }

    /// Adds what a later event changed.
    mutating func add(_ later: ContextNotification) {
        for object in later.inserted where !updated.contains(object) {
            if deleted.remove(object) != nil { updated.insert(object) } else { inserted.insert(object) }
        }
        for object in later.updated where !inserted.contains(object) {
            deleted.remove(object)
            updated.insert(object)
        }
        for object in later.deleted where inserted.remove(object) == nil {
            updated.remove(object)
            deleted.insert(object)
        }
        refreshed.formUnion(later.refreshed)
    }
}
