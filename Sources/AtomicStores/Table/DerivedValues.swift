import Foundation
import Query
import RowMemory
import Schema
import Storage

/// Updates the derived attributes of a table: each affected row is replaced by a copy with the new
/// values.
///
/// Changed objects are always updated. If an entity or relationship on the way to a value changed,
/// all objects with that derived attribute are updated, because the file is written as a whole
/// anyway.
struct DerivedValues {
    private let table: RowTable
    /// Whether the changes are a part of a copy of a store, in which dates of changes stay.
    private let isCopy: Bool
    private let now = Date()
    /// The greatest number of rounds in which values derived from derived values are updated. More
    /// rounds indicate a cycle.
    private static let mostRounds = 16

    init(_ table: RowTable, isCopy: Bool) {
        self.table = table
        self.isCopy = isCopy
    }

    /// Updates the table after `change`, whose inverse is `inverse`.
    /// - Returns: the inverse changes, and the rows with new values.
    func update(after change: TableChange, _ inverse: TableChange) throws -> (inverses: [TableChange], rows: RowBatch) {
        var changed = ChangedPositions(change, inverse, table.shape)
        var inverses: [TableChange] = []
        var latest: [ObjectReference: Row] = [:]
        do {
            for round in 0..<Self.mostRounds {
                let derived = try derive(changed, isFirst: round == 0)
                guard !derived.rows.isEmpty else { break }
                for (root, key, row) in derived.rows {
                    if let row { latest[ObjectReference(key: key, entityIndex: root)] = row }
                }
                let undone = table.exchange(derived)
                inverses.append(undone)
                changed = ChangedPositions(derived, undone, table.shape)
            }
        } catch {
            for inverse in inverses.reversed() { _ = table.exchange(inverse) }
            throw error
        }
        var rows = RowBatch()
        for row in latest.values { _ = rows.append(copyOf: row) }
        return (inverses, rows)
    }

    private func derive(_ changed: ChangedPositions, isFirst: Bool) throws -> TableChange {
        var new: [ObjectReference: Row] = [:]
        for derivation in table.shape.derivations where table.shape.isStored[derivation.entityIndex] {
            let family = table.shape.model.entities[derivation.entityIndex].family
            let root = table.shape.root(of: derivation.entityIndex)
            func consider(_ row: Row) throws {
                let reference = ObjectReference(key: row.key, entityIndex: root)
                let slot = table.shape.layouts[row.entityIndex].slots[derivation.property.index]
                let current = new[reference] ?? row
                // An inserted object that already has a value, as in a copy of a store, keeps it.
                if case .now = derivation.form {
                    guard isFirst, row.version > 1 && !isCopy || !row.hasValue(slot) else { return }
                }
                let value = try derivation.value(for: RowObject(row, in: table), now: now)
                guard current.value(slot) != value else { return }
                let made = try new[reference] ?? copy(of: row)
                guard made.setValue(value, slot) else {
                    throw StorageError(
                        .unstorable, "\(derivation.property.name) can't be derived: the value is of another type",
                        keys: [derivation.property.name], value: value)
                }
                new[reference] = made
            }
            if changed.concerns(derivation, in: table.shape) {
                try table.forEachRow(of: derivation.entityIndex, includingSubentities: true, consider)
            } else {
                for key in changed.keys[root] ?? [] {
                    if let row = table.row(key, entityIndex: root), family.contains(row.entityIndex) {
                        try consider(row)
                    }
                }
            }
        }
        var change = TableChange()
        change.rows = new.map { (table.shape.root(of: $0.value.entityIndex), $0.key.key, $0.value) }
        return change
    }

    private func copy(of row: Row) throws -> Row {
        var filler = RowFiller(table.shape.layouts[row.entityIndex], count: 1)
        let new = filler.append(key: row.key, version: row.version)
        let properties = table.shape.model.entities[row.entityIndex].properties
        for slot in table.shape.storedSlots[row.entityIndex] {
            try filler.copy(slot, from: row, into: new, properties[Int(slot.index)]) { $0 }
        }
        return new
    }
}

/// The objects and relationships that a change of a table affected.
private struct ChangedPositions {
    /// Primary keys by hierarchy.
    private(set) var keys: [Int: Set<Int64>] = [:]
    private var entities: Set<Int> = []
    private var relations: Set<Int> = []

    init(_ change: TableChange, _ inverse: TableChange, _ shape: TableShape) {
        for (root, key, _) in change.rows { keys[root, default: []].insert(key) }
        for row in [change, inverse].joined(\.rows) { entities.insert(row.entityIndex) }
        for (relation, _, _) in change.lists { relations.insert(relation) }
    }

    /// Whether the change may affect the values of objects that did not change themselves.
    func concerns(_ derivation: Derivation, in shape: TableShape) -> Bool {
        var destinations = derivation.steps.map(\.destinationIndex)
        if case .aggregate(_, let relation, _) = derivation.form {
            destinations.append(relation.destinationIndex)
            if let place = shape.relation(entityIndex: relation.declaringEntityIndex, propertyIndex: relation.index),
                relations.contains(place)
            {
                return true
            }
        }
        return destinations.contains { destination in
            entities.contains { shape.model.entities[destination].family.contains($0) }
        }
    }
}

extension [TableChange] {
    fileprivate func joined(_ rows: KeyPath<TableChange, [(root: Int, key: Int64, row: Row?)]>) -> [Row] {
        flatMap { $0[keyPath: rows].compactMap(\.row) }
    }
}
