import RowMemory
import Schema

// Propagation of permanent primary keys to child contexts.
extension KeyAssignment {
    /// Notifies children of the objects that got permanent primary keys.
    func tellChildren(_ renamed: [(temporary: Int64, permanent: ObjectReference)]) {
        context.forgetGoneChildren()
        for child in context.children { child.keys.follow(renamed) }
    }

    func follow(_ renamed: [(temporary: Int64, permanent: ObjectReference)]) {
        let keys = Dictionary(renamed.map { ($0.temporary, $0.permanent.key) }, uniquingKeysWith: { first, _ in first })
        for (temporary, key) in keys {
            guard let object = context.registry.temporaries.object(-temporary) else { continue }
            context.registry.temporaries.remove(-temporary)
            object.key = key
            object.optionalRow?.key = key
            context.registry.identities[context.rootIndex(Int(object.entityIndex))].insert(object, key)
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
        if context.hasChildren { tellChildren(renamed) }
    }
}
