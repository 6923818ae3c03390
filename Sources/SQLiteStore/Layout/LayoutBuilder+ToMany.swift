import Schema
import Storage

/// Lays out relationships without a column in their own entity's table.
extension LayoutBuilder {
    mutating func placeToManys(of entity: EntityDescription) throws(StorageError) {
        let own = ownProperties(of: entity).filter { !$0.isTransient && $0.isToMany }.sorted { $0.name < $1.name }
        for property in own
        where placed[entity.index][property.index] == nil && numbers[property.destinationIndex] != nil {
            guard let inverse = model.inverse(of: property) else {
                placed[entity.index][property.index] = try keyWithoutInverse(of: property, in: entity)
                continue
            }
            if inverse.isToMany {
                try placeJoinTable(of: property, inverse: inverse, in: entity)
            } else if case .toOne(let columns) = placed[inverse.declaringEntityIndex][inverse.index] ?? .none,
                let table = tableNames[model.entities[property.destinationIndex].rootIndex]
            {
                placed[entity.index][property.index] = .toMany(
                    ToManyKey(
                        table: table, key: columns.key, entity: columns.entity, order: columns.order,
                        destinationIndex: property.destinationIndex,
                        inverseIndex: inverse.index))
            }
        }
    }

    /// A relationship without an inverse has its own column in the members' table.
    private mutating func keyWithoutInverse(of property: PropertyDescription, in entity: EntityDescription)
        throws(StorageError)
        -> PropertyStorage
    {
        let destination = model.entities[property.destinationIndex]
        guard let number = numbers[entity.index], let table = tableNames[destination.rootIndex] else { return .none }
        let name = "\(number)\(property.name)"
        guard let key = try? column([name, "_" + name], in: destination, property: property.name) else {
            throw StorageError(
                .unsupported,
                "The store keeps \(entity.name).\(property.name), which has no inverse, in a way that is not known",
                entities: [entity.name])
        }
        let order =
            property.relationship?.isOrdered == true ? companion("Z_FOK_" + key.dropFirst(), in: destination) : nil
        return .toMany(
            ToManyKey(
                table: table, key: key, entity: nil, order: order, destinationIndex: destination.index,
                inverseIndex: nil))
    }

    // MARK: Join tables

    private mutating func placeJoinTable(
        of property: PropertyDescription, inverse: PropertyDescription, in entity: EntityDescription
    )
        throws(StorageError)
    {
        let other = model.entities[inverse.declaringEntityIndex]
        guard let number = numbers[entity.index], let otherNumber = numbers[other.index] else { return }
        let isReflexive = inverse.declaringEntityIndex == entity.index && inverse.index == property.index
        let ownerBase = joinColumn(of: property, in: entity, number: number)
        let memberBase = isReflexive ? "REFLEXIVE" : joinColumn(of: inverse, in: other, number: otherNumber)

        // The entity with the smaller number names the table. Within one entity it is usually the
        // last relationship by name.
        let mine = "Z_\(number)\(property.name.uppercased())", theirs = "Z_\(otherNumber)\(inverse.name.uppercased())"
        let minesFirst = number != otherNumber ? number < otherNumber : property.name > inverse.name
        let candidates =
            number == otherNumber ? (minesFirst ? [mine, theirs] : [theirs, mine]) : [minesFirst ? mine : theirs]

        var join = JoinTable(
            table: candidates[0], ownerColumn: ownerBase, memberColumn: memberBase, isReflexive: isReflexive,
            destinationIndex: property.destinationIndex)
        if let catalog {
            guard let found = find(candidates, join, in: catalog) else {
                throw StorageError(
                    .damaged, "The store has no join table \(candidates[0]) for \(entity.name).\(property.name)",
                    entities: [entity.name, other.name])
            }
            join = found
        }
        let table = catalog?.table(join.table)
        if property.relationship?.isOrdered == true { join.memberOrder = orderColumn(of: join.memberColumn, in: table) }
        if inverse.relationship?.isOrdered == true, !isReflexive {
            join.ownerOrder = orderColumn(of: join.ownerColumn, in: table)
        }
        placed[entity.index][property.index] = .manyToMany(join)
        if !isReflexive {
            placed[other.index][inverse.index] = .manyToMany(join.reversed(destinationIndex: inverse.destinationIndex))
        }
    }

    private func orderColumn(of column: String, in table: StoreCatalog.Table?) -> String? {
        let name = column.hasPrefix("Z_") ? "Z_FOK_" + column.dropFirst(2) : "Z_FOK_" + column
        return table == nil ? name : table?.column(name)
    }

    /// The join table column with the key of `entity`'s objects for one of its relationships. It is
    /// named after the inverse. A suffix is added if another many-to-many relationship of the
    /// entity, earlier by name, has an inverse of the same name.
    private func joinColumn(of property: PropertyDescription, in entity: EntityDescription, number: Int64) -> String {
        let inverseName = model.inverse(of: property)?.name ?? property.name
        let earlier = ownProperties(of: entity).filter { other in
            guard other.isToMany, !other.isTransient, other.name < property.name,
                let inverse = model.inverse(of: other), inverse.isToMany
            else { return false }
            return inverse.name.uppercased() == inverseName.uppercased()
        }
        return "Z_\(number)\(inverseName.uppercased())" + (earlier.isEmpty ? "" : String(earlier.count))
    }

    /// The join table in the file: found by its name, or else the only table with both columns.
    private func find(_ candidates: [String], _ expected: JoinTable, in catalog: StoreCatalog) -> JoinTable? {
        func match(_ table: StoreCatalog.Table, exactly: Bool) -> JoinTable? {
            guard let owner = column(expected.ownerColumn, in: table, exactly: exactly, besides: nil),
                let member = column(expected.memberColumn, in: table, exactly: exactly, besides: owner)
            else { return nil }
            var join = expected
            (join.table, join.ownerColumn, join.memberColumn) = (table.name, owner, member)
            return join
        }
        let named = candidates.compactMap { catalog.table($0) }
        for exactly in [true, false] {
            if let join = named.lazy.compactMap({ match($0, exactly: exactly) }).first { return join }
        }
        let others = catalog.tables.compactMap { match($0, exactly: true) }
        return others.count == 1 ? others[0] : nil
    }

    /// A column with the given name, or with that name and another suffix than the model suggests.
    private func column(_ name: String, in table: StoreCatalog.Table, exactly: Bool, besides taken: String?) -> String?
    {
        if let column = table.column(name), column != taken { return column }
        guard !exactly else { return nil }
        let base = SQLName.key(name)
        return table.columns.first { column in
            let key = SQLName.key(column)
            return column != taken && key.hasPrefix(base) && key.dropFirst(base.count).allSatisfy(\.isNumber)
        }
    }
}
