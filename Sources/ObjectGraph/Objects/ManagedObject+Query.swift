package import Query
import RowMemory
package import Schema

extension ManagedObject: QueryObject {
    package final var queryID: ManagedObjectID { objectID }

    package final func queryValue(forKey key: String) throws -> QueryValue {
        try checkContext()
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            let nearest = NearestNames.nearest(to: key, among: shape.entity.properties.map(\.name))
            throw QueryError(
                .unknownKey, "\(shape.entity.name) has no property \"\(key)\"\(NearestNames.question(nearest))",
                entity: shape.entity.name, key: key)
        }
        return try queryValue(at: index)
    }

    package final func queryValue(at propertyIndex: Int) throws -> QueryValue {
        try fulfillFault()
        let context = self.context
        let shape = context.shapes[Int(entityIndex)]
        guard let relation = shape.relations[propertyIndex] else {
            return .scalar(row.value(shape.layout.slots[propertyIndex]))
        }
        if !relation.isToMany { return context.registry.target(self, relation.slot).map { .object($0) } ?? .null }
        let members = try context.members.membersOrThrow(self, relation)
        return .collection(members.map { .object($0) }, isOrdered: relation.isOrdered)
    }
}
