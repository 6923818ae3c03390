import RowMemory

extension UndoManager {
    /// Has the changes of a context taken back by undo.
    func register(_ log: ChangeLog, of context: ManagedObjectContext) {
        register(
            UndoGroup.Call(target: ObjectIdentifier(context), content: log, contentBytes: log.event.byteCount) {
                [unowned context] in UndoReplay(context).takeBack(log)
            })
    }

    /// Forgets the groups, each as a whole, that concern some objects of a context, or objects that
    /// such a group has deleted: what they would take back is not there any more. The others stay.
    /// Costs as much as there is to undo.
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
}
