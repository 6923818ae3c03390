import Foundation
import RowMemory
import SQLiteStore
import Schema
import Storage

/// Everything that a store says through the seam, by names.
struct StoreSnapshot {
    struct Object: Hashable, Comparable, CustomStringConvertible {
        let entity: String
        let key: Int64
        var description: String { "\(entity)/p\(key)" }
        static func < (left: Object, right: Object) -> Bool { (left.entity, left.key) < (right.entity, right.key) }
    }

    struct Content: Equatable {
        var attributes: [String: PropertyValue] = [:]
        var toOnes: [String: Object?] = [:]
        /// In the order of the store.
        var toManys: [String: [Object]] = [:]
    }

    var objects: [Object: Content] = [:]

    init() {}

    init(of store: SQLitePersistentStore) throws {
        for entity in store.identity.model.entities where !entity.isAbstract {
            let rows = try store.rows(RowRequest(entityIndex: entity.index, includesSubentities: false))
            var contents = (0..<rows.count).map { _ in Content() }
            for index in 0..<rows.count {
                for property in entity.properties where !property.isTransient && !property.isToMany {
                    let slot = rows[index].layout.slots[property.index]
                    if property.relationship != nil {
                        contents[index].toOnes[property.name] = rows[index].reference(slot).map {
                            Self.object($0, store)
                        }
                    } else {
                        contents[index].attributes[property.name] = try Self.plain(rows[index].value(slot))
                    }
                }
            }
            for property in entity.properties where !property.isTransient && property.isToMany {
                let owners = (0..<rows.count).map { rows[$0].key }
                let related = try store.related(
                    entityIndex: entity.index, propertyIndex: property.index, owners: owners, includingRows: false)
                for (index, members) in related.members.enumerated() {
                    contents[index].toManys[property.name] = members.map { Self.object($0, store) }
                }
            }
            for index in 0..<rows.count { objects[Object(entity: entity.name, key: rows[index].key)] = contents[index] }
        }
    }

    private static func object(_ reference: ObjectReference, _ store: SQLitePersistentStore) -> Object {
        Object(entity: store.identity.model.entities[reference.entityIndex].name, key: reference.key)
    }

    /// Values that are kept apart are those that they are.
    static func plain(_ value: PropertyValue) throws -> PropertyValue {
        if case .large(let large) = value { .data(try large.data()) } else { value }
    }
}
