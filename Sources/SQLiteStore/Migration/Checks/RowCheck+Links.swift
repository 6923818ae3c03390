import Schema
import SQLiteKit
import Storage

/// Relationships: links that the new version can't hold, and rules for their number.
extension RowCheck {
    func linkViolations(_ property: PropertyDescription, of entity: EntityDescription) throws -> [Violation] {
        guard let relationship = property.relationship else { return [] }
        let links = builder.oldLinks(of: property)
        var found = try destinationViolations(property, entity)
        if !relationship.isToMany {
            found += try severalMembers(property, entity, links)
        } else if plan.destination.inverse(of: property) == nil {
            found += try severalOwners(property, entity, links)
        }
        // What has too many links already is not counted again.
        if checksRules, found.isEmpty { found += try ruleViolations(property, entity, links) }
        return found
    }

    // MARK: Links

    /// All pairs whose objects both remain, as a query with the columns `o` and `m`.
    private func pairs(_ links: [OldLinks], _ property: PropertyDescription) -> String {
        let owners = plan.destination.entities[property.declaringEntityIndex].family,
            members = plan.destination.entities[property.destinationIndex].family
        func remaining(_ column: String, _ table: String, _ family: Range<Int>) -> String? {
            let all = builder.old.storedEntities.filter { $0.table == table }
            let kept = all.filter { plan.destinationIndices[$0.entityIndex].map(family.contains) ?? false }
            guard kept.count < all.count else { return nil }
            let list = kept.map { String($0.number) }.joined(separator: ", ")
            return "\(column) IN (SELECT Z_PK FROM \(SQLName.quoted(table)) WHERE Z_ENT IN (\(list)))"
        }
        let queries = links.map { link in
            let conditions = [remaining("o", link.ownerTable, owners), remaining("m", link.memberTable, members)]
                .compactMap { $0 }
            return conditions.isEmpty
                ? link.query : "SELECT o, m FROM (\(link.query)) WHERE \(conditions.joined(separator: " AND "))"
        }
        return queries.isEmpty ? "SELECT NULL AS o, NULL AS m WHERE false" : queries.joined(separator: " UNION ALL ")
    }

    /// Links to objects that remain, and are not of the destination of the new version.
    private func destinationViolations(_ property: PropertyDescription, _ entity: EntityDescription) throws
        -> [Violation]
    {
        let expected = plan.destination.entities[property.destinationIndex]
        return try builder.ownLinks(of: property).compactMap { link -> Violation? in
            let strangers = builder.old.storedEntities.filter { storage in
                storage.table == link.memberTable
                    && plan.destinationIndices[storage.entityIndex].map {
                        !plan.destination.entities[$0].isKind(of: expected)
                    } ?? false
            }
            guard !strangers.isEmpty else { return nil }
            let list = strangers.map { String($0.number) }.joined(separator: ", ")
            let row = try connection.rows(
                "SELECT count(*), o, m FROM (\(link.query)) JOIN \(SQLName.quoted(link.memberTable)) AS t ON t.Z_PK = m WHERE t.Z_ENT IN (\(list)) ORDER BY o"
            ).first
            guard let row, let count = row[0].integer, count > 0, let owner = row[1].integer,
                let member = row[2].integer
            else { return nil }
            return Violation(
                entity: entity.name,
                message:
                    "\(entity.name).\(property.name) leads to objects of \(expected.name) in the new version, but \(name(owner, in: link.ownerTable)) is linked to \(name(member, in: link.memberTable))"
                    + (count == 1 ? "" : " (\(count) such links)"))
        }
    }

    /// Owners of a to-one relationship that have several members.
    private func severalMembers(_ property: PropertyDescription, _ entity: EntityDescription, _ links: [OldLinks])
        throws -> [Violation]
    {
        guard let first = links.first, links.count > 1 || !first.ownerIsSingle || first.isMirrored,
            let group = try crowded(pairs(links, property), by: "o", of: "m")
        else { return [] }
        let formerly = former.property(property, of: entity) == nil ? "is" : "becomes"
        return [
            Violation(
                entity: entity.name,
                message:
                    "\(entity.name).\(property.name) \(formerly) to-one, but \(Self.objects(group.count)) several objects, such as \(name(group.key, in: first.ownerTable)) with \(name(group.least, in: first.memberTable)) and \(name(group.greatest, in: first.memberTable)): nothing says which remains"
            )
        ]
    }

