import Foundation
import RowMemory
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport

/// A new store of the feature model in a folder of its own, and the few lines that tests write rows
/// with.
final class StoreFixture {
    let url: URL
    let model: ManagedObjectModel
    var store: SQLitePersistentStore

    init(in folder: URL, journal: WALPolicy = .asFound) throws {
        url = folder.appendingPathComponent("Features.sqlite")
        model = try FeatureModel.make()
        var description = PersistentStoreDescription(url: url)
        description.journal = journal
        store = try SQLitePersistentStore.open(description, model: model)
    }

    static func run(journal: WALPolicy = .asFound, _ body: (StoreFixture) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let fixture = try StoreFixture(in: folder, journal: journal)
            try body(fixture)
            try fixture.store.close()
        }
    }

    func reopen(readOnly: Bool = false) throws {
        try store.close()
        var description = store.description
        description.isReadOnly = readOnly
        store = try SQLitePersistentStore.open(description)
    }

    // MARK: Locations

    func entity(_ name: String) -> EntityDescription {
        guard let entity = model.entity(named: name) else { preconditionFailure("no entity \(name)") }
        return entity
    }

    func property(_ entityName: String, _ name: String) -> Int {
        guard let property = entity(entityName).property(named: name) else {
            preconditionFailure("no property \(name)")
        }
        return property.index
    }

    func reference(_ entityName: String, _ key: Int64) -> ObjectReference {
        ObjectReference(key: key, entityIndex: entity(entityName).index)
    }

    // MARK: Changes

    func set(
        _ values: [String: PropertyValue], _ references: [String: ObjectReference?] = [:], in row: Row,
        _ entityName: String
    ) {
        for (name, value) in values {
            precondition(
                row.setValue(value, row.layout.slots[property(entityName, name)]), "\(name) is of another type")
        }
        for (name, reference) in references {
            let slot = row.layout.slots[property(entityName, name)]
            if let reference { row.setReference(reference, slot) } else { row.clear(slot) }
        }
    }

    func insertion(
        _ entityName: String, _ key: Int64, _ values: [String: PropertyValue] = [:],
        _ references: [String: ObjectReference] = [:]
    ) -> ChangeSet.Insertions {
        var batch = RowBatch()
        let row = batch.appendRow(store.layouts[entity(entityName).index], key: key, version: 0)
        set(values, references, in: row, entityName)
        return ChangeSet.Insertions(entityIndex: entity(entityName).index, rows: batch)
    }

    @discardableResult
    func insert(
        _ entityName: String, _ values: [String: PropertyValue] = [:], _ references: [String: ObjectReference] = [:]
    ) throws -> Int64 {
        var changes = ChangeSet()
        changes.insertions = [insertion(entityName, -1, values, references)]
        return try store.apply(changes).keys[0][0]
    }

    func update(
        _ entityName: String, _ key: Int64, version: Int64? = nil, _ values: [String: PropertyValue] = [:],
        _ references: [String: ObjectReference?] = [:]
    ) throws -> ChangeSet.Updates {
        let stored = try row(entityName, key)
        var batch = RowBatch()
        let row = batch.append(copyOf: stored)
        if let version { row.version = version }
        set(values, references, in: row, entityName)
        var changed = PropertySet()
        for name in values.keys { changed.insert(property(entityName, name)) }
        for name in references.keys { changed.insert(property(entityName, name)) }
        return ChangeSet.Updates(entityIndex: entity(entityName).index, rows: batch, changed: [changed])
    }

    func link(
        _ entityName: String, _ propertyName: String, _ owner: Int64, _ member: ObjectReference, isAdded: Bool = true
    ) -> ChangeSet.Link {
        ChangeSet.Link(
            entityIndex: entity(entityName).index, propertyIndex: property(entityName, propertyName), owner: owner,
            member: member, isAdded: isAdded)
    }

    func order(_ entityName: String, _ propertyName: String, _ owner: Int64, _ members: [ObjectReference])
        -> ChangeSet.Order
    {
        ChangeSet.Order(
            entityIndex: entity(entityName).index, propertyIndex: property(entityName, propertyName), owner: owner,
            members: members)
    }

    // MARK: Lookup

    func rows(_ entityName: String) throws -> RowBatch {
        try store.rows(RowRequest(entityIndex: entity(entityName).index))
    }

    func row(_ entityName: String, _ key: Int64) throws -> Row {
        let rows = try store.rows(RowRequest(entityIndex: entity(entityName).index, selection: .keys([key])))
        precondition(rows.count == 1, "There is no \(entityName) \(key)")
        return rows[0]
    }

    func value(_ entityName: String, _ key: Int64, _ name: String) throws -> PropertyValue {
        let row = try row(entityName, key)
        return row.value(row.layout.slots[property(entityName, name)])
    }

    func reference(_ entityName: String, _ key: Int64, _ name: String) throws -> ObjectReference? {
        let row = try row(entityName, key)
        return row.reference(row.layout.slots[property(entityName, name)])
    }

    func members(_ entityName: String, _ key: Int64, _ name: String) throws -> [ObjectReference] {
        try store.related(
            entityIndex: entity(entityName).index, propertyIndex: property(entityName, name), owners: [key],
            includingRows: false
        ).members[0]
    }

    /// What SQLite itself sees in the file, WAL included.
    func sql(_ statement: String) throws -> [[SQLiteValue]] {
        try Connection.reading(url.path) { try $0.rows(statement) }
    }
}
