import RowMemory
import Schema
import Storage

/// Fires faults, and turns objects into faults.
struct FaultHandling {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Fires a fault for an accessor that does not throw. Returns false if the fault can't be
    /// fired.
    func fulfill(_ object: ManagedObject) -> Bool {
        do {
            try fulfillFault(object)
            return true
        } catch let error as GraphError where error.code == .objectNotFound {
            precondition(
                context.shouldDeleteInaccessibleFaults,
                "\(error.message). Set shouldDeleteInaccessibleFaults, or fill the object with fulfillFault(), which throws"
            )
            markInaccessible(object)
            return true
        } catch {
            // The caller reads nil. The next save throws this error, instead of writing values that
            // may be based on it.
            context.note(error)
            return false
        }
    }

    /// Fires a fault.
    func fulfillFault(_ object: ManagedObject) throws {
        guard object.state.isFault else { return }
        if object.cells == nil {
            guard object.key > 0 || context.parent != nil else { throw GraphError.notFound(object.objectID) }
            let rows = try context.store().rows(
                RowRequest(
                    entityIndex: context.registry.rootIndex(Int(object.entityIndex)), selection: .keys([object.key])))
            guard rows.count == 1 else { throw GraphError.notFound(object.objectID) }
            object.attach(rows[0])
        }
        finishFiring(object)
    }

    private func finishFiring(_ object: ManagedObject) {
        context.registry.noteChange(object, -1)
        object.state.remove(.fault)
        let shape = context.shapes[Int(object.entityIndex)]
        if shape.isPlain { return }
        for (slot, value) in shape.transientValues where !object.row.hasValue(slot) {
            _ = object.row.setValue(value, slot)
        }
        context.tracker.untrackedDepth += 1
        object.awakeFromFetch()
        context.tracker.untrackedDepth -= 1
    }

    /// Reads the rows of faults without a row, with one query for each hierarchy. Faults without a
    /// row in the store are unchanged.
    func fetchRows(of objects: some Sequence<ManagedObject>) throws {
        var keys: [Int: [Int64]] = [:]
        for object in objects where object.cells == nil && (object.key > 0 || context.parent != nil) {
            keys[context.registry.rootIndex(Int(object.entityIndex)), default: []].append(object.key)
        }
        for (root, keys) in keys {
            let rows = try context.store().rows(RowRequest(entityIndex: root, selection: .keys(keys)))
            for index in 0..<rows.count {
                let row = rows[index]
                if let object = context.registry.registered(ObjectReference(key: row.key, entityIndex: root)),
                    object.state.isFault
                {
                    object.attach(row)
                }
            }
        }
    }

    /// The current rows of objects in the store, read with one query for each hierarchy.
    func storedRows(of ids: [ManagedObjectID]) throws -> [ManagedObjectID: Row] {
        var keys: [Int: [Int64]] = [:]
        for id in ids {
            if let own = context.lookup.reference(of: id) {
                keys[context.registry.rootIndex(own.entityIndex), default: []].append(own.key)
            }
        }
        var found: [ManagedObjectID: Row] = [:]
        for (root, keys) in keys {
            let rows = try context.store().rows(RowRequest(entityIndex: root, selection: .keys(keys)))
            for index in 0..<rows.count {
                found[context.lookup.objectID(key: rows[index].key, entityIndex: rows[index].entityIndex)] = rows[index]
            }
        }
        return found
    }

    /// Turns a fault without a row in the store into a deleted object with nil values.
    private func markInaccessible(_ object: ManagedObject) {
        context.registry.noteChange(object)
        object.attach(context.registry.newRows.makeRow(context.shapes[Int(object.entityIndex)].layout, key: object.key))
        object.state.remove(.fault)
        object.state.insert([.inaccessible, .deleted])
        if object.recordIndex < 0 { context.tracker.record(object) }
    }

    /// Turns an object without changes into a fault.
    func turnIntoFault(_ object: ManagedObject) {
        context.registry.noteChange(object)
        if !object.state.isFault { object.willTurnIntoFault() }
        let wasRealised = !object.state.isFault
        object.detachRow()
        object.state = .fault
        if wasRealised { object.didTurnIntoFault() }
    }
}
