import Foundation
package import RowMemory
package import Schema

/// Attributes or to-one relationships whose combined values are unique among the objects of an
/// entity and its descendants.
package struct UniquenessConstraint: Sendable {
    /// The name of the entity that declares the constraint.
    package let declaringName: String
    package let names: [String]
    /// The lowest entity in the hierarchy that declares one of the properties. All its objects have
    /// all properties.
    package let entityIndex: Int
    package let family: Range<Int>
    package let slots: [RowSlot]

    package static func constraints(of entity: EntityDescription, in model: ManagedObjectModel, _ layouts: [RowLayout])
        -> [UniquenessConstraint]
    {
        entity.definition.uniquenessConstraints.compactMap { names in
            let properties = names.compactMap { entity.property(named: $0) }.filter(\.isStoredInRow)
            guard !properties.isEmpty, properties.count == names.count else { return nil }
            let domain = properties.map(\.declaringEntityIndex).max() ?? entity.index
            return UniquenessConstraint(
                declaringName: entity.name, names: names, entityIndex: domain, family: model.entities[domain].family,
                slots: properties.map { layouts[entity.index].slots[$0.index] })
        }
    }

    /// The values of a row; nil if the constraint does not apply to the row's entity or if a value
    /// is nil, because nils never violate a constraint.
    package func values(of row: Row) -> UniqueValues? {
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

/// Values in the form that a constraint compares: texts by their bytes, numbers by value.
package struct UniqueValues: Hashable {
    package enum Part: Hashable {
        case int(Int64)
        case double(Double)
        case bytes([UInt8])
        case value(PropertyValue)

        package init?(_ row: Row, _ slot: RowSlot) {
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

    package let parts: [Part]
}

extension PropertyDescription {
    /// Whether the rows of a store contain a value for the property.
    package var isStoredInRow: Bool {
        guard !isTransient, !isToMany else { return false }
        return attribute?.type != .undefined && attribute?.type != .objectID
    }
}
