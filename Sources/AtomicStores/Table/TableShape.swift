import Query
import RowMemory
import Schema
import Storage

/// The properties of a model that determine how its objects are stored: the stored slots, and the
/// representation of each to-many relationship.
final class TableShape: Sendable {
    let model: ManagedObjectModel
    let layouts: [RowLayout]
    /// Whether the store has objects of the entity at an index. A hierarchy is stored as a whole if
    /// any entity of it is.
    let isStored: [Bool]
    /// The stored slots of each entity: without transient attributes and those without a type.
    let storedSlots: [[RowSlot]]
    /// The other slots except to-many relationships. They must be cleared in a copy of a row.
    let fleetingSlots: [[RowSlot]]
    /// The stored slots whose values may be changed or rejected by a store.
    let changingSlots: [[RowSlot]]
    let relations: [StoredRelation]
    /// For each entity the to-one slots that determine the members of a relation.
    let keyRelations: [[(slot: RowSlot, relation: Int)]]
    /// For each entity the relations that its objects own.
    let ownedRelations: [[Int]]
    let constraints: [UniquenessConstraint]
    let derivations: [Derivation]
    private let relationByProperty: [[Int]]
    /// For each entity and property the possible destination entities; empty if it is not a
    /// relationship.
    private let destinations: [[Range<Int>]]

    /// - Throws: `StorageError.cannotCreate` if there is no such configuration, `unsupported` if
    ///   the model has a derivation that no store supports.
    init(_ model: ManagedObjectModel, configuration: String?) throws(StorageError) {
        guard let members = model.entities(inConfiguration: configuration) else {
            throw StorageError(.cannotCreate, "The model has no configuration \(configuration ?? "")")
        }
        let roots = Set(members.map(\.rootIndex))
        let isStored = model.entities.map { roots.contains($0.rootIndex) }
        let layouts = RowLayout.layouts(for: model)
        do { derivations = try Derivation.all(in: model) } catch { throw StorageError(underivable: error) }
        self.model = model
        self.layouts = layouts
        self.isStored = isStored
        storedSlots = model.entities.map { entity in
            entity.properties.filter { $0.isStoredInRow }.map { layouts[entity.index].slots[$0.index] }
        }
        fleetingSlots = model.entities.map { entity in
            entity.properties.filter { !$0.isStoredInRow }.map { layouts[entity.index].slots[$0.index] }.filter {
                $0.kind != .toMany
            }
        }
        changingSlots = storedSlots.map { $0.filter { $0.kind.changesInStore } }

        var relations: [StoredRelation] = []
        var declared: [[Int: Int]] = Array(repeating: [:], count: model.entities.count)
        for entity in model.entities where isStored[entity.index] {
            for property in entity.properties
            where property.declaringEntityIndex == entity.index && property.isToMany && !property.isTransient {
                guard property.destinationIndex >= 0, isStored[property.destinationIndex] else { continue }
                declared[entity.index][property.index] = relations.count
                relations.append(StoredRelation(property, in: model))
            }
        }
        for index in relations.indices {
            guard case .linked = relations[index].kind, let inverse = model.inverse(of: relations[index].property),
                let other = declared[inverse.declaringEntityIndex][inverse.index]
            else { continue }
            relations[index].kind = .linked(inverse: other)
        }
        self.relations = relations

        destinations = model.entities.map {
            $0.properties.map { $0.destinationIndex < 0 ? 0..<0 : model.entities[$0.destinationIndex].family }
        }
        relationByProperty = model.entities.map { entity in
            entity.properties.map { declared[$0.declaringEntityIndex][$0.index] ?? -1 }
        }
        ownedRelations = relationByProperty.map { $0.filter { $0 >= 0 } }
        var keyRelations: [[(slot: RowSlot, relation: Int)]] = Array(repeating: [], count: model.entities.count)
        for (id, relation) in relations.enumerated() {
            guard case .keys(let property) = relation.kind else { continue }
            for index in model.entities[relation.destinationIndex].family {
                keyRelations[index].append((layouts[index].slots[property], id))
            }
        }
        self.keyRelations = keyRelations
        constraints = model.entities.filter { isStored[$0.index] }.flatMap {
            UniquenessConstraint.constraints(of: $0, in: model, layouts)
        }
    }

    /// The relation of a to-many property; nil for a transient one or one whose destination is not
    /// in this store.
    func relation(entityIndex: Int, propertyIndex: Int) -> Int? {
        let relation = relationByProperty[entityIndex][propertyIndex]
        return relation < 0 ? nil : relation
    }

    func checkStored(_ entityIndex: Int) throws(StorageError) {
        guard isStored[entityIndex] else {
            throw StorageError(
                .unsupported, "The store holds no objects of the entity \(model.entities[entityIndex].name)")
        }
    }

    /// Rejects a reference whose entity is not in the hierarchy of the relationship's destination:
    /// its values would be read with the wrong layout.
    func checkReference(to entityIndex: Int, from slot: RowSlot, of ownerIndex: Int) throws(StorageError) {
        if destinations[ownerIndex][Int(slot.index)].contains(entityIndex) { return }
        let owner = model.entities[ownerIndex]
        let property = owner.properties[Int(slot.index)]
        throw StorageError(
            .damaged,
            "The store is damaged: \(owner.name).\(property.name) leads to an object of the entity \(model.entities[entityIndex].name)",
            entities: [owner.name], keys: [property.name])
    }

    func root(of entityIndex: Int) -> Int { model.entities[entityIndex].rootIndex }
}

extension SlotKind {
    /// Whether a value may have to be converted or rejected before it is stored.
    fileprivate var changesInStore: Bool {
        switch self {
        case .toOne, .large, .boxed, .decimal: true
        case .int, .bool, .double, .float, .date, .string, .uri, .uuid, .data, .toMany: false
        }
    }
}

/// The stored form of a to-many relationship.
struct StoredRelation: Sendable {
    enum Kind: Sendable {
        /// The members' rows have the owner's key, in the to-one property with this index.
        case keys(property: Int)
        /// Many-to-many: each link is in the lists of both sides. The inverse may be the relation
        /// itself.
        case linked(inverse: Int)
        /// Without an inverse: a member has at most one owner, the last one.
        case free
    }

    let property: PropertyDescription
    var kind: Kind
    let isOrdered: Bool
    /// Index of the destination in the model.
    var destinationIndex: Int { property.destinationIndex }
    var entityIndex: Int { property.declaringEntityIndex }

    fileprivate init(_ property: PropertyDescription, in model: ManagedObjectModel) {
        self.property = property
        isOrdered = property.relationship?.isOrdered ?? false
        let inverse = model.inverse(of: property)
        kind = inverse.map { $0.isToMany ? .linked(inverse: -1) : .keys(property: $0.index) } ?? .free
    }
}
