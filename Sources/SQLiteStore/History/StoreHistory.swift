import Foundation
import Query
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Reads and deletes the history of an open store.
struct StoreHistory {
    let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    private func tables() throws -> HistoryTables? {
        try session.historyWriter.tables(creating: false, on: session.connection)
    }

    // MARK: Reading

    func transactions(_ request: PersistentHistoryRequest) throws -> [PersistentHistoryTransaction] {
        guard let tables = try tables() else { return [] }
        try check(request.token)
        var conditions: [SQLFragment] = []
        func name(_ column: String) -> String {
            tables.internsStrings
                ? "ifnull((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(column)TS), t.\(column))"
                : "t.\(column)"
        }
        if let token = request.token { conditions.append(SQLFragment("t.Z_PK > ?", [.integer(token.number)])) }
        if let date = request.date {
            conditions.append(SQLFragment("t.ZTIMESTAMP > ?", [.real(date.timeIntervalSinceReferenceDate)]))
        }
        if let author = request.author { conditions.append(SQLFragment("\(name("ZAUTHOR")) = ?", [.text(author)])) }
        for author in request.excludedAuthors.sorted() {
            conditions.append(SQLFragment("\(name("ZAUTHOR")) IS NOT ?", [.text(author)]))
        }
        if let context = request.contextName {
            conditions.append(SQLFragment("\(name("ZCONTEXTNAME")) = ?", [.text(context)]))
        }
        let selection = changeConditions(request)
        if !selection.text.isEmpty {
            conditions.append(
                SQLFragment("EXISTS (SELECT 1 FROM ACHANGE c WHERE c.ZTRANSACTIONID = t.Z_PK", []) + selection
                    + SQLFragment(")"))
        }
        var statement = SQLFragment(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(name("ZAUTHOR")), \(name("ZCONTEXTNAME")), \(name("ZBUNDLEID")), \(name("ZPROCESSID")) FROM ATRANSACTION t"
        )
        if !conditions.isEmpty { statement += SQLFragment(" WHERE ") + conditions.joined(" AND ") }
        statement += SQLFragment(
            " ORDER BY t.Z_PK LIMIT ?", [.integer(request.fetchLimit > 0 ? Int64(request.fetchLimit) : -1)])
        let rows = try session.connection.rows(statement.text, statement.arguments)
        guard let first = rows.first?[0].integer, let last = rows.last?[0].integer else { return [] }
        let changes = try changes(from: first, to: last, selection, tables)
        return rows.map { row in
            let number = row[0].integer ?? 0, bundle = row[4].text
            return PersistentHistoryTransaction(
                transactionNumber: number, storeID: session.identity.uuid,
                timestamp: Date(timeIntervalSinceReferenceDate: row[1].real ?? row[1].integer.map(Double.init) ?? 0),
                author: row[2].text, contextName: row[3].text, bundleID: bundle, processID: row[5].text,
                changes: (changes[number] ?? []).compactMap {
                    change($0, tables, isOurs: bundle == HistoryTables.bundleID)
                })
        }
    }

    private func changeConditions(_ request: PersistentHistoryRequest) -> SQLFragment {
        var condition = SQLFragment("")
        if let names = request.entityNames {
            let numbers = names.compactMap { name in
                session.layout.model.entity(named: name).flatMap { session.layout[$0.index]?.number }
            }.sorted()
            condition += SQLFragment(" AND c.ZENTITY IN (\(numbers.map(String.init).joined(separator: ", ")))")
        }
        if let id = request.objectID {
            let root = session.layout.model.entity(named: id.entity.name).map {
                session.layout.model.entities[$0.rootIndex]
            }
            let numbers =
                id.store == session.identity
                ? root.map { session.layout.numbers(of: $0.index, includingSubentities: true) } ?? [] : []
            condition += SQLFragment(
                " AND c.ZENTITY IN (\(numbers.map(String.init).joined(separator: ", "))) AND c.ZENTITYPK = ?",
                [.integer(id.key)])
        }
        return condition
    }

    private func changes(from first: Int64, to last: Int64, _ selection: SQLFragment, _ tables: HistoryTables) throws
        -> [Int64: [[SQLiteValue]]]
    {
        let tombstones = (0..<tables.tombstoneCount).map { ", c.ZTOMBSTONE\($0)" }.joined()
        var statement = SQLFragment(
            "SELECT c.ZTRANSACTIONID, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS\(tombstones) FROM ACHANGE c WHERE c.ZTRANSACTIONID BETWEEN ? AND ?",
            [.integer(first), .integer(last)])
        statement += selection + SQLFragment(" ORDER BY c.ZTRANSACTIONID, c.Z_PK")
        return Dictionary(grouping: try session.connection.rows(statement.text, statement.arguments)) {
            $0[0].integer ?? 0
        }
    }

