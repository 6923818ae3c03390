import Foundation
import RowMemory
import Schema

/// Attributes (or to-one relationships) whose values together occur once among the objects of an entity and its descendants.
struct UniquenessConstraint: Sendable {
    /// Where the constraint is declared.
    let declaringName: String
    let names: [String]
    /// The last entity downwards that declares one of the properties: all its objects have them all.
    let entityIndex: Int
    let family: Range<Int>
    let slots: [RowSlot]

    static func constraints(of entity: Entity, in model: ManagedObjectModel, _ layouts: [RowLayout]) -> [UniquenessConstraint] {
        entity.description.uniquenessConstraints.compactMap { names in
            let properties = names.compactMap { entity.property(named: $0) }.filter(\.isStoredInRow)
            guard !properties.isEmpty, properties.count == names.count else { return nil }
            let domain = properties.map(\.declaringEntityIndex).max() ?? entity.index
            return UniquenessConstraint(
                declaringName: entity.name, names: names, entityIndex: domain, family: model.entities[domain].family,
                slots: properties.map { layouts[entity.index].slots[$0.index] })
        }
    }

    /// The values of a row, nil if it is none of the constraint's or one of them is nil: nils are never equal here.
    func values(of row: Row) -> UniqueValues? {
        guard family.contains(row.entityIndex) else { return nil }
        var parts: [UniqueValues.Part] = []
        parts.reserveCapacity(slots.count)
        for slot in slots {
            guard let part = UniqueValues.Part(row, slot) else { return nil }
            parts.append(part)
        }
        return UniqueValues(parts: parts)
    }
}

/// Values as a constraint compares them: texts by their bytes, numbers by their value.
struct UniqueValues: Hashable {
    enum Part: Hashable {
        case int(Int64)
        case double(Double)
        case bytes([UInt8])
        case value(PropertyValue)

        init?(_ row: Row, _ slot: RowSlot) {
            guard row.hasValue(slot) else { return nil }
            switch slot.kind {
            case .string, .uri: self = .bytes(Array((row.string(slot) ?? "").utf8))
            case .double, .date:
                guard let value = row.double(slot), !value.isNaN else { return nil }
                self = .double(value)
            case .toOne: self = .int(row.reference(slot)?.key ?? 0)
            case .toMany: return nil
            default: self = .value(row.value(slot))
            }
        }
    }

    let parts: [Part]
}

/// Who has which unique values.
struct UniquenessIndex {
    let constraint: UniquenessConstraint
    private var holders: [UniqueValues: Int64] = [:]

    init(_ constraint: UniquenessConstraint) {
        self.constraint = constraint
    }

    func holder(of values: UniqueValues) -> Int64? { holders[values] }

    mutating func exchange(old: Row?, new: Row?) {
        let before = old.flatMap { constraint.values(of: $0) }
        let after = new.flatMap { constraint.values(of: $0) }
        guard before != after else { return }
        // Within one save a value may pass from one row to another in either order.
        if let before, let old, holders[before] == old.key { holders[before] = nil }
        if let after, let new { holders[after] = new.key }
    }
}
