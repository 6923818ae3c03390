import RowMemory
import Schema

extension ManagedObjectContext {
    struct Child {
        weak var context: ManagedObjectContext?
    }

    /// The temporary numbers of a context and all its descendants: none is used twice among them.
    final class TemporaryKeys {
        // Only its contexts use it, each finishing with it at once.
        @exclusivity(unchecked) private var last: Int64 = 0

        func next() -> Int64 {
            last -= 1
            return last
        }
    }

    /// Tells children which objects have got their permanent numbers.
    func tellChildren(_ renamed: [(temporary: Int64, permanent: ObjectReference)]) {
        children.removeAll { $0.context == nil }
        for child in children { child.context?.follow(renamed) }
    }

    private func follow(_ renamed: [(temporary: Int64, permanent: ObjectReference)]) {
        let keys = Dictionary(renamed.map { ($0.temporary, $0.permanent.key) }, uniquingKeysWith: { first, _ in first })
        for (temporary, key) in keys {
            guard let object = temporaries.object(-temporary) else { continue }
            temporaries.remove(-temporary)
            object.key = key
            object.optionalRow?.key = key
            identities[rootIndex(Int(object.entityIndex))].insert(object, key)
        }
        if undoManager != nil { for (temporary, key) in keys { permanentKeys.set(key, for: temporary) } }
        func renewed(_ reference: ObjectReference) -> ObjectReference? {
            keys[reference.key].map { ObjectReference(key: $0, entityIndex: reference.entityIndex) }
        }
        for object in allObjects {
            guard let row = object.optionalRow else { continue }
            for relation in shapes[Int(object.entityIndex)].toOnes {
                if let reference = row.reference(relation.slot).flatMap(renewed) { row.setReference(reference, relation.slot) }
            }
        }
        for index in changes.saved.indices {
            if case .reference(let reference?) = changes.saved[index].value, let renewed = renewed(reference) {
                changes.replaceSaved(at: index, with: .reference(renewed))
            }
        }
        if !children.isEmpty { tellChildren(renamed) }
    }
}
