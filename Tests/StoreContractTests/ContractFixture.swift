import Foundation
import Query
import RowMemory
import Schema
import Storage
import TestSupport

/// A new store of one kind in a folder of its own, and the few lines that tests read and write it
/// with.
final class ContractFixture {
    let kind: StoreKind
    let url: URL
    let model: ManagedObjectModel
    private(set) var store: any StoreBackend

    private init(_ kind: StoreKind, in folder: URL) throws {
        self.kind = kind
        url = folder.appendingPathComponent("Contract.store")
        model = try ContractModel.make()
        store = try kind.factory.open(PersistentStoreDescription(url: url, type: kind.factory.type), model)
    }

    static func run(_ kind: StoreKind, _ body: (ContractFixture) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let fixture = try ContractFixture(kind, in: folder)
            try body(fixture)
            try fixture.store.close()
        }
    }

    /// Closes the store and opens it again; a store without a file stays as it is.
    func reopen(readOnly: Bool = false) throws {
        guard kind.hasFile else { return }
        try store.close()
        store = try open(readOnly: readOnly)
    }

    /// Another store on the same file.
    func open(readOnly: Bool = false, model: ManagedObjectModel? = nil) throws -> any StoreBackend {
        var description = PersistentStoreDescription(url: url, type: kind.factory.type)
        description.isReadOnly = readOnly
        description.createsIfMissing = false
        return try kind.factory.open(description, model ?? (kind.carriesModel ? nil : self.model))
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

    private func set(
        _ values: [String: PropertyValue], _ references: [String: ObjectReference?], in row: Row, _ entityName: String
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
        try apply { $0.insertions = [insertion(entityName, -1, values, references)] }.keys[0][0]
    }

    func update(
        _ entityName: String, _ key: Int64, version: Int64? = nil, _ values: [String: PropertyValue] = [:],
        _ references: [String: ObjectReference?] = [:]
    ) throws -> ChangeSet.Updates {
        var batch = RowBatch()
        let row = batch.append(copyOf: try row(entityName, key))
        if let version { row.version = version }
        set(values, references, in: row, entityName)
        var changed = PropertySet()
        for name in Array(values.keys) + Array(references.keys) { changed.insert(property(entityName, name)) }
        return ChangeSet.Updates(entityIndex: entity(entityName).index, rows: batch, changed: [changed])
    }

    func deletion(_ entityName: String, _ key: Int64, version: Int64 = 1) -> ChangeSet.Deletion {
        ChangeSet.Deletion(entityIndex: entity(entityName).index, key: key, version: version)
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

    @discardableResult
    func apply(_ fill: (inout ChangeSet) throws -> Void) throws -> SaveReceipt {
        var changes = ChangeSet()
        try fill(&changes)
        return try store.apply(changes)
    }

    // MARK: Lookup

    func request(
        _ entityName: String, _ predicate: String? = nil, sort: [SortKey] = [], offset: Int = 0, limit: Int? = nil,
        subentities: Bool = true,
        excluding: [Int64] = []
    ) throws -> RowRequest {
        let entity = entity(entityName)
        let condition = try predicate.map {
            try FetchPredicate(format: $0).validated(against: entity, in: model, store: store.identity)
        }
        return RowRequest(
            entityIndex: entity.index, includesSubentities: subentities, selection: .matching(condition),
            sortKeys: try sort.map { try $0.validated(against: entity, in: model) }, offset: offset, limit: limit,
            excludedKeys: excluding)
    }

    func keys(_ request: RowRequest) throws -> [Int64] {
        let rows = try store.rows(request)
        return (0..<rows.count).map { rows[$0].key }
    }

    func row(_ entityName: String, _ key: Int64) throws -> Row {
        let rows = try store.rows(RowRequest(entityIndex: entity(entityName).index, selection: .keys([key])))
        guard rows.count == 1 else { throw Missing(object: "\(entityName)/p\(key)") }
        return rows[0]
    }

    struct Missing: Error {
        let object: String
    }

    func value(_ entityName: String, _ key: Int64, _ name: String) throws -> PropertyValue {
        let row = try row(entityName, key)
        return row.value(row.layout.slots[property(entityName, name)])
    }

    func reference(_ entityName: String, _ key: Int64, _ name: String) throws -> ObjectReference? {
        let row = try row(entityName, key)
        return row.reference(row.layout.slots[property(entityName, name)])
    }

    func members(_ entityName: String, _ key: Int64, _ name: String) throws -> [Int64] {
        try store.related(
            entityIndex: entity(entityName).index, propertyIndex: property(entityName, name), owners: [key],
            includingRows: false
        )
        .members[0].map(\.key)
    }
}
