import Schema
import Storage

/// Many-to-many relationships.
extension MigrationBuilder {
    func linkChanges() -> [LinkChange] {
        StoreSchema(new).namingSides.map { side in
            var change = LinkChange(join: side.join)
            var sources: [LinkChange.Source] = []
            func add(_ source: LinkChange.Source?) {
                if let source, !sources.contains(source) { sources.append(source) }
            }
            for index in plan.destination.entities[side.storage.entityIndex].family {
                add(source(of: side.property, entityIndex: index))
            }
            // If only the inverse existed before, its pairs are used with the sides swapped.
            if let inverse = plan.destination.inverse(of: side.property), !side.join.isReflexive {
                for index in plan.destination.entities[inverse.declaringEntityIndex].family {
                    add(source(of: inverse, entityIndex: index)?.reversed)
                }
            }
            // Without objects on both sides there are no pairs.
            guard let owners = self.side(side.storage.entityIndex),
                let members = self.side(side.property.destinationIndex)
            else { return change }
            (change.sources, change.owners, change.members) = (sources, owners, members)
            return change
        }
    }

    /// The pairs of a relationship in the old store, with the owner first.
    private func source(of property: PropertyDescription, entityIndex: Int) -> LinkChange.Source? {
        guard let storage = formerStorage(of: entityIndex),
            let (_, former) = formerStorage(entityIndex: entityIndex, propertyIndex: property.index)
        else {
            return nil
        }
        switch former {
        case .manyToMany(let join):
            return LinkChange.Source(
                table: join.table, owner: join.ownerColumn, member: join.memberColumn, memberOrder: join.memberOrder,
                ownerOrder: join.ownerOrder, isJoin: true)
        case .toMany(let key):
            return LinkChange.Source(
                table: key.table, owner: key.key, member: "Z_PK", memberOrder: key.order, ownerOrder: nil, isJoin: false
            )
        case .toOne(let toOne):
            return LinkChange.Source(
                table: storage.table, owner: "Z_PK", member: toOne.key, memberOrder: nil, ownerOrder: toOne.order,
                isJoin: false)
        case .none, .attribute, .composite: return nil
        }
    }

    /// The old objects that become objects of an entity or its descendants; nil if there were none.
    /// Entity numbers are given only if the table also has other objects.
    private func side(_ entityIndex: Int) -> LinkChange.Side? {
        let former = plan.destination.entities[entityIndex].family.filter { new[$0] != nil }.compactMap {
            formerStorage(of: $0)
        }
        guard let table = former.first?.table else { return nil }
        let numbers = Set(former.map(\.number))
        let all = Set(old.storedEntities.filter { $0.table == table }.map(\.number))
        return LinkChange.Side(table: table, numbers: numbers == all ? nil : numbers.sorted())
    }
}
