import Foundation
import ObjectGraph
import Schema

/// Where new objects are that no context has yet: a context of their own, which never saves. Each
/// thread has one for a model, as long as it has objects.
final class WaitingRoom {
    let context: ManagedObjectContext

    init(model: ManagedObjectModel) {
        context = ManagedObjectContext(
            PersistentStoreCoordinator(
                managedObjectModel: model, isPlain: false, factories: [],
                objectClass: { ObjectClasses.type(of: $0) }))
        context.holdsDetachedObjects = true
    }

    private final class Held {
        weak var room: WaitingRoom?

        init(_ room: WaitingRoom) { self.room = room }
    }

    static func current(of model: ManagedObjectModel) -> WaitingRoom {
        let key = "NSManagedObjectModel.waitingRoom.\(model.number)"
        if let known = (Thread.current.threadDictionary[key] as? Held)?.room { return known }
        let room = WaitingRoom(model: model)
        Thread.current.threadDictionary[key] = Held(room)
        return room
    }
}
