import Query
import RowMemory
import Schema
import Storage

/// A row for the evaluation of predicates and sort keys. A missing row has no values.
final class RowObject<Table: ChangeableTable>: QueryObject {
    private let table: Table
    private let reference: ObjectReference
    let row: Row?

    init(_ row: Row, in table: Table) {
        self.table = table
        reference = ObjectReference(key: row.key, entityIndex: row.entityIndex)
        self.row = row
    }

    private init(_ reference: ObjectReference, in table: Table) throws {
        self.table = table
        self.reference = reference
        row = try table.row(reference)
    }

    var queryID: ManagedObjectID {
        ManagedObjectID(store: table.identity, entityIndex: reference.entityIndex, key: reference.key)
    }

    func queryValue(forKey key: String) throws -> QueryValue {
        let entity = table.shape.model.entities[row?.entityIndex ?? reference.entityIndex]
        guard let index = entity.propertyIndex(named: key) else {
            throw QueryError(.unknownKey, "\(entity.name) has no property \"\(key)\"", entity: entity.name, key: key)
        }
        return try queryValue(at: index)
    }

    func queryValue(at propertyIndex: Int) throws -> QueryValue {
        let entityIndex = row?.entityIndex ?? reference.entityIndex
        let slot = table.shape.layouts[entityIndex].slots[propertyIndex]
        switch slot.kind {
        case .toMany:
            guard row != nil,
                let relation = table.shape.relation(entityIndex: entityIndex, propertyIndex: propertyIndex)
            else {
                return .collection([], isOrdered: false)
            }
            let members = try table.members(of: reference.key, relation).map {
                QueryValue.object(try RowObject($0, in: table))
            }
            return .collection(members, isOrdered: table.shape.relations[relation].isOrdered)
        case .toOne:
            guard let target = row?.reference(slot) else { return .null }
            return .object(try RowObject(target, in: table))
        default:
            return .scalar(row?.value(slot) ?? .null)
        }
    }
}
