import RowMemory
import Schema
import Storage

// What a parent context answers to its children: its objects as they are here, as rows.
extension ManagedObjectContext {
    func objects(for request: RowRequest) throws -> [ManagedObject] {
        processPendingChanges()
        switch request.selection {
        case .keys(let keys):
            let entity = shapes[request.entityIndex].entity
            let wanted = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
            let excluded = Set(request.excludedKeys)
            return try objects(withKeys: keys, entity.rootIndex).filter {
                wanted.contains(Int($0.entityIndex)) && !$0.state.contains(.deleted) && !excluded.contains($0.key)
            }
        case .matching: return try fetchObjects(FetchPlan(request, in: self))
        }
    }

    /// The objects of a hierarchy with some numbers, each with its row; those that are not there are left out.
    private func objects(withKeys keys: [Int64], _ root: Int) throws -> [ManagedObject] {
        var found: [ManagedObject] = []
        var unknown: [Int64] = []
        for key in keys {
            if let object = registered(ObjectReference(key: key, entityIndex: root)), object.cells != nil { found.append(object) } else { unknown.append(key) }
        }
        guard !unknown.isEmpty else { return found }
        return found + adopt(try store().rows(RowRequest(entityIndex: root, selection: .keys(unknown))))
    }

    /// Copies the rows of objects for a child, which has transient values of its own.
    func copyRows(of objects: some Sequence<ManagedObject>) throws -> RowBatch {
        var batch = RowBatch()
        for object in objects {
            try realise(object)
            let shape = shapes[Int(object.entityIndex)]
            let row = batch.append(copyOf: object.row)
            // To a child every object of its parent is a saved one.
            row.version = max(1, row.version)
            for slot in shape.layout.slots where shape.isTransient[Int(slot.index)] { row.clear(slot) }
        }
        return batch
    }

    func members(entityIndex: Int, propertyIndex: Int, owners keys: [Int64], includingRows: Bool) throws -> RelatedBatch {
        processPendingChanges()
        let root = rootIndex(entityIndex)
        let owners = try objects(withKeys: keys, root)
        var unread: [ManagedObject] = []
        for owner in owners {
            try realise(owner)
            if !list(owner, relation(owner, propertyIndex)).isLoaded { unread.append(owner) }
        }
        if let first = unread.first { try loadLists(of: unread, relation(first, propertyIndex)) }
        let byKey = Dictionary(owners.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var batch = RelatedBatch(members: [])
        var all: [ManagedObject] = []
        var seen: Set<ManagedObject> = []
        for key in keys {
            let members = byKey[key].map { list($0, relation($0, propertyIndex)).members.filter { !$0.state.contains(.deleted) } } ?? []
            batch.members.append(members.map { reference(to: $0) })
            if includingRows { all += members.filter { seen.insert($0).inserted } }
        }
        guard includingRows else { return batch }
        try fetchRows(of: all)
        batch.rows = try copyRows(of: all.filter { $0.cells != nil })
        return batch
    }
}