    /// The change in a row; nil for objects of entities that the model lacks.
    private func change(_ row: [SQLiteValue], _ tables: HistoryTables, isOurs: Bool) -> PersistentHistoryChange? {
        guard let kind = row[1].integer.flatMap({ PersistentHistoryChange.Kind(rawValue: Int($0)) }),
            let number = row[2].integer, let key = row[3].integer, key > 0,
            let entityIndex = session.layout.entityIndex(number: number)
        else { return nil }
        let entity = session.layout.model.entities[entityIndex]
        var updated: Set<String>?
        if kind == .update, isOurs, let bytes = row[4].blob {
            updated = Set(
                HistoryTables.countedProperties(of: entity).enumerated()
                    .filter { place, _ in place / 8 < bytes.count && bytes[place / 8] & (0x80 >> UInt8(place % 8)) != 0
                    }.map(\.element.name))
        }
        var tombstone: [String: PropertyValue]?
        if kind == .delete {
            tombstone = [:]
            for (property, cell) in zip(HistoryTables.preservedAttributes(of: entity), row.dropFirst(5)) {
                if let type = property.attribute?.type, let value = PropertyValue(cell, type) {
                    tombstone?[property.name] = value
                }
            }
        }
        return PersistentHistoryChange(
            kind: kind, changedObjectID: ManagedObjectID(store: session.identity, entityIndex: entityIndex, key: key),
            updatedProperties: updated, tombstone: tombstone)
    }

    // MARK: Locations

    func currentHistoryToken() throws -> PersistentHistoryToken? {
        guard try tables() != nil else {
            // The first transaction makes the tables.
            return session.description.tracksHistory
                ? PersistentHistoryToken(storeUUID: session.identity.uuid, number: 0) : nil
        }
        let greatest =
            try session.connection.value("SELECT max(Z_PK) FROM ATRANSACTION")?.integer
            ?? session.connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")?.integer
        return PersistentHistoryToken(storeUUID: session.identity.uuid, number: max(greatest ?? 0, 0))
    }

    private func check(_ token: PersistentHistoryToken?) throws {
        guard let token else { return }
        guard token.storeUUID == session.identity.uuid else {
            throw StorageError(.unknownObject, "The token is of the history of another store, \(token.storeUUID)")
        }
        let greatest = try session.connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")?.integer ?? 0
        let first = try session.connection.value("SELECT min(Z_PK) FROM ATRANSACTION")?.integer ?? greatest &+ 1
        guard token.number >= first &- 1 else {
            throw StorageError(
                .historyExpired,
                "The history after the token was purged up to transaction \(first &- 1): read the objects themselves anew"
            )
        }
    }

    func deleteHistory(before condition: SQLFragment) throws -> Int {
        try session.checkWritable()
        guard try tables() != nil else { return 0 }
        return try session.connection.transaction(.immediate) {
            try session.connection.run(
                "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition.text))",
                condition.arguments)
            try session.connection.run("DELETE FROM ATRANSACTION WHERE \(condition.text)", condition.arguments)
            return session.connection.changes
        }
    }
}

extension PropertyValue {
    /// The value of a column of the given type; nil for NULL, and for a value that the type can't
    /// have.
    fileprivate init?(_ cell: SQLiteValue, _ type: AttributeType) {
        switch (type, cell) {
        case (.integer16, .integer(let value)), (.integer32, .integer(let value)), (.integer64, .integer(let value)):
            self = .int(value)
        case (.boolean, .integer(let value)): self = .bool(value != 0)
        case (.double, .real(let value)), (.float, .real(let value)): self = .double(value)
        case (.date, .real(let value)): self = .date(Date(timeIntervalSinceReferenceDate: value))
        case (.date, .integer(let value)): self = .date(Date(timeIntervalSinceReferenceDate: Double(value)))
        case (.decimal, .integer(let value)): self = .decimal(Decimal(value))
        case (.decimal, .real(let value)): self = .decimal(Decimal(string: "\(value)") ?? Decimal(value))
        case (.string, .text(let value)): self = .string(value)
        case (.uri, .text(let value)):
            guard let url = URL(string: value) else { return nil }
            self = .uri(url)
        case (.uuid, .blob(let bytes)) where bytes.count == 16:
            self = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case (.binary, .blob(let bytes)), (.transformable, .blob(let bytes)): self = .data(Data(bytes))
        default: return nil
        }
    }
}

extension StoreSession {
    /// The persistent history in this session's store.
    var history: StoreHistory { StoreHistory(self) }
}
