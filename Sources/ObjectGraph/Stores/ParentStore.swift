import RowMemory
import Schema
import Storage

/// A parent context as the store of its children. They read its objects as rows, with unsaved
/// changes, and their saves become unsaved changes of the parent.
///
/// Used only in the isolation domain of the parent.
final class ParentStore: RowStore {
    let parent: ManagedObjectContext
    /// The context whose store this is.
    weak var child: ManagedObjectContext?

    init(_ parent: ManagedObjectContext) {
        self.parent = parent
    }

    func rows(_ request: RowRequest) throws -> RowBatch {
        try withParent { try copyRows(of: objects(for: request)) }
    }

    func count(_ request: RowRequest) throws -> Int { try withParent { try objects(for: request).count } }

    func answerablePart(of request: RowRequest) -> RowRequest { request.selectingMore(nil) }

    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        try withParent {
            try members(
                entityIndex: entityIndex, propertyIndex: propertyIndex, owners: owners, includingRows: includingRows)
        }
    }

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try withParent { try parent.store().reserveKeys(entityIndex: entityIndex, count: count) }
    }

    func apply(_ changes: ChangeSet) throws -> SaveReceipt { try withParent { try ChildSave(parent).take(changes) } }

    /// The child calls this, and waits: neither context is in use elsewhere meanwhile. A request
    /// may have keys that became permanent since it was made; see ``ObjectRegistry/formerKeys``.
    private func withParent<Result>(_ body: () throws -> Result) throws -> Result {
        guard let exclusively = parent.exclusively else { return try body() }
        var result: Swift.Result<Result, any Error>?
        exclusively {
            child?.keys.takeRenamedKeys()
            result = Swift.Result { try body() }
        }
        guard let result else { preconditionFailure("A context's own executor runs what it is given") }
        return try result.get()
    }

    // MARK: Objects of the parent

    private func objects(for request: RowRequest) throws -> [ManagedObject] {
        parent.processWithinStep()
        switch request.selection {
        case .keys(let keys):
            let entity = parent.shapes[request.entityIndex].entity
            let wanted = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
            let excluded = Set(request.excludedKeys)
            return try objects(withKeys: keys, entity.rootIndex).filter {
                wanted.contains(Int($0.entityIndex)) && !$0.state.contains(.deleted) && !excluded.contains($0.key)
            }
        case .matching: return try parent.fetching.fetchObjects(FetchPlan(request, in: parent))
        }
    }

    /// The objects of a hierarchy with given primary keys, each with its row. Missing objects are
    /// left out.
    private func objects(withKeys keys: [Int64], _ root: Int) throws -> [ManagedObject] {
        var found: [ManagedObject] = []
        var unknown: [Int64] = []
        for key in keys {
            if let object = parent.registry.registered(ObjectReference(key: key, entityIndex: root)),
                object.cells != nil
            {
                found.append(object)
            } else {
                unknown.append(parent.registry.currentKey(key))
            }
        }
        guard !unknown.isEmpty else { return found }
        return found
            + parent.registry.adopt(try parent.store().rows(RowRequest(entityIndex: root, selection: .keys(unknown))))
    }

    /// Copies the rows of objects for a child. Transient values are not copied, since the child has
    /// its own.
    private func copyRows(of objects: some Sequence<ManagedObject>) throws -> RowBatch {
        var batch = RowBatch()
        for object in objects {
            try parent.faults.fulfillFault(object)
            let shape = parent.shapes[Int(object.entityIndex)]
            let row = batch.append(copyOf: object.row)
            // To a child, every object of its parent is a saved object.
            row.version = max(1, row.version)
            for slot in shape.layout.slots where shape.isTransient[Int(slot.index)] { row.clear(slot) }
        }
        return batch
    }

    private func members(entityIndex: Int, propertyIndex: Int, owners keys: [Int64], includingRows: Bool) throws
        -> RelatedBatch
    {
        parent.processWithinStep()
        let root = parent.registry.rootIndex(entityIndex)
        let owners = try objects(withKeys: keys, root)
        var unread: [ManagedObject] = []
        for owner in owners {
            try parent.faults.fulfillFault(owner)
            if !parent.members.list(owner, parent.registry.relation(owner, propertyIndex)).isLoaded {
                unread.append(owner)
            }
        }
        if let first = unread.first {
            try parent.members.loadLists(of: unread, parent.registry.relation(first, propertyIndex))
        }
        let byKey = Dictionary(owners.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var batch = RelatedBatch(members: [])
        var all: [ManagedObject] = []
        var seen: Set<ManagedObject> = []
        for key in keys {
            let members =
                byKey[parent.registry.currentKey(key)].map {
                    parent.members.list($0, parent.registry.relation($0, propertyIndex)).members.filter {
                        !$0.state.contains(.deleted)
                    }
                } ?? []
            batch.members.append(members.map { $0.reference })
            if includingRows { all += members.filter { seen.insert($0).inserted } }
        }
        guard includingRows else { return batch }
        try parent.faults.fetchRows(of: all)
        batch.rows = try copyRows(of: all.filter { $0.cells != nil })
        return batch
    }
}
