package import RowMemory
package import Schema
package import Storage

/// A pair of properties with the same name in two entities with the same name. One of them may be
/// missing.
package struct ComparedProperty {
    /// The location of the values on one side.
    package enum Side {
        case attribute(RowSlot)
        /// A to-one relationship, with the name of its inverse if that is to-one, too.
        case toOne(RowSlot, inverse: String?)
        case toMany(index: Int, isOrdered: Bool)

        /// The index of a to-many relationship, whose members have to be fetched separately.
        package var memberIndex: Int? {
            if case .toMany(let index, _) = self { index } else { nil }
        }
    }

    package let name: String
    package let old: Side?
    package let new: Side?

    /// The pairs of properties, sorted by name. Relationships that only repeat their inverse are
    /// left out.
    package static func pairs(
        _ old: (EntityDescription, any StoreBackend)?, _ new: (EntityDescription, any StoreBackend)?
    )
        -> [ComparedProperty]
    {
        let old = old.map { sides($0, $1) } ?? [:], new = new.map { sides($0, $1) } ?? [:]
        return Set(old.keys).union(new.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
            ComparedProperty(name: $0, old: old[$0], new: new[$0])
        }
    }

    private static func sides(_ entity: EntityDescription, _ store: any StoreBackend) -> [String: Side] {
        var sides: [String: Side] = [:]
        let slots = store.layouts[entity.index].slots
        for property in entity.properties where !property.isTransient {
            if let attribute = property.attribute {
                if attribute.type != .undefined, attribute.type != .objectID {
                    sides[property.name] = .attribute(slots[property.index])
                }
            } else if !property.isToMany {
                let inverse = store.identity.model.inverse(of: property).flatMap { $0.isToMany ? nil : $0.name }
                sides[property.name] = .toOne(slots[property.index], inverse: inverse)
            } else if isTold(property, store.identity.model) {
                sides[property.name] = .toMany(
                    index: property.index, isOrdered: property.relationship?.isOrdered ?? false)
            }
        }
        return sides
    }

    /// Whether a to-many relationship contains information that its inverse does not.
    private static func isTold(_ property: PropertyDescription, _ model: ManagedObjectModel) -> Bool {
        if property.relationship?.isOrdered == true { return true }
        guard let inverse = model.inverse(of: property) else { return true }
        guard inverse.isToMany else { return false }
        // Compare by name, so that the same end is chosen in both models.
        func path(_ property: PropertyDescription) -> [String] {
            [model.entities[property.declaringEntityIndex].name, property.name]
        }
        return path(property).lexicographicallyPrecedes(path(inverse)) || path(property) == path(inverse)
    }

    /// The difference between the current rows of two cursors; nil if there is none. A cursor is
    /// nil if its document has no such object.
    /// - Throws: The errors of the stores.
    package func difference(_ left: RowCursor?, _ right: RowCursor?) throws -> PropertyDifference? {
        if let left, let right, let old, let new, let isSame = Self.quickly(left.row, old, right.row, new), isSame {
            return nil
        }
        let before = Self.value(old, left), after = Self.value(new, right)
        if try before.isSame(as: after) || Self.isTold(elsewhere: old, left, after)
            || Self.isTold(elsewhere: new, right, before)
        {
            return nil
        }
        return PropertyDifference(name: name, old: before, new: after)
    }

    /// The value of the current row of a cursor over the second document.
    package func newValue(_ cursor: RowCursor) -> PropertyValue { Self.value(new, cursor) }

    /// Compares simple values without creating a `PropertyValue`. Nil if that is not possible.
    private static func quickly(_ left: Row, _ old: Side, _ right: Row, _ new: Side) -> Bool? {
        guard case .attribute(let a) = old, case .attribute(let b) = new, a.kind == b.kind else { return nil }
        guard left.hasValue(a), right.hasValue(b) else { return !left.hasValue(a) && !right.hasValue(b) }
        return switch a.kind {
        case .int: left.int(a) == right.int(b)
        case .bool: left.bool(a) == right.bool(b)
        case .date, .double: left.double(a)?.bitPattern == right.double(b)?.bitPattern
        case .string, .uri: left.string(a)?.utf8.elementsEqual(right.string(b)?.utf8 ?? "".utf8)
        case .uuid: left.uuid(a) == right.uuid(b)
        default: nil
        }
    }

    /// Whether a relationship that is nil here has the same link at its other end. Old stores keep
    /// some one-to-one links at one end only.
    private static func isTold(elsewhere side: Side?, _ cursor: RowCursor?, _ other: PropertyValue) throws -> Bool {
        guard let cursor, cursor.numbering == nil, case .toOne(let slot, let inverse?) = side,
            cursor.row.reference(slot) == nil,
            case .object(let target) = other
        else { return false }
        return try cursor.isTarget(of: inverse, ofObject: target.entity.name, target.key)
    }

    private static func value(_ side: Side?, _ cursor: RowCursor?) -> PropertyValue {
        guard let side, let cursor else { return .null }
        func object(_ reference: ObjectReference) -> PropertyValue {
            .object(
                ManagedObjectID(
                    store: cursor.identity, entityIndex: reference.entityIndex, key: cursor.canonicalKey(reference)))
        }
        switch side {
        case .attribute(let slot): return cursor.row.value(slot)
        case .toOne(let slot, _): return cursor.row.reference(slot).map(object) ?? .null
        case .toMany(let index, let isOrdered):
            var members = cursor.members(index)
            if !isOrdered {
                // The models may order their entities differently.
                let entities = cursor.identity.model.entities
                members.sort {
                    (entities[$0.entityIndex].name, cursor.canonicalKey($0))
                        < (entities[$1.entityIndex].name, cursor.canonicalKey($1))
                }
            }
            return members.isEmpty ? .null : .list(members.map(object))
        }
    }
}
