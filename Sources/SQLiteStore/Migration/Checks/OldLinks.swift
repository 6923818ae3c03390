import Schema
import Storage

/// Links of the old store that become links of a relationship of the new version: pairs of an
/// owner's and a member's primary key in one table.
struct OldLinks: Hashable {
    /// A relationship of the old version together with its inverse.
    struct Relation: Hashable {
        let entityIndex: Int
        let propertyIndex: Int

        init(_ property: PropertyDescription, in model: ManagedObjectModel) {
            let ends = [property, model.inverse(of: property)].compactMap { $0 }.map {
                ($0.declaringEntityIndex, $0.index)
            }
            (entityIndex, propertyIndex) = ends.min { $0 < $1 } ?? (property.declaringEntityIndex, property.index)
        }
    }

    let relation: Relation
    let table: String
    let owner: String
    let member: String
    let ownerTable: String
    let memberTable: String
    /// The numbers of the entities whose rows contain the links; nil for all rows.
    var numbers: Set<Int64>?
    /// Whether an owner occurs in one pair only.
    let ownerIsSingle: Bool
    /// Whether a member occurs in one pair only.
    let memberIsSingle: Bool
    /// Whether each pair also stands for the pair with its sides swapped.
    let isMirrored: Bool

    /// The same links as seen from the inverse.
    var reversed: OldLinks {
        OldLinks(
            relation: relation, table: table, owner: member, member: owner, ownerTable: memberTable,
            memberTable: ownerTable, numbers: numbers, ownerIsSingle: memberIsSingle, memberIsSingle: ownerIsSingle,
            isMirrored: isMirrored)
    }

    /// The condition that selects the rows that contain links.
    func condition(_ alias: String) -> String {
        "\(alias).\(SQLName.quoted(owner)) IS NOT NULL AND \(alias).\(SQLName.quoted(member)) IS NOT NULL"
            + (numbers.map {
                " AND \(alias).Z_ENT IN (\($0.sorted().map(String.init).joined(separator: ", ")))"
            } ?? "")
    }

    /// A query with the columns `o` and `m`.
    var query: String {
        func select(_ owner: String, _ member: String) -> String {
            "SELECT l.\(SQLName.quoted(owner)) AS o, l.\(SQLName.quoted(member)) AS m FROM \(SQLName.quoted(table)) AS l WHERE \(condition("l"))"
        }
        return select(owner, member) + (isMirrored ? " UNION ALL " + select(member, owner) : "")
    }
}

extension MigrationBuilder {
    /// All links of the old store that a relationship of the new version gets: its own and, if they
    /// come from another relationship, those of its inverse.
    func oldLinks(of property: PropertyDescription) -> [OldLinks] {
        var links = ownLinks(of: property)
        guard let inverse = plan.destination.inverse(of: property) else { return links }
        let isReflexive =
            inverse.declaringEntityIndex == property.declaringEntityIndex && inverse.index == property.index
        let known = Set(links.map(\.relation))
        for other in ownLinks(of: inverse).map(\.reversed) {
            if isReflexive ? !links.contains(other) && !other.isMirrored : !known.contains(other.relation) {
                links.append(other)
            }
        }
        return links
    }

    /// The links of the old relationships that a relationship of the new version comes from.
    func ownLinks(of property: PropertyDescription) -> [OldLinks] {
        var found: [OldLinks] = []
        for index in plan.destination.entities[property.declaringEntityIndex].family {
            guard let storage = formerStorage(of: index),
                let (former, kind) = formerStorage(entityIndex: index, propertyIndex: property.index),
                let other = tableOfFamily(former.destinationIndex)
            else { continue }
            let inverse = plan.source.inverse(of: former), relation = OldLinks.Relation(former, in: plan.source)
            var links: OldLinks
            switch kind {
            case .none, .attribute, .composite: continue
            case .toOne(let toOne):
                links = OldLinks(
                    relation: relation, table: storage.table, owner: "Z_PK", member: toOne.key,
                    ownerTable: storage.table, memberTable: other,
                    numbers: storage.sharesTable ? [storage.number] : nil, ownerIsSingle: true,
                    memberIsSingle: inverse?.isToMany == false, isMirrored: false)
            case .toMany(let key):
                links = OldLinks(
                    relation: relation, table: key.table, owner: key.key, member: "Z_PK", ownerTable: storage.table,
                    memberTable: key.table, numbers: nil, ownerIsSingle: false, memberIsSingle: true, isMirrored: false)
            case .manyToMany(let join):
                links = OldLinks(
                    relation: relation, table: join.table, owner: join.ownerColumn, member: join.memberColumn,
                    ownerTable: storage.table, memberTable: other, numbers: nil, ownerIsSingle: false,
                    memberIsSingle: false, isMirrored: join.isReflexive)
            }
            if let place = found.firstIndex(where: {
                $0.relation == links.relation && $0.table == links.table && $0.owner == links.owner
                    && $0.member == links.member
            }) {
                if let more = links.numbers { found[place].numbers?.formUnion(more) }
            } else {
                found.append(links)
            }
        }
        return found
    }

    private func tableOfFamily(_ index: Int) -> String? {
        plan.source.entities[index].family.lazy.compactMap { old[$0]?.table }.first
    }
}
