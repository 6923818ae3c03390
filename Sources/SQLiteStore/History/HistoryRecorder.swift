import Foundation
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Writes one history transaction during a save, within the same database transaction.
///
/// Invariants:
/// 1. Primary keys of transactions, changes and strings are never reused, even after a purge:
///    `Z_PRIMARYKEY` keeps the greatest.
final class HistoryRecorder {
    private let connection: Connection
    private let layout: StoreLayout
    private let tables: HistoryTables
    private let transaction: Int64
    private var nextChange: Int64

    init(_ connection: Connection, _ layout: StoreLayout, _ tables: HistoryTables, _ origin: ChangeOrigin) throws {
        self.connection = connection
        self.layout = layout
        self.tables = tables
        transaction = try Self.nextNumber(HistoryTables.transactionEntity, "ATRANSACTION", connection)
        nextChange = try Self.nextNumber(HistoryTables.changeEntity, "ACHANGE", connection)
        try writeTransaction(origin)
    }

    /// A margin that is larger than the number of changes in any save.
    private static let greatestUsable = Int64.max - Int64(UInt32.max)

    private static func nextNumber(_ entity: Int64, _ table: String, _ connection: Connection) throws -> Int64 {
        let greatest = try connection.value(
            "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), ifnull((SELECT max(Z_PK) FROM \(table)), 0))",
            [.integer(entity)])
        let used = max(greatest?.integer ?? 0, 0)
        guard used < greatestUsable else { throw StorageError(.full, "The store has no numbers left for its history") }
        return used + 1
    }

    private func noteGreatest(_ number: Int64, _ entity: Int64) throws {
        try connection.run("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", [.integer(number), .integer(entity)])
    }

    private func writeTransaction(_ origin: ChangeOrigin) throws {
        let names = [origin.author, HistoryTables.bundleID, origin.contextName, ProcessInfo.processInfo.processName]
        let values = try names.map { try tables.internsStrings ? number(of: $0) : $0.map { .text($0) } ?? .null }
        let suffix = tables.internsStrings ? "TS" : ""
        try connection.run(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR\(suffix), ZBUNDLEID\(suffix), ZCONTEXTNAME\(suffix), ZPROCESSID\(suffix)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(transaction), .integer(HistoryTables.transactionEntity),
                .real(Date().timeIntervalSinceReferenceDate),
            ] + values)
        try noteGreatest(transaction, HistoryTables.transactionEntity)
    }

    private func number(of name: String?) throws -> SQLiteValue {
        guard let name else { return .null }
        if let known = try connection.value("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(name)]) {
            return known
        }
        let number = try Self.nextNumber(HistoryTables.stringEntity, "ATRANSACTIONSTRING", connection)
        try connection.run(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)",
            [.integer(number), .integer(HistoryTables.stringEntity), .text(name)])
        try noteGreatest(number, HistoryTables.stringEntity)
        return .integer(number)
    }

    // MARK: Changes

    func note(_ insertions: [ChangeSet.Insertions], keys: [[Int64]]) throws {
        for (group, keys) in zip(insertions, keys) { try note(.insert, keys, group.entityIndex, columns: nil) }
    }

    func note(_ updates: [ChangeSet.Updates]) throws {
        for group in updates {
            var keys: [PropertySet: [Int64]] = [:]
            for (index, changed) in group.changed.enumerated() {
                keys[changed, default: []].append(group.rows[index].key)
            }
            for (changed, keys) in keys { try note(.update, keys, group.entityIndex, columns: changed) }
        }
    }

    /// Records deletions. Call it before the rows are deleted, because tombstones keep some values.
    func note(_ deletions: [ChangeSet.Deletion]) throws {
        for (entityIndex, deletions) in Dictionary(grouping: deletions, by: \.entityIndex) {
            try note(.delete, deletions.map(\.key), entityIndex, columns: nil)
        }
    }

    func note(_ kind: PersistentHistoryChange.Kind, _ references: [ObjectReference], columns: PropertySet?) throws {
        for (entityIndex, references) in Dictionary(grouping: references, by: \.entityIndex) {
            try note(kind, references.map(\.key), entityIndex, columns: columns)
        }
    }

    private func note(_ kind: PersistentHistoryChange.Kind, _ keys: [Int64], _ entityIndex: Int, columns: PropertySet?)
        throws
    {
        guard !keys.isEmpty else { return }
        let storage = try layout.storage(of: entityIndex)
        var numbers: [Int64] = []
        numbers.reserveCapacity(keys.count * 4)
        for key in keys {
            numbers += [nextChange, storage.number, key, transaction]
            nextChange += 1
        }
        var names = "Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS"
        var values =
            "s.c0, \(HistoryTables.changeEntity), \(kind.rawValue), s.c1, s.c2, s.c3, \(columns.map { bitmap($0, entityIndex) } ?? "NULL")"
        var source = "\(try connection.bulk.sourceTable(columns: 4)) s"
        let kept = kind == .delete ? tombstoneColumns(storage) : []
        if !kept.isEmpty {
            source += " CROSS JOIN \(SQLName.quoted(storage.table)) t ON t.Z_PK = s.c2"
            for (index, column) in kept.enumerated() {
                names += ", ZTOMBSTONE\(index)"
                values += ", t.\(SQLName.quoted(column))"
            }
        }
        try connection.withStatement("INSERT INTO ACHANGE (\(names)) SELECT \(values) FROM \(source)") {
            try connection.bulk.run($0, from: NumberSource(numbers, width: 4))
        }
        try noteGreatest(nextChange - 1, HistoryTables.changeEntity)
    }

    private func tombstoneColumns(_ storage: EntityStorage) -> [String] {
        HistoryTables.preservedAttributes(of: layout.model.entities[storage.entityIndex]).prefix(tables.tombstoneCount)
            .map { property in
                if case .attribute(let column) = storage.properties[property.index] { column.name } else { "Z_PK" }
            }
    }

    private func bitmap(_ changed: PropertySet, _ entityIndex: Int) -> String {
        let counted = HistoryTables.countedProperties(of: layout.model.entities[entityIndex])
        var bytes = [UInt8](repeating: 0, count: (counted.count + 7) / 8)
        for (place, property) in counted.enumerated() where changed.contains(property.index) {
            bytes[place / 8] |= 0x80 >> UInt8(place % 8)
        }
        return "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
}
