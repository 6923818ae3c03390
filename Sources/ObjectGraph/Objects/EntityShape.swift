import Foundation
import RowMemory
import Schema

/// The properties of an entity in the form that the object graph needs. Computed once for each
/// model, and for each coordinator with its own classes.
final class EntityShape: Sendable {
    /// The other end of a relationship.
    struct Inverse: Sendable {
        let index: Int
        let isToMany: Bool
        let isOrdered: Bool
    }

    /// A relationship of the entity. A class, because it is passed around often and its description
    /// is large.
    final class Relation: Sendable {
        let slot: RowSlot
        let property: PropertyDescription
        let description: RelationshipDescription
        let inverse: Inverse?
        let index: Int
        let isToMany: Bool
        let isOrdered: Bool
        /// Whether the members are stored as links: a many-to-many relationship, or a to-many
        /// relationship without an inverse.
        let isLinked: Bool

        init(slot: RowSlot, property: PropertyDescription, description: RelationshipDescription, inverse: Inverse?) {
            self.slot = slot
            self.property = property
            self.description = description
            self.inverse = inverse
            index = property.index
            isToMany = description.isToMany
            isOrdered = description.isOrdered
            isLinked = description.isToMany && !description.isTransient && inverse?.isToMany != false
        }
    }

    let entity: EntityDescription
    let model: ManagedObjectModel
    let layout: RowLayout
    let objectClass: ManagedObject.Type
    /// Indexed by property; nil for attributes.
    let relations: [Relation?]
    let toOnes: [Relation]
    let toManys: [Relation]
    let defaults: [(slot: RowSlot, value: PropertyValue)]
    /// What transient attributes have in an object that was read: the default, or for a mandatory
    /// one the empty value of its type.
    let transientValues: [(slot: RowSlot, value: PropertyValue)]
    let rules: [ValidationRule]
    /// The slots that must have values, if all rules only require a value; otherwise nil.
    let demandedValues: RowPresence?
    /// Indexed by property: whether no store saves it.
    let isTransient: [Bool]
    /// Indexed by property: whether the store computes it.
    let isDerived: [Bool]
    let derivedSlots: [RowSlot]
    // Masks of the first 64 properties, one bit for each:
    /// Properties with a value in the row: all except to-many relationships.
    let values: UInt64
    /// Properties of `values` that a store saves and does not compute.
    let storedColumns: UInt64
    /// Whether the class is `ManagedObject` itself, so that hooks do nothing.
    let isPlain: Bool

    init(entity: EntityDescription, layout: RowLayout, objectClass: ManagedObject.Type, model: ManagedObjectModel) {
        self.entity = entity
        self.model = model
        self.layout = layout
        self.objectClass = objectClass
        var relations: [Relation?] = []
        var defaults: [(slot: RowSlot, value: PropertyValue)] = []
        var transientValues: [(slot: RowSlot, value: PropertyValue)] = []
        for property in entity.properties {
            let slot = layout.slots[property.index]
            switch property.kind {
            case .attribute(let attribute):
                relations.append(nil)
                if let value = attribute.defaultValue, !value.isNull, let value = value.converted(to: attribute) {
                    defaults.append((slot, value))
                    if attribute.isTransient { transientValues.append((slot, value)) }
                } else if attribute.isTransient, !attribute.isOptional, let value = attribute.type.emptyValue {
                    transientValues.append((slot, value))
                }
            case .relationship(let relationship):
                let inverse = model.inverse(of: property).flatMap { other in
                    other.relationship.map {
                        Inverse(index: other.index, isToMany: $0.isToMany, isOrdered: $0.isOrdered)
                    }
                }
                relations.append(Relation(slot: slot, property: property, description: relationship, inverse: inverse))
            }
        }
        self.relations = relations
        toOnes = relations.compactMap { $0 }.filter { !$0.isToMany }
        toManys = relations.compactMap { $0 }.filter { $0.isToMany }
        self.defaults = defaults
        self.transientValues = transientValues
        isPlain = objectClass == ManagedObject.self && transientValues.isEmpty
        isTransient = entity.properties.map(\.isTransient)
        isDerived = entity.properties.map { $0.attribute?.isDerived == true }
        derivedSlots = entity.properties.filter { $0.attribute?.isDerived == true && !$0.isTransient }.map {
            layout.slots[$0.index]
        }
        func bits(_ isIncluded: (PropertyDescription) -> Bool) -> UInt64 {
            entity.properties.prefix(64).reduce(0) { isIncluded($1) ? $0 | 1 << UInt64($1.index) : $0 }
        }
        values = bits { !$0.isToMany }
        storedColumns = bits { !$0.isToMany && !$0.isTransient && $0.attribute?.isDerived != true }
        let rules = ValidationRule.rules(for: entity, layout: layout, model: model)
        self.rules = rules
        demandedValues = rules.allSatisfy(\.isMetByAnyValue) ? RowPresence(rules.map(\.slot)) : nil
    }
}

extension AttributeType {
    /// What stands for no value where there has to be one; nil for types that have nothing empty.
    var emptyValue: PropertyValue? {
        switch self {
        case .integer16, .integer32, .integer64: .int(0)
        case .decimal: .decimal(0)
        case .double: .double(0)
        case .float: .float(0)
        case .boolean: .bool(false)
        case .string: .string("")
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .binary: .data(Data())
        case .undefined, .uuid, .uri, .transformable, .objectID, .composite: nil
        }
    }
}
