import Foundation
import ObjectGraph
import Schema
import Storage

extension NSManagedObjectContext {
    /// Posts what happens to Folio's context, with Core Data's names and keys, as long as the
    /// observations are kept.
    func observe(_ folio: ManagedObjectContext) -> [ContextObservation] {
        let events: [ContextNotification.Event] = [.objectsDidChange, .willSave, .didSave, .didMerge]
        return events.map { event in folio.observe(event) { [weak self] in self?.post($0) } }
    }

    private func post(_ event: ContextNotification) {
        func post(_ name: Notification.Name, _ info: [AnyHashable: Any]) {
            NotificationCenter.default.post(name: name, object: self, userInfo: info)
        }
        switch event.event {
        case .willSave: post(.NSManagedObjectContextWillSave, [:])
        case .objectsDidChange: post(.NSManagedObjectContextObjectsDidChange, objects(event))
        case .didSave:
            let changes = event.changes
            if parent == nil { persistentStoreCoordinator?.noteChanges(changes) }
            var info = objects(event), ids = Self.ids(changes)
            info[Self.changesKey] = changes
            ids[Self.changesKey] = changes
            for (key, value) in event.details {
                let own: Any =
                    switch value {
                    case let token as PersistentHistoryToken: NSPersistentHistoryToken(token)
                    case let token as QueryGenerationToken: NSQueryGenerationToken(token)
                    default: value
                    }
                info[key] = own
                ids[key] = own
            }
            post(.NSManagedObjectContextDidSave, info)
            post(NSManagedObjectContext.didSaveObjectIDsNotification, ids)
        case .didMerge:
            var ids = Self.ids(event.changes)
            if !event.refreshedIDs.isEmpty { ids[NSRefreshedObjectIDsKey] = event.refreshedIDs }
            post(NSManagedObjectContext.didMergeChangesObjectIDsNotification, ids)
        }
    }

    /// The changes as a value, for contexts that merge them elsewhere: under it they look at no
    /// object of another context.
    private static let changesKey = "FolioSavedChanges"

    static func changes(of notification: Notification, _ coordinator: PersistentStoreCoordinator) -> SavedChanges {
        let info = notification.userInfo ?? [:]
        if let changes = info[changesKey] as? SavedChanges { return changes }
        return SavedChanges(userInfo: folioInfo(info), coordinator: coordinator)
    }

    /// Sets of a subclass of objects as sets of Folio's.
    static func folioInfo(_ info: [AnyHashable: Any]) -> [AnyHashable: Any] {
        info.mapValues { value in
            guard let elements = BridgedValue.elements(of: value), !elements.isEmpty else { return value }
            let objects = elements.compactMap { $0 as? ManagedObject }
            if objects.count == elements.count { return Set(objects) }
            let ids = elements.compactMap { $0 as? ManagedObjectID }
            if ids.count == elements.count { return Set(ids) }
            let urls = elements.compactMap { $0 as? URL }
            return urls.count == elements.count ? Set(urls) : value
        }
    }

    private func objects(_ event: ContextNotification) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        func add(_ key: String, _ objects: Set<ManagedObject>) {
            if !objects.isEmpty { info[key] = Set(objects.compactMap { $0 as? NSManagedObject }) }
        }
        add(NSInsertedObjectsKey, event.inserted)
        add(NSUpdatedObjectsKey, event.updated)
        add(NSDeletedObjectsKey, event.deleted)
        add(NSRefreshedObjectsKey, event.refreshed)
        if event.isReset { info[NSInvalidatedAllObjectsKey] = true }
        if !event.invalidated.isEmpty { info[NSInvalidatedObjectIDsKey] = event.invalidated }
        return info
    }

    private static func ids(_ changes: SavedChanges) -> [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [:]
        func add(_ key: NSManagedObjectContext.NotificationKey, _ ids: Set<ManagedObjectID>) {
            if !ids.isEmpty { info[key.rawValue] = ids }
        }
        add(.insertedObjectIDs, changes.inserted)
        add(.updatedObjectIDs, changes.updated)
        add(.deletedObjectIDs, changes.deleted)
        return info
    }
}