    /// Members of a to-many relationship without an inverse that have several owners.
    private func severalOwners(_ property: PropertyDescription, _ entity: EntityDescription, _ links: [OldLinks])
        throws -> [Violation]
    {
        guard let first = links.first, links.count > 1 || !first.memberIsSingle,
            let group = try crowded(pairs(links, property), by: "m", of: "o")
        else { return [] }
        return [
            Violation(
                entity: entity.name,
                message:
                    "\(entity.name).\(property.name) is to-many without an inverse, so that each of its objects has one owner, but \(Self.objects(group.count)) several, such as \(name(group.key, in: first.memberTable)) with \(name(group.least, in: first.ownerTable)) and \(name(group.greatest, in: first.ownerTable))"
            )
        ]
    }

    /// The number of the objects in one column that occur with several in the other, and the first.
    private func crowded(_ pairs: String, by key: String, of other: String) throws -> (
        count: Int64, key: Int64, least: Int64, greatest: Int64
    )? {
        let row = try connection.rows(
            "SELECT count(*) OVER (), \(key), min(\(other)), max(\(other)) FROM (\(pairs)) GROUP BY \(key) HAVING min(\(other)) <> max(\(other)) ORDER BY \(key) LIMIT 1"
        ).first
        guard let row, let count = row[0].integer, let key = row[1].integer, let least = row[2].integer,
            let greatest = row[3].integer
        else { return nil }
        return (count, key, least, greatest)
    }

    // MARK: Rules

    private func ruleViolations(_ property: PropertyDescription, _ entity: EntityDescription, _ links: [OldLinks])
        throws -> [Violation]
    {
        guard let relationship = property.relationship else { return [] }
        let family = entity.family.filter { index in
            plan.counterpartIndex(entityIndex: index, propertyIndex: property.index) == nil
        }
        return try family.flatMap { index -> [Violation] in
            let owner = plan.destination.entities[index]
            guard let storage = builder.formerStorage(of: index), !owner.isAbstract else { return [] }
            let old = former.property(property, of: owner)
            let loses = old.map(former.losesMembers) ?? false
            if !relationship.isToMany {
                let wasMandatory = old?.relationship.map({ !$0.isOptional && !$0.isToMany }) ?? false
                guard !relationship.isOptional, loses || !wasMandatory else { return [] }
                return try violations(
                    owner, storage, "t.Z_PK NOT IN (SELECT o FROM (\(pairs(links, property))))",
                    "\(owner.name).\(property.name) is required")
            }
            let counts = pairs(links, property)
            return try Self.bounds(relationship, formerly: old?.relationship, loses).flatMap { condition, text in
                try violations(
                    owner, storage,
                    "ifnull((SELECT c.n FROM counts AS c WHERE c.o = t.Z_PK), 0) \(condition)",
                    "\(owner.name).\(property.name) \(text)",
                    with: "counts AS MATERIALIZED (SELECT o, count(DISTINCT m) AS n FROM (\(counts)) GROUP BY o)")
            }
        }
    }

    /// The bounds of the number of members that are stricter than before, as conditions that break
    /// them. An optional relationship may be empty.
    private static func bounds(
        _ relationship: RelationshipDescription, formerly old: RelationshipDescription?, _ loses: Bool
    ) -> [(String, String)] {
        let fewest = relationship.minCount, most = relationship.maxCount
        // The number of the members that the old version allowed.
        let former: (least: Int, most: Int, isOptional: Bool) =
            old.map { old in
                old.isToMany
                    ? (old.minCount, old.maxCount > 0 ? old.maxCount : .max, old.isOptional)
                    : (old.isOptional ? 0 : 1, 1, old.isOptional)
            } ?? (0, .max, true)
        var bounds: [(String, String)] = []
        if fewest > 0, loses || fewest > former.least || !relationship.isOptional && former.isOptional {
            bounds.append(
                (relationship.isOptional ? "BETWEEN 1 AND \(fewest - 1)" : "< \(fewest)", "needs \(fewest) objects"))
        }
        if most > 0, most < former.most { bounds.append(("> \(most)", "can have \(most) objects")) }
        return bounds
    }

    private func violations(
        _ entity: EntityDescription, _ storage: EntityStorage, _ condition: String, _ text: String, with: String? = nil
    ) throws -> [Violation] {
        let row = try connection.rows(
            "\(with.map { "WITH \($0) " } ?? "")SELECT count(*), min(t.Z_PK) FROM \(SQLName.quoted(storage.table)) AS t WHERE \(storage.sharesTable ? "t.Z_ENT = \(storage.number) AND " : "")\(condition)"
        ).first
        guard let row, let count = row[0].integer, count > 0, let key = row[1].integer else { return [] }
        return [Violation(entity: entity.name, message: text + example(count, key, in: storage.table))]
    }
}
