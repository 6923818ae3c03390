import Schema
import Storage

/// Columns that name other objects.
extension MigrationBuilder {
    /// Where the old store kept which object a row refers to, in the row itself.
    struct Reference: Hashable {
        let key: String
        let entity: String?
        let order: String?
        /// The entity in the old version to whose objects, or those of its descendants, it leads.
        let destinationIndex: Int
        /// The columns that have to be made first; nil for those that are there.
        var made: ColumnOfJoin?
    }

    /// What a to-one relationship comes from: its own column, or that of what was its other end's.
    func reference(of property: PropertyDescription, entityIndex: Int) throws -> Reference? {
        if let (_, storage) = formerStorage(entityIndex: entityIndex, propertyIndex: property.index) {
            if case .manyToMany(let join) = storage {
                return formerStorage(of: entityIndex).flatMap { reference(in: join, from: $0) }
            }
            guard case .toOne(let toOne) = storage else { return nil }
            return Reference(
                key: toOne.key, entity: toOne.entity, order: toOne.order, destinationIndex: toOne.destinationIndex)
        }
        guard let inverse = plan.destination.inverse(of: property) else { return nil }
        return try reference(fromOwnersOf: inverse, memberIndex: entityIndex)
    }

    /// To-many relationships without an inverse that have members of an entity: their columns stand
    /// in the members' table.
    func keysWithoutInverse(of memberIndex: Int) throws -> [(ToManyKey, Reference?)] {
        var result: [(ToManyKey, Reference?)] = []
        for storage in new.storedEntities {
            let entity = plan.destination.entities[storage.entityIndex]
            for property in entity.properties where property.declaringEntityIndex == storage.entityIndex {
                guard case .toMany(let key) = storage.properties[property.index], key.inverseIndex == nil,
                    plan.destination.entities[key.destinationIndex].family.contains(memberIndex)
                else { continue }
                result.append((key, try reference(fromOwnersOf: property, memberIndex: memberIndex)))
            }
        }
        return result
    }

    /// The column in members' rows that named the owner of a to-many (or one-to-one) relationship.
    private func reference(fromOwnersOf property: PropertyDescription, memberIndex: Int) throws -> Reference? {
        guard let member = formerStorage(of: memberIndex) else { return nil }
        var found: Set<Reference> = []
        for owner in plan.destination.entities[property.declaringEntityIndex].family {
            guard let (former, storage) = formerStorage(entityIndex: owner, propertyIndex: property.index) else {
                continue
            }
            switch storage {
            case .toMany(let key) where key.table == member.table:
                found.insert(
                    Reference(
                        key: key.key, entity: key.entity, order: key.order,
                        destinationIndex: former.declaringEntityIndex))
            case .manyToMany(let join):
                if let reference = reference(
                    in: join.reversed(destinationIndex: former.declaringEntityIndex), from: member)
                {
                    found.insert(reference)
                }
            case .toOne:
                guard let inverse = plan.source.inverse(of: former),
                    plan.source.entities[inverse.declaringEntityIndex].family.contains(member.entityIndex),
                    case .toOne(let toOne) = member.properties[inverse.index]
                else { continue }
                found.insert(
                    Reference(
                        key: toOne.key, entity: toOne.entity, order: toOne.order,
                        destinationIndex: toOne.destinationIndex))
            default: continue
            }
        }
        if found.count > 1 {
            let name = plan.destination.entities[property.declaringEntityIndex].name
            throw StorageError(
                .unsupported, "\(name).\(property.name) comes from several relationships that are kept apart",
                entities: [name])
        }
        return found.first
    }

    /// What a join table, seen from the rows of an entity, says of the one object that each of them
    /// has.
    private func reference(in join: JoinTable, from storage: EntityStorage) -> Reference? {
        guard
            let target = old[join.destinationIndex]
                ?? plan.source.entities[join.destinationIndex].family.lazy.compactMap({ old[$0] }).first
        else { return nil }
        let made = ColumnOfJoin(table: storage.table, join: join, targetTable: target.table)
        return Reference(
            key: made.key, entity: made.entity, order: join.ownerOrder == nil ? nil : made.order,
            destinationIndex: join.destinationIndex, made: made)
    }

