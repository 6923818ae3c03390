import Foundation
import RowMemory
import Schema
import Storage

/// A store of a coordinator.
struct StoreMember: Sendable {
    /// The index of the store in primary keys. It is not reused for another store.
    let place: Int
    let store: any StoreBackend
    /// Indexed by root entity: whether the store contains objects of the hierarchy.
    let holdsRoot: [Bool]

    var uuid: String { store.identity.uuid }
    var isReadOnly: Bool { store.description.isReadOnly }

    init(_ store: any StoreBackend, place: Int, model: ManagedObjectModel) {
        self.place = place
        self.store = store
        let roots = Set((model.entities(inConfiguration: store.description.configuration) ?? []).map(\.rootIndex))
        holdsRoot = model.entities.indices.map { roots.contains($0) }
    }

    // MARK: Numbers

    /// Converts the primary keys in rows of the store to those that contexts use.
    func lift(_ rows: RowBatch, _ shapes: ContiguousArray<EntityShape>) throws -> RowBatch {
        guard place > 0 else { return rows }
        for index in 0..<rows.count {
            let row = rows[index]
            row.key = try lift(row.key)
            for relation in shapes[row.entityIndex].toOnes {
                if let target = row.reference(relation.slot) { row.setReference(try lift(target), relation.slot) }
            }
        }
        return rows
    }

    func lift(_ reference: ObjectReference) throws -> ObjectReference {
        ObjectReference(key: try lift(reference.key), entityIndex: reference.entityIndex)
    }

    func lift(_ key: Int64) throws -> Int64 {
        guard key <= StoreKey.greatestKey else {
            throw StorageError(
                .unsupported,
                "The store has an object with the number \(key), which is too great for a store that stands beside others",
                path: store.description.url.path)
        }
        return StoreKey.key(key, place: place)
    }

    /// The request with the primary keys of this store; nil if it concerns none of its objects.
    func request(_ request: RowRequest, root: Int) -> RowRequest? {
        guard holdsRoot[root], request.stores?.contains(uuid) ?? true else { return nil }
        var own = request
        func locals(_ keys: [Int64]) -> [Int64] {
            keys.filter { $0 > 0 && StoreKey.place(of: $0) == place }.map(StoreKey.local)
        }
        if case .keys(let keys) = request.selection {
            let locals = locals(keys)
            if locals.isEmpty { return nil }
            own.selection = .keys(locals)
        }
        own.excludedKeys = locals(request.excludedKeys)
        own.stores = nil
        return own
    }
}
