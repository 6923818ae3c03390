internal import Foundation
internal import RowMemory
internal import Schema
internal import Storage

extension DocumentComparison {
    /// Whether an object of the second document may have the same attributes as one of the same
    /// entity in the first. Never false if there is one.
    ///
    /// Reads the rows of both documents without their relationships, and keeps a hash of each of
    /// the first. Both documents must have the same model.
    package func mayHaveEqualObjects() throws -> Bool {
        for (_, old, new) in entityPairs {
            guard let old, let new else { continue }
            var known: Set<Int> = []
            try Self.forEachHash(of: old, self.old) { hash in
                known.insert(hash)
                return true
            }
            if known.isEmpty { continue }
            var isFound = false
            try Self.forEachHash(of: new, self.new) { hash in
                isFound = known.contains(hash)
                return !isFound
            }
            if isFound { return true }
        }
        return false
    }

    /// - Parameter body: Returns whether to go on.
    private static func forEachHash(
        of entity: EntityDescription, _ store: any StoreBackend, _ body: (Int) -> Bool
    ) throws {
        let slots = store.layouts[entity.index].slots
        let attributes = entity.properties.filter { property in
            !property.isTransient && property.attribute.map { !$0.isDerived } == true
        }.map { slots[$0.index] }
        let cursor = RowCursor(store, store.identity, entity, members: [])
        try cursor.advance()
        while cursor.key != nil {
            try WorkProgress.check()
            var hasher = Hasher()
            for slot in attributes { cursor.row.hash(slot, into: &hasher) }
            guard body(hasher.finalize()) else { return }
            try cursor.advance()
        }
    }
}

extension Row {
    /// Hashes a value, as far as that takes no more than its row: what `isSame` says is the same
    /// has the same hash.
    fileprivate func hash(_ slot: RowSlot, into hasher: inout Hasher) {
        guard hasValue(slot) else { return hasher.combine(false) }
        hasher.combine(true)
        switch slot.kind {
        case .int: hasher.combine(int(slot))
        case .bool: hasher.combine(bool(slot))
        case .double: hasher.combine(double(slot).map { $0.isNaN ? 0 : $0 })
        case .date: hasher.combine(double(slot).map { $0.isNaN ? 0 : $0 })
        case .string: hasher.combine(string(slot))
        case .uuid: hasher.combine(uuid(slot))
        default: break
        }
    }
}
