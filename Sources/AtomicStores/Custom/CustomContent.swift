import Foundation
import RowMemory
import Schema
import Storage

/// Converts the content of an application's own store type to a table and back.
struct CustomContent {
    private let shape: TableShape
    /// Whether objects and properties that the model lacks are passed over.
    private let ignoresUnknown: Bool

    init(_ shape: TableShape, ignoringUnknown ignoresUnknown: Bool = false) {
        self.shape = shape
        self.ignoresUnknown = ignoresUnknown
    }

    // MARK: Reading from a table

    func content(of table: RowTable, _ metadata: StoreMetadata) throws -> AtomicStoreContent {
        var objects: [AtomicStoreObject] = []
        for entity in shape.model.entities where shape.isStored[entity.index] {
            try table.forEachRow(of: entity.index, includingSubentities: false) {
                objects.append(try object($0, entity, table))
            }
        }
        var values = metadata.publicValues
        values[StoreMetadata.Key.uuid] = nil
        var next: [String: Int64] = [:]
        for entity in shape.model.entities where shape.isStored[entity.index] && entity.superentity == nil {
            next[entity.name] = table.numbers.next(root: entity.index)
        }
        return AtomicStoreContent(uuid: metadata.uuid, metadata: values, objects: objects, nextNumbers: next)
    }

    private func object(_ row: Row, _ entity: EntityDescription, _ table: RowTable) throws -> AtomicStoreObject {
        var object = AtomicStoreObject(.init(entityName: entity.name, number: row.key))
        for property in entity.properties {
            let slot = shape.layouts[entity.index].slots[property.index]
            if let relation = shape.relation(entityIndex: entity.index, propertyIndex: property.index) {
                let members = table.members(of: row.key, relation)
                if !members.isEmpty { object.toManys[property.name] = members.map(name) }
            } else if property.isStoredInRow, row.hasValue(slot) {
                if slot.kind == .toOne {
                    object.toOnes[property.name] = row.reference(slot).map(name)
                } else {
                    var value = row.value(slot)
                    if case .large(let large) = value, large.fileName == nil { value = .data(try large.data()) }
                    object.attributes[property.name] = value
                }
            }
        }
        return object
    }

    private func name(_ reference: ObjectReference) -> AtomicStoreObject.Name {
        AtomicStoreObject.Name(entityName: shape.model.entities[reference.entityIndex].name, number: reference.key)
    }

    // MARK: Writing to a table

    /// - Returns: The names of what was passed over.
    func load(_ content: AtomicStoreContent, into table: RowTable) throws -> Set<String> {
        var content = content
        let unknown = ignoresUnknown ? removeUnknown(from: &content) : []
        var fillers = shape.layouts.map { RowFiller($0) }
        var rows: [Int: [(key: Int64, row: Row)]] = [:]
        var byNumber: [ObjectReference: Row] = [:]
        for object in content.objects {
            let entity = try entity(object.name)
            guard object.name.number > 0, object.name.number < .max else {
                throw damaged("\(object.name.number) is no object's number", entity)
            }
            let row = fillers[entity.index].append(key: object.name.number, version: 1)
            for (key, value) in object.attributes { try shape.set(value, key, in: row) }
            for (key, target) in object.toOnes {
                try shape.set(
                    ObjectReference(key: target.number, entityIndex: try self.entity(target).index), key, in: row)
            }
            let reference = ObjectReference(key: row.key, entityIndex: entity.rootIndex)
            guard byNumber.updateValue(row, forKey: reference) == nil else {
                throw damaged("Two objects have the number \(row.key)", entity)
            }
            rows[entity.rootIndex, default: []].append((row.key, row))
        }
        try repairKeys(content, byNumber)
        for (root, rows) in rows { table.load(rows.sorted { $0.key < $1.key }, root: root) }
        for object in content.objects where !object.toManys.isEmpty {
            let entity = try entity(object.name)
            for (key, members) in object.toManys {
                guard let relation = try relation(key, entity) else { continue }
                if case .keys = shape.relations[relation].kind, !shape.relations[relation].isOrdered { continue }
                table.load(
                    try members.map { ObjectReference(key: $0.number, entityIndex: try self.entity($0).index) },
                    of: object.name.number, relation)
            }
        }
        for relation in shape.relations.indices { table.completeLists(of: relation) }
        for (name, next) in content.nextNumbers {
            if let entity = shape.model.entity(named: name), entity.superentity == nil, next > 0 {
                table.numbers.note(next - 1, root: entity.index)
            }
        }
        return unknown
    }

    /// Removes the objects and properties that the model lacks.
    /// - Returns: Their names.
    private func removeUnknown(from content: inout AtomicStoreContent) -> Set<String> {
        var unknown: Set<String> = []
        func isKnownEntity(_ name: String) -> Bool {
            if shape.model.entity(named: name).map({ shape.isStored[$0.index] }) == true { return true }
            unknown.insert(name)
            return false
        }
        content.objects = content.objects.compactMap { object in
            guard isKnownEntity(object.name.entityName), let entity = shape.model.entity(named: object.name.entityName)
            else { return nil }
            func isKnown(_ key: String, _ isWanted: (PropertyDescription) -> Bool) -> Bool {
                if entity.property(named: key).map(isWanted) == true { return true }
                unknown.insert("\(entity.name).\(key)")
                return false
            }
            var known = object
            known.attributes = object.attributes.filter { isKnown($0.key) { $0.attribute != nil } }
            known.toOnes = object.toOnes.filter {
                isKnown($0.key) { $0.relationship != nil && !$0.isToMany }
                    && shape.model.entity(named: $0.value.entityName) != nil
            }
            known.toManys = object.toManys.filter { isKnown($0.key) { $0.isToMany } }.mapValues { members in
                members.filter { shape.model.entity(named: $0.entityName) != nil }
            }
            return known
        }
        return unknown
    }

    /// If an owner lists a member that names no owner, the member's reference is set, so that both
    /// sides of the relationship agree.
    private func repairKeys(_ content: AtomicStoreContent, _ byNumber: [ObjectReference: Row]) throws {
        for object in content.objects {
            let entity = try entity(object.name)
            for (key, members) in object.toManys {
                guard let relation = try relation(key, entity),
                    case .keys(let property) = shape.relations[relation].kind
                else { continue }
                let destination = shape.model.entities[shape.relations[relation].destinationIndex]
                let slot = shape.layouts[destination.index].slots[property]
                for name in members {
                    guard let member = byNumber[ObjectReference(key: name.number, entityIndex: destination.rootIndex)],
                        destination.family.contains(member.entityIndex),
                        !member.hasValue(slot)
                    else { continue }
                    member.setReference(ObjectReference(key: object.name.number, entityIndex: entity.index), slot)
                }
            }
        }
    }

    private func relation(_ key: String, _ entity: EntityDescription) throws -> Int? {
        guard let property = entity.property(named: key), property.isToMany else { throw shape.unknown(key, entity) }
        return shape.relation(entityIndex: entity.index, propertyIndex: property.index)
    }

    private func entity(_ name: AtomicStoreObject.Name) throws -> EntityDescription {
        guard let entity = shape.model.entity(named: name.entityName), shape.isStored[entity.index] else {
            throw StorageError(
                .incompatibleModel,
                "The store has objects of an entity \(name.entityName.prefix(100)) that the model does not know",
                entities: [name.entityName])
        }
        return entity
    }

    private func damaged(_ what: String, _ entity: EntityDescription) -> StorageError {
        StorageError(.damaged, "The store can't be read: \(what) (\(entity.name))", entities: [entity.name])
    }
}
