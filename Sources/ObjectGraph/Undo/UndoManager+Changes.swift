import RowMemory

extension UndoManager {
    /// Registers changes of a context for undo.
    func register(_ log: ChangeLog, of context: ManagedObjectContext) {
        register(
            UndoGroup.Call(target: ObjectIdentifier(context), content: log, contentBytes: log.event.byteCount) {
                [unowned context] in UndoReplay(context).takeBack(log)
            })
    }

    /// Removes all groups that concern given objects, or objects that such a group deleted, because
    /// they can no longer be undone correctly. Other groups are kept. Takes time linear in the size
    /// of all groups.
    func removeGroups(concerning objects: Set<ManagedObject>) {
        var concerned = objects, references: Set<ObjectReference> = [], before = 0
        let groups = groups.map { $0.contents.compactMap { $0 as? ChangeLog } }
        while concerned.count > before {
            before = concerned.count
            references = Set(concerned.map(\.reference))
            for logs in groups where logs.contains(where: { $0.event.concerns(concerned, references) }) {
                for log in logs { concerned.formUnion(log.event.deletedObjects) }
            }
        }
        removeGroups { ($0 as? ChangeLog)?.event.concerns(concerned, references) ?? false }
    }

    /// Removes all groups that would relate objects to given ones, which are not in the store any
    /// more. Takes time linear in the size of all groups.
    func removeGroups(leadingTo objects: Set<ManagedObject>) {
        let references = Set(objects.map(\.reference))
        removeGroups { ($0 as? ChangeLog)?.event.leads(to: objects, references) ?? false }
    }
}
