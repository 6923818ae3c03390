import Foundation
import RowMemory
import SQLiteStore
import Schema
import Storage
import TestSupport

/// Fills a store of any model with objects of every entity: a value in every attribute, objects at
/// the end of every relationship; with a seed other than 0, other values, objects and links, and
/// nothing in a quarter of what is optional.
struct StoreGenerator {
    let store: SQLitePersistentStore
    let model: ManagedObjectModel
    let objectsPerEntity: Int
    let seed: Int
    private var keys: [Int: [Int64]] = [:]
    private var changes = ChangeSet()

    static func fill(_ store: SQLitePersistentStore, objectsPerEntity: Int = 3, seed: Int = 0) throws {
        var generator = StoreGenerator(
            store: store, model: store.identity.model, objectsPerEntity: objectsPerEntity, seed: seed)
        try generator.run()
    }

    private init(store: SQLitePersistentStore, model: ManagedObjectModel, objectsPerEntity: Int, seed: Int) {
        self.store = store
        self.model = model
        self.objectsPerEntity = objectsPerEntity
        self.seed = seed
    }

    /// A number that depends on the seed and on the place alone; 1 for the seed 0.
    private func chance(_ property: PropertyDescription, _ place: Int) -> Int {
        guard seed != 0 else { return 1 }
        let letters = property.name.utf8.reduce(UInt64(property.declaringEntityIndex)) { ($0 &* 31) &+ UInt64($1) }
        var random = SplitMix(state: letters &* 1_000_003 &+ UInt64(place) &* 7_919 &+ UInt64(seed))
        return Int(random.next() % 1_000)
    }

    private mutating func run() throws {
        var next: Int64 = -1
        for entity in model.entities where !entity.isAbstract {
            keys[entity.index] = (0..<objectsPerEntity).map { next - Int64($0) }
            next -= Int64(objectsPerEntity)
        }
        for entity in model.entities where !entity.isAbstract {
            var batch = RowBatch()
            for (place, key) in (keys[entity.index] ?? []).enumerated() {
                let row = batch.appendRow(store.layouts[entity.index], key: key, version: 0)
                for property in entity.properties where !property.isTransient {
                    let slot = row.layout.slots[property.index]
                    if let attribute = property.attribute {
                        if property.isOptional, chance(property, place) % 4 == 0 { continue }
                        let value = value(of: attribute, place + entity.index * 7 + seed * 131 % 2_000)
                        if !value.isNull { precondition(row.setValue(value, slot), "\(entity.name).\(property.name)") }
                    } else if !property.isToMany, let reference = reference(property, key: key) {
                        row.setReference(reference, slot)
                    }
                }
            }
            changes.insertions.append(ChangeSet.Insertions(entityIndex: entity.index, rows: batch))
        }
        addLinks()
        _ = try store.apply(changes)
    }

    // MARK: Values

    private func value(of attribute: AttributeDescription, _ seed: Int) -> PropertyValue {
        if attribute.isDerived { return .null }
        switch attribute.type {
        case .integer16: return .int(Int64(seed % 3_000) - 5)
        case .integer32: return .int(Int64(seed) * 70_001 - 9)
        case .integer64: return .int(Int64(seed) << 40 - 11)
        case .boolean: return .bool(seed % 2 == 0)
        case .double: return .double(Double(seed) / 7 - 1)
        case .float: return .float(Float(seed) / 3 + 0.25)
        case .decimal: return .decimal(Decimal(seed) + Decimal(25) / 100)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(seed) * 86_400.5 - 1_000_000))
        case .string: return .string("\(attribute.name) №\(seed) ’\"; ö")
        case .uri: return .uri(URL(fileURLWithPath: "/\(attribute.name)/\(seed)"))
        case .uuid:
            return .uuid(
                UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(seed >> 8 & 255), UInt8(seed & 255))))
        case .binary, .transformable:
            let bytes = Data((0..<(40 + seed % 9)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) })
            return attribute.allowsExternalBinaryDataStorage
                ? .large(LargeValue(seed % 3 == 0 ? bytes + Data(count: 120_000) : bytes)) : .data(bytes)
        case .composite:
            let leaves = attribute.compositeName.flatMap { model.composite(named: $0) }?.attributes ?? []
            return .composite(Dictionary(uniqueKeysWithValues: leaves.map { ($0.name, value(of: $0, seed)) }))
        case .undefined, .objectID: return .null
        }
    }

    // MARK: Relationships

    /// All objects of an entity and its descendants, in order.
    private func objects(_ entityIndex: Int) -> [ObjectReference] {
        model.entities[entityIndex].family.flatMap { index in
            (keys[index] ?? []).map { ObjectReference(key: $0, entityIndex: index) }
        }
    }

    private func reference(_ property: PropertyDescription, key: Int64) -> ObjectReference? {
        let owners = objects(property.declaringEntityIndex), members = objects(property.destinationIndex)
        guard let place = owners.firstIndex(where: { $0.key == key }), !members.isEmpty else { return nil }
        guard let inverse = model.inverse(of: property), !inverse.isToMany else {
            let chance = chance(property, place)
            return property.isOptional && chance % 4 == 0 ? nil : members[(place * 5 + chance - 1) % members.count]
        }
        if inverse.declaringEntityIndex == property.declaringEntityIndex, inverse.index == property.index {
            let other = place ^ 1
            return other < members.count ? members[other] : nil
        }
        // Both ends choose alike.
        return place < members.count ? members[place] : nil
    }

    private mutating func addLinks() {
        for entity in model.entities {
            for property in entity.properties
            where property.isToMany && !property.isTransient && property.declaringEntityIndex == entity.index {
                let owners = objects(entity.index), members = objects(property.destinationIndex)
                guard !owners.isEmpty, !members.isEmpty else { continue }
                let inverse = model.inverse(of: property)
                var membersByOwner: [[ObjectReference]] = owners.map { _ in [] }
                if let inverse, !inverse.isToMany {
                    for member in members {
                        guard let owner = reference(inverse, key: member.key), let place = owners.firstIndex(of: owner)
                        else { continue }
                        membersByOwner[place].append(member)
                    }
                } else if inverse == nil {
                    for (place, member) in members.enumerated() {
                        membersByOwner[place * 3 % owners.count].append(member)
                    }
                } else if let inverse,
                    (inverse.declaringEntityIndex, inverse.name) >= (property.declaringEntityIndex, property.name)
                {
                    for place in owners.indices {
                        membersByOwner[place] = [members[place % members.count]]
                        let second = members[(place + 1) % members.count]
                        if second != members[place % members.count] { membersByOwner[place].append(second) }
                    }
                }
                addLinks(of: property, owners, membersByOwner, isWritten: inverse == nil || inverse?.isToMany == true)
            }
        }
    }

    private mutating func addLinks(
        of property: PropertyDescription, _ owners: [ObjectReference], _ membersByOwner: [[ObjectReference]],
        isWritten: Bool
    ) {
        for (owner, members) in zip(owners, membersByOwner) {
            if isWritten {
                changes.links += members.map {
                    ChangeSet.Link(
                        entityIndex: owner.entityIndex, propertyIndex: property.index, owner: owner.key, member: $0,
                        isAdded: true)
                }
            }
            if property.relationship?.isOrdered == true, !members.isEmpty {
                changes.orders.append(
                    ChangeSet.Order(
                        entityIndex: owner.entityIndex, propertyIndex: property.index, owner: owner.key,
                        members: members.reversed()))
            }
        }
    }
}
