import RowMemory
import Schema

// Propagation of permanent primary keys to child contexts.
extension KeyAssignment {
    /// Notifies children of the objects that got permanent primary keys. A child that may be in use
    /// elsewhere gets them in its inbox, and replaces its temporary keys itself. Waiting for it
    /// could be a deadlock, because it may be waiting for this context.
    func tellChildren(_ renamed: [RenamedKey]) {
        context.children.forgetReleased()
        let children = context.children.existing
        // A child that has emptied its inbox asks for no former key any more.
        if children.allSatisfy({ $0.renamedKeys.isEmpty }) { context.registry.formerKeys = [:] }
        for child in children {
            guard child.isUsedHere?() == false else {
                child.keys.follow(child.renamedKeys.takeAll() + renamed)
                continue
            }
            for key in renamed { context.registry.formerKeys[key.temporary] = key.permanent.key }
            child.renamedKeys.add(renamed)
            child.savesArrived?()
        }
    }

    /// Takes over the permanent keys that the parent has assigned since the last call. Called in
    /// the isolation domain of this context.
    package func takeRenamedKeys() {
        guard context.parent != nil, !context.renamedKeys.isEmpty else { return }
        follow(context.renamedKeys.takeAll())
    }

    private func follow(_ renamed: [RenamedKey]) {
        let keys = Dictionary(renamed.map { ($0.temporary, $0.permanent.key) }, uniquingKeysWith: { first, _ in first })
        for (temporary, key) in keys {
            guard let object = context.registry.temporaries.object(-temporary) else { continue }
            context.registry.temporaries.remove(-temporary)
            object.key = key
            object.optionalRow?.key = key
            context.registry.identities[context.registry.rootIndex(Int(object.entityIndex))].insert(object, key)
        }
        if context.undoManager != nil {
            for (temporary, key) in keys { context.tracker.permanentKeys.set(key, for: temporary) }
        }
        func renewed(_ reference: ObjectReference) -> ObjectReference? {
            keys[reference.key].map { ObjectReference(key: $0, entityIndex: reference.entityIndex) }
        }
        for object in context.registry.allObjects {
            guard let row = object.optionalRow else { continue }
            for relation in context.shapes[Int(object.entityIndex)].toOnes {
                if let reference = row.reference(relation.slot).flatMap(renewed) {
                    row.setReference(reference, relation.slot)
                }
            }
        }
        for index in context.changes.saved.indices {
            if case .reference(let reference?) = context.changes.saved[index].value, let renewed = renewed(reference) {
                context.changes.replaceSaved(at: index, with: .reference(renewed))
            }
        }
        if !context.children.isEmpty { tellChildren(renamed) }
    }
}
