import RowMemory
import Schema
import Storage

// What others saved.
extension ObjectMerging {
    func mergeUpdates(_ ids: Set<ManagedObjectID>) {
        var realised: [(ManagedObjectID, ManagedObject)] = []
        for id in ids {
            guard let object = context.registeredObject(for: id), object.state.isDisjoint(with: [.inserted, .deleted, .saving]) else { continue }
            if object.state.isFault {
                // Its row is read when it is needed.
                object.detachRow()
            } else {
                realised.append((id, object))
            }
        }
        guard !realised.isEmpty else { return }
        let rows: [ManagedObjectID: Row]
        do { rows = try context.storedRows(of: realised.map(\.0)) } catch {
            context.noteLoadError(error)
            return
        }
        var unsettled: [(object: ManagedObject, row: Row, version: Int64)] = []
        for (id, object) in realised {
            guard let row = rows[id] else { continue }
            unsettled.append((object, row, object.row.version))
            if object.recordIndex >= 0 { mergeStoreValues(row, into: object) } else { takeValues(of: row, object) }
            context.news.refreshed.insert(object)
        }
        for index in unsettled.indices {
            do { try settle(unsettled[index].object, stored: unsettled[index].row) } catch {
                context.noteLoadError(error)
                // Their save is to meet the conflict.
                for rest in unsettled[index...] { rest.object.row.version = rest.version }
                return
            }
        }
    }

    func mergeDeletion(_ id: ManagedObjectID) {
        guard let object = context.registeredObject(for: id), object.state.isDisjoint(with: [.inserted, .saving]) else { return }
        if object.state.contains(.deleted) {
            object.state.insert(.inaccessible)
        } else if object.recordIndex < 0 {
            if object.cells == nil { object.attach(context.nursery.makeRow(context.shapes[Int(object.entityIndex)].layout, key: object.key)) }
            object.state.remove(.fault)
            acceptDeletionElsewhere(of: object)
        }
    }
}
