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

    /// The origins of a to-one relationship: its own column, and the columns or links of the
    /// relationships that become its inverse.
    func references(of property: PropertyDescription, entityIndex: Int) -> [Reference] {
        guard let storage = formerStorage(of: entityIndex) else { return [] }
        return references(oldLinks(of: property), of: property, in: storage)
    }

    /// The to-many relationships without an inverse whose members can be of an entity. Their
    /// columns are in the members' table.
    func keysWithoutInverse(of memberIndex: Int) -> [(ToManyKey, [Reference])] {
        guard let member = formerStorage(of: memberIndex) else { return [] }
        var result: [(ToManyKey, [Reference])] = []
        for storage in new.storedEntities {
            let entity = plan.destination.entities[storage.entityIndex]
            for property in entity.properties where property.declaringEntityIndex == storage.entityIndex {
                guard case .toMany(let key) = storage.properties[property.index], key.inverseIndex == nil,
                    plan.destination.entities[key.destinationIndex].family.contains(memberIndex)
                else { continue }
                result.append((key, references(oldLinks(of: property).map(\.reversed), of: nil, in: member)))
            }
        }
        return result
    }

    /// - Parameter property: The to-one relationship that gets the references; nil for the column
    ///   of a to-many relationship without an inverse.
    private func references(_ links: [OldLinks], of property: PropertyDescription?, in storage: EntityStorage)
        -> [Reference]
    {
        var found: [Reference] = []
        for link in links where link.ownerTable == storage.table {
            // The rows of other entities contain these links.
            if link.table == storage.table, link.owner == "Z_PK", link.numbers?.contains(storage.number) == false {
                continue
            }
            let reference = columns(of: link, in: storage) ?? made(link, in: storage)
            if let reference, !found.contains(reference) { found.append(reference) }
        }
        return found
    }

    /// The columns of the row itself that contain a link.
    private func columns(of link: OldLinks, in storage: EntityStorage) -> Reference? {
        if link.table == storage.table, link.owner == "Z_PK" {
            for property in plan.source.entities[storage.entityIndex].properties {
                guard case .toOne(let toOne) = storage.properties[property.index], toOne.key == link.member else {
                    continue
                }
                return Reference(
                    key: toOne.key, entity: toOne.entity, order: toOne.order, destinationIndex: toOne.destinationIndex)
            }
            for other in old.storedEntities {
                for property in plan.source.entities[other.entityIndex].properties {
                    guard case .toMany(let key) = other.properties[property.index], key.table == storage.table,
                        key.key == link.member
                    else { continue }
                    return Reference(
                        key: key.key, entity: key.entity, order: key.order,
                        destinationIndex: property.declaringEntityIndex)
                }
            }
            return nil
        }
        // Both ends of a one-to-one relationship have a column.
        guard link.ownerIsSingle, link.memberIsSingle else { return nil }
        let ends = plan.source.entities[storage.entityIndex].properties.compactMap { property -> ToOneColumns? in
            guard property.relationship != nil, OldLinks.Relation(property, in: plan.source) == link.relation,
                case .toOne(let toOne) = storage.properties[property.index]
            else { return nil }
            return toOne
        }
        let end = ends.first { link.table != storage.table || $0.key != link.owner } ?? ends.first
        return end.map {
            Reference(key: $0.key, entity: $0.entity, order: $0.order, destinationIndex: $0.destinationIndex)
        }
    }

    /// The reference from each row of an entity to the one object that links pair with it.
    private func made(_ link: OldLinks, in storage: EntityStorage) -> Reference? {
        let relation = plan.source.entities[link.relation.entityIndex].properties[link.relation.propertyIndex]
        let ends = [relation, plan.source.inverse(of: relation)].compactMap { $0 }
        // The entity of the objects that are referred to: the other end's, as a whole.
        let targets = ends.flatMap { [$0.destinationIndex, $0.declaringEntityIndex] }.filter { index in
            plan.source.entities[index].family.contains { old[$0]?.table == link.memberTable }
        }
        guard
            let target = targets.min(by: {
                plan.source.entities[$0].family.count > plan.source.entities[$1].family.count
            })
        else { return nil }
        let made = ColumnOfJoin(table: storage.table, links: link, orderColumn: orderColumn(of: link))
        return Reference(
            key: made.key, entity: made.entity, order: made.orderColumn == nil ? nil : made.order,
            destinationIndex: target, made: made)
    }

    /// The column of the owner's position among the members of its object.
    private func orderColumn(of link: OldLinks) -> String? {
        for storage in old.storedEntities {
            for property in storage.properties {
                guard case .manyToMany(let join) = property, join.table == link.table else { continue }
                if join.ownerColumn == link.owner { return join.ownerOrder }
                if join.memberColumn == link.owner { return join.memberOrder }
            }
        }
        return nil
    }

    /// The temporary columns that to-one relationships of the new version are migrated from,
    /// ordered by table.
    func columnsOfJoins() -> [ColumnOfJoin] {
        var found: Set<ColumnOfJoin> = []
        for storage in new.storedEntities {
            for property in plan.destination.entities[storage.entityIndex].properties {
                guard case .toOne = storage.properties[property.index],
                    plan.counterpartIndex(entityIndex: storage.entityIndex, propertyIndex: property.index) == nil
                else { continue }
                found.formUnion(references(of: property, entityIndex: storage.entityIndex).compactMap(\.made))
            }
            found.formUnion(keysWithoutInverse(of: storage.entityIndex).flatMap { $0.1.compactMap(\.made) })
        }
        return found.sorted { ($0.table, $0.key) < ($1.table, $1.key) }
    }

    /// Adds the cells of a reference, or of several of which each row has one at most.
    func add(
        _ references: [Reference], key: String, entity: String?, order: String?, destination: Int?,
        to rows: inout TableChange.Rows
    ) {
        guard references.count > 1 else {
            return add(references.first, key: key, entity: entity, order: order, destination: destination, to: &rows)
        }
        let each = references.map { reference in
            var cells = TableChange.Rows(
                sourceNumber: rows.sourceNumber, number: rows.number, cells: [:], formerColumns: rows.formerColumns)
            add(reference, key: key, entity: entity, order: nil, destination: destination, to: &cells)
            return cells.cells
        }
        func expression(_ cells: [String: CellOrigin], _ column: String) -> String {
            (cells[SQLName.key(column)] ?? .null).expression
        }
        rows.cells[SQLName.key(key)] = .computed(
            "coalesce(\(each.map { expression($0, key) }.joined(separator: ", ")))")
        if let order { rows.cells[SQLName.key(order)] = .null }
        guard let entity else { return }
        let branches = each.map { "WHEN \(expression($0, key)) IS NOT NULL THEN \(expression($0, entity))" }
        rows.cells[SQLName.key(entity)] = .computed("CASE \(branches.joined(separator: " ")) END")
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
