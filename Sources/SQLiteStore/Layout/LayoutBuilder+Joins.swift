import Schema

/// Lays out many-to-many relationships.
extension LayoutBuilder {
    /// A many-to-many relationship with its inverse.
    private struct Join {
        let entity: EntityDescription
        let property: PropertyDescription
        let inverse: PropertyDescription
        var pair: JoinTableFinder.Pair

        var isReflexive: Bool {
            inverse.declaringEntityIndex == entity.index && inverse.index == property.index
        }
    }

    /// Lays out all many-to-many relationships between stored entities.
    mutating func placeJoinTables() {
        let joins = self.joins
        guard let catalog else {
            place(joins)
            return
        }
        let finder = JoinTableFinder(catalog, besides: Set(tableNames.values.map(SQLName.key)))
        for (join, found) in zip(joins, finder.tables(of: joins.map(\.pair))) {
            if let found {
                place(join, found.table.name, found.owner, found.member, in: found.table)
            } else {
                let name = "\(join.entity.name).\(join.property.name)"
                noteMissing("the table \(join.pair.tables[0]) of \(name) is missing", join.property, of: join.entity)
                if !join.isReflexive {
                    markMissing(join.inverse, of: model.entities[join.inverse.declaringEntityIndex])
                }
            }
        }
    }

    private var joins: [Join] {
        var joins: [Join] = []
        var seen: Set<[Int]> = []
        for entity in model.entities where numbers[entity.index] != nil {
            for property in manyToManys(of: entity) {
                guard let inverse = model.inverse(of: property), !seen.contains([entity.index, property.index]) else {
                    continue
                }
                seen.insert([inverse.declaringEntityIndex, inverse.index])
                if let join = join(entity, property, inverse) { joins.append(join) }
            }
        }
        return joins
    }

    /// The stored many-to-many relationships that `entity` declares itself, by name.
    private func manyToManys(of entity: EntityDescription) -> [PropertyDescription] {
        ownProperties(of: entity).filter {
            !$0.isTransient && $0.isToMany && numbers[$0.destinationIndex] != nil
                && model.inverse(of: $0)?.isToMany == true
        }.sorted { $0.name < $1.name }
    }

    private func join(
        _ entity: EntityDescription, _ property: PropertyDescription, _ inverse: PropertyDescription
    ) -> Join? {
        let other = model.entities[inverse.declaringEntityIndex]
        guard let number = numbers[entity.index], let otherNumber = numbers[other.index] else { return nil }
        let isReflexive = other.index == entity.index && inverse.index == property.index
        func tables(_ number: Int64, _ property: PropertyDescription) -> [String] {
            Self.names(of: property).map { "Z_\(number)\($0)" }
        }
        // The entity with the smaller number names the table. Within one entity it is usually the
        // last relationship by name.
        let mine = tables(number, property), theirs = tables(otherNumber, inverse)
        let minesFirst = number != otherNumber ? number < otherNumber : property.name > inverse.name
        let first = minesFirst ? mine : theirs, second = minesFirst ? theirs : mine
        let names =
            number != otherNumber
            ? first : [first[0], second[0]] + first.dropFirst() + second.dropFirst()
        var owner = JoinTableFinder.End(
            number: number, names: Self.names(of: inverse), expected: column(of: property, in: entity, number))
        let member =
            isReflexive
            ? JoinTableFinder.End(
                number: number, names: [JoinTableFinder.reflexive], expected: JoinTableFinder.reflexive)
            : JoinTableFinder.End(
                number: otherNumber, names: Self.names(of: property),
                expected: column(of: inverse, in: other, otherNumber))
        owner.expected = Self.freeName(owner.expected) { $0 == SQLName.key(member.expected) }
        return Join(
            entity: entity, property: property, inverse: inverse,
            pair: JoinTableFinder.Pair(tables: names, owner: owner, member: member))
    }

    /// The current and the former name of a relationship, as tables and columns spell them.
    private static func names(of property: PropertyDescription) -> [String] {
        var names = [property.name.uppercased()]
        if let former = property.relationship?.renamingIdentifier?.uppercased(), !former.isEmpty, former != names[0] {
            names.append(former)
        }
        return names
    }

    /// The name of the column with the keys of `entity`'s objects in a new store: that of the
    /// inverse. Where relationships of an entity have inverses of one name, a number follows, in
    /// the order of the relationships' names.
    private func column(of property: PropertyDescription, in entity: EntityDescription, _ number: Int64) -> String {
        let inverseName = model.inverse(of: property)?.name ?? property.name
        let earlier = ownProperties(of: entity).count { other in
            guard other.isToMany, !other.isTransient, other.name < property.name,
                let inverse = model.inverse(of: other), inverse.isToMany
            else { return false }
            return inverse.name.uppercased() == inverseName.uppercased()
        }
        return "Z_\(number)\(inverseName.uppercased())" + (earlier == 0 ? "" : String(earlier))
    }

    /// Names the tables and columns of a new store.
    private mutating func place(_ joins: [Join]) {
        var taken = Set(tableNames.values.map(SQLName.key))
        for join in joins {
            let table = Self.freeName(join.pair.tables[0]) { taken.contains($0) }
            taken.insert(SQLName.key(table))
            place(join, table, join.pair.owner.expected, join.pair.member.expected, in: nil)
        }
    }

    /// The name itself, or else with the first number that makes it a free one.
    static func freeName(_ name: String, isTaken: (String) -> Bool) -> String {
        var free = name, number = 0
        while isTaken(SQLName.key(free)) {
            number += 1
            free = name + String(number)
        }
        return free
    }

    private mutating func place(
        _ join: Join, _ table: String, _ owner: String, _ member: String, in stored: StoreCatalog.Table?
    ) {
        func order(_ column: String, _ end: JoinTableFinder.End, besides other: String) -> String? {
            guard let stored else { return JoinTableFinder.orderName(of: column) }
            return JoinTableFinder.order(of: column, in: stored, end, besides: other)
        }
        var result = JoinTable(
            table: table, ownerColumn: owner, memberColumn: member, isReflexive: join.isReflexive,
            destinationIndex: join.property.destinationIndex)
        if join.property.relationship?.isOrdered == true {
            result.memberOrder = order(member, join.pair.member, besides: owner)
        }
        if join.inverse.relationship?.isOrdered == true, !join.isReflexive {
            result.ownerOrder = order(owner, join.pair.owner, besides: member)
        }
        placed[join.entity.index][join.property.index] = .manyToMany(result)
        if !join.isReflexive {
            placed[join.inverse.declaringEntityIndex][join.inverse.index] = .manyToMany(
                result.reversed(destinationIndex: join.inverse.destinationIndex))
        }
    }
}
