import Query
import RowMemory
import Schema
import Storage

/// What follows from a model for keeping its objects: which slots are kept, and how each to-many
/// relationship is.
final class TableShape: Sendable {
    let model: ManagedObjectModel
    let layouts: [RowLayout]
    /// Whether the store holds objects of the entity at a position; a hierarchy is held as a whole
    /// if any of it is.
    let isStored: [Bool]
    /// The slots of each entity that outlive the memory: no transient ones, none without a type.
    let storedSlots: [[RowSlot]]
    /// The others, but for relationships to many: what a copy of a row has to lose.
    let fleetingSlots: [[RowSlot]]
    /// The stored slots whose values are not kept just as they come.
    let changingSlots: [[RowSlot]]
    let relations: [StoredRelation]
    /// For each entity the to-one slots that decide who is a member of which relation.
    let keyRelations: [[(slot: RowSlot, relation: Int)]]
    /// For each entity the relations that its objects own.
    let ownedRelations: [[Int]]
    let constraints: [UniquenessConstraint]
    let derivations: [Derivation]
    private let relationByProperty: [[Int]]
    /// For each entity and property the entities that it can lead to; none where it is no
    /// relationship.
    private let destinations: [[Range<Int>]]

    /// - Throws: `StorageError.cannotCreate` if there is no such configuration, `unsupported` where
    ///   an attribute is derived in a way that no store can keep.
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

    /// The relation that a to-many property is kept as, nil for a transient one or one that leads
    /// out of the store.
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

    /// Refuses a reference to an object of an entity that a relationship to one can't lead to:
    /// whoever follows it would read the values of another layout.
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
    /// Whether a value may have to become another one, or be refused, before a store keeps it.
    fileprivate var changesInStore: Bool {
        switch self {
        case .toOne, .large, .boxed, .decimal: true
        case .int, .bool, .double, .float, .date, .string, .uri, .uuid, .data, .toMany: false
        }
    }
}

/// A to-many relationship as a store keeps it.
struct StoredRelation: Sendable {
    enum Kind: Sendable {
        /// The members' rows hold the owner's key, in the to-one property at this place.
        case keys(property: Int)
        /// Many-to-many: each link stands on both sides. The inverse may be the relation itself.
        case linked(inverse: Int)
        /// Without an inverse: a member has one owner at most, the last one.
        case free
    }

    let property: PropertyDescription
    var kind: Kind
    let isOrdered: Bool
    /// Position of the destination in the model.
    var destinationIndex: Int { property.destinationIndex }
    var entityIndex: Int { property.declaringEntityIndex }

    fileprivate init(_ property: PropertyDescription, in model: ManagedObjectModel) {
        self.property = property
        isOrdered = property.relationship?.isOrdered ?? false
        let inverse = model.inverse(of: property)
        kind = inverse.map { $0.isToMany ? .linked(inverse: -1) : .keys(property: $0.index) } ?? .free
    }
}
