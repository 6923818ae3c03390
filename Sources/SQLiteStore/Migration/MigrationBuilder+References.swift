import Schema
import Storage

/// Columns that refer to other objects.
extension MigrationBuilder {
    /// The columns by which rows of the old store refer to an object.
    struct Reference: Hashable {
        let key: String
        let entity: String?
        let order: String?
        /// The old entity that is the destination, including its descendants.
        let destinationIndex: Int
        /// The temporary columns to create first; nil if the columns exist.
        var made: ColumnOfJoin?
    }

    /// The origin of a to-one relationship: its own column, or the column of its former inverse.
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

    /// The to-many relationships without an inverse whose members can be of an entity. Their
    /// columns are in the members' table.
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

    /// The column in the members' rows that named the owner of a to-many or one-to-one
    /// relationship.
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

    /// The reference from each row of an entity to the one object that a join table pairs with it.
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

    /// The temporary columns that to-one relationships of the new version are migrated from,
    /// ordered by table.
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

    /// - Parameter destination: the destination entity in the new version; nil accepts any owner.
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
        } else if isOfSeveralEntities(reference) {
            // The script reads the numbers from the destinations' rows.
        } else if let number = kept.first(where: { $0.old == old[reference.destinationIndex]?.number })?.new
            ?? kept.first?.new
        {
            rows.cells[SQLName.key(entity)] = .computed("CASE WHEN \(formerKey) IS NOT NULL THEN \(number) END")
        }
    }

    /// Whether the rows can refer to objects of several entities, and the table lacks the column
    /// that says of which.
    private func isOfSeveralEntities(_ reference: Reference) -> Bool {
        reference.entity == nil && plan.source.entities[reference.destinationIndex].family.count > 1
    }

    /// The two halves of a split object keep its primary key, each in its own table.
    func addCounterpart(_ entityIndex: Int, _ toOne: ToOneColumns, to rows: inout TableChange.Rows) {
        guard let number = new[entityIndex]?.number else { return }
        rows.cells[SQLName.key(toOne.key)] = .computed("Z_PK")
        if let entity = toOne.entity { rows.cells[SQLName.key(entity)] = .literal(String(number)) }
        if let order = toOne.order { rows.cells[SQLName.key(order)] = .null }
    }

    /// The new numbers of the entities that a reference can have, by their old numbers; nil for
    /// removed entities.
    private func images(of reference: Reference, _ destination: Int?) -> [(old: Int64, new: Int64?)] {
        // Without an entity column, the rows refer to objects of one entity only, unless the table
        // lacks the column.
        let family =
            reference.entity == nil && !isOfSeveralEntities(reference)
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
