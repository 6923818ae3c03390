import Schema

/// Lays out relationships without a column in their own entity's table.
extension LayoutBuilder {
    mutating func placeToManys(of entity: EntityDescription) {
        let own = ownProperties(of: entity).filter { !$0.isTransient && $0.isToMany }.sorted { $0.name < $1.name }
        for property in own where placed[entity.index][property.index] == nil {
            guard numbers[property.destinationIndex] != nil else {
                if tableless.contains(property.destinationIndex) { markMissing(property, of: entity) }
                continue
            }
            guard let inverse = model.inverse(of: property) else {
                placed[entity.index][property.index] = keyWithoutInverse(of: property, in: entity)
                continue
            }
            if inverse.isToMany { continue }
            if case .toOne(let columns) = placed[inverse.declaringEntityIndex][inverse.index] ?? .none,
                let table = tableNames[model.entities[property.destinationIndex].rootIndex]
            {
                placed[entity.index][property.index] = .toMany(
                    ToManyKey(
                        table: table, key: columns.key, entity: columns.entity, order: columns.order,
                        destinationIndex: property.destinationIndex,
                        inverseIndex: inverse.index))
            } else {
                markMissing(property, of: entity)
            }
        }
    }

    /// A relationship without an inverse has its own column in the members' table.
    private mutating func keyWithoutInverse(of property: PropertyDescription, in entity: EntityDescription)
        -> PropertyStorage
    {
        let destination = model.entities[property.destinationIndex]
        guard let number = numbers[entity.index], let table = tableNames[destination.rootIndex] else { return .none }
        let name = "\(number)\(property.name)"
        guard let key = column([name, "_" + name], in: destination) else {
            noteMissing(
                "the column \(table).Z\(name.uppercased()) of \(entity.name).\(property.name) is missing", property,
                of: entity)
            return .none
        }
        let order =
            property.relationship?.isOrdered == true ? companion("Z_FOK_" + key.dropFirst(), in: destination) : nil
        return .toMany(
            ToManyKey(
                table: table, key: key, entity: nil, order: order, destinationIndex: destination.index,
                inverseIndex: nil))
    }
}