    /// The columns of join tables that to-one relationships of the new version come from, in the
    /// order of their tables.
    func columnsOfJoins() throws -> [ColumnOfJoin] {
        var found: Set<ColumnOfJoin> = []
        for storage in new.storedEntities {
            for property in plan.destination.entities[storage.entityIndex].properties {
                guard case .toOne = storage.properties[property.index],
                    plan.counterpartIndex(entityIndex: storage.entityIndex, propertyIndex: property.index) == nil,
                    let made = try reference(of: property, entityIndex: storage.entityIndex)?.made
                else { continue }
                found.insert(made)
            }
        }
        return found.sorted { ($0.table, $0.key) < ($1.table, $1.key) }
    }

    /// - Parameter destination: What the relationship leads to in the new version; nil where any
    ///   owner will do.
    func add(
        _ reference: Reference?, key: String, entity: String?, order: String?, destination: Int?,
        to rows: inout TableChange.Rows
    ) {
        rows.cells[SQLName.key(key)] = .null
        if let entity { rows.cells[SQLName.key(entity)] = .null }
        if let order { rows.cells[SQLName.key(order)] = .null }
        guard let reference else { return }
        let images = images(of: reference, destination)
        let kept = images.filter { $0.new != nil }
        guard !kept.isEmpty else { return }
        let (formerKey, formerEntity) = (SQLName.quoted(reference.key), reference.entity.map(SQLName.quoted))
        let isWhole = kept.count == images.count
        let list = kept.map { String($0.old) }.joined(separator: ", ")
        let survives = isWhole ? nil : formerEntity.map { "\($0) IN (\(list))" }
        func surviving(_ column: String) -> CellOrigin {
            survives.map { .computed("CASE WHEN \($0) THEN \(SQLName.quoted(column)) END") } ?? .column(column)
        }
        rows.cells[SQLName.key(key)] = surviving(reference.key)
        if let order, let former = reference.order { rows.cells[SQLName.key(order)] = surviving(former) }
        guard let entity else { return }
        if let formerEntity, let name = reference.entity {
            let isSame = isWhole && images.allSatisfy { $0.old == $0.new }
            let branches = kept.compactMap { image in image.new.map { "WHEN \(image.old) THEN \($0)" } }.joined(
                separator: " ")
            rows.cells[SQLName.key(entity)] = isSame ? .column(name) : .computed("CASE \(formerEntity) \(branches) END")
        } else if let number = kept.first(where: { $0.old == old[reference.destinationIndex]?.number })?.new
            ?? kept.first?.new
        {
            rows.cells[SQLName.key(entity)] = .computed("CASE WHEN \(formerKey) IS NOT NULL THEN \(number) END")
        }
    }

    /// The halves of an object that is split keep its number, each in its own table.
    func addCounterpart(_ entityIndex: Int, _ toOne: ToOneColumns, to rows: inout TableChange.Rows) {
        guard let number = new[entityIndex]?.number else { return }
        rows.cells[SQLName.key(toOne.key)] = .computed("Z_PK")
        if let entity = toOne.entity { rows.cells[SQLName.key(entity)] = .literal(String(number)) }
        if let order = toOne.order { rows.cells[SQLName.key(order)] = .null }
    }

    /// What the entities that a reference may lead to have become, by their numbers; nil for those
    /// that are gone.
    private func images(of reference: Reference, _ destination: Int?) -> [(old: Int64, new: Int64?)] {
        // Without a column for it, rows lead to objects of the one entity only.
        let family =
            reference.entity == nil
            ? reference.destinationIndex..<(reference.destinationIndex + 1)
            : plan.source.entities[reference.destinationIndex].family
        return family.compactMap { index in
            guard let number = old[index]?.number else { return nil }
            guard let image = plan.destinationIndices[index], let storage = new[image] else { return (number, nil) }
            if let destination, !plan.destination.entities[destination].family.contains(image) { return (number, nil) }
            return (number, storage.number)
        }
    }
}
