import RowMemory
import Schema
import SQLiteKit
import Storage

/// Allocates the primary keys of new rows.
final class KeyReservations {
    private let layout: StoreLayout
    /// For a document's store: the greatest reserved key, which no row may have yet, by the number
    /// of the root entity.
    private var held: [Int64: Int64] = [:]

    /// The part of these that the next commit notes, whatever it changes.
    private var retired: [Int64: Int64] = [:]

    init(_ layout: StoreLayout) { self.layout = layout }

    /// Assigns primary keys to new objects, and raises `Z_MAX` for rows that already have keys.
    func assignKeys(
        to insertions: [ChangeSet.Insertions], _ save: inout SaveInProgress, on connection: Connection
    ) throws -> SaveReceipt {
        guard !insertions.isEmpty else { return SaveReceipt(keys: []) }
        var needed: [Int64: Int] = [:], greatest: [Int64: Int64] = [:]
        let given = insertions.map(\.rows.keys)
        for (group, keys) in zip(insertions, given) {
            let storage = try layout.storage(of: group.entityIndex)
            var count = 0, highest: Int64 = 0
            for key in keys {
                if key < 0 { count += 1 } else { highest = max(highest, key) }
            }
            needed[storage.rootNumber, default: 0] += count
            greatest[storage.rootNumber] = max(greatest[storage.rootNumber] ?? 0, highest)
        }
        var next: [Int64: Int64] = [:]
        for (root, count) in needed {
            guard let storage = layout.storedEntities.first(where: { $0.number == root }) else { continue }
            next[root] = try reserveKeys(
                storage, count: count, atLeast: max(greatest[root] ?? 0, held[root] ?? 0), on: connection)
        }
        return SaveReceipt(
            keys: try zip(insertions, given).map { group, keys in
                let root = try layout.storage(of: group.entityIndex).rootNumber
                return keys.map { key in
                    guard key < 0 else { return key }
                    let assigned = next[root] ?? 1
                    next[root] = assigned + 1
                    save.keys.set(assigned, for: key)
                    return assigned
                }
            })
    }

    /// Raises the greatest key of a hierarchy (`Z_MAX`) and returns the first reserved key.
    func reserveKeys(_ storage: EntityStorage, count: Int, atLeast greatest: Int64 = 0, on connection: Connection)
        throws -> Int64
    {
        let keys = try freeKeys(storage, count: count, atLeast: greatest, on: connection)
        try connection.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", [.integer(keys.last), .integer(storage.rootNumber)])
        return keys.first
    }

    /// Reserves keys for later rows without a commit. Only for a store with a single writer: keys
    /// that remain unused are allocated again by the next session.
    func holdKeys(_ storage: EntityStorage, count: Int, on connection: Connection) throws -> Int64 {
        let keys = try freeKeys(storage, count: count, atLeast: held[storage.rootNumber] ?? 0, on: connection)
        held[storage.rootNumber] = keys.last
        return keys.first
    }

    /// Has the following commits note that a key and those before are given out.
    func retire(_ storage: EntityStorage, upTo key: Int64) { retired[storage.rootNumber] = key }

    func noteRetired(on connection: Connection) throws {
        for (root, key) in retired {
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND ifnull(Z_MAX, 0) < ?1",
                [.integer(key), .integer(root)])
        }
    }

    /// The greatest number that is given out, to rows or to ones that come later.
    func greatestKey(_ storage: EntityStorage, on connection: Connection) throws -> Int64 {
        max(try greatestNoted(storage, on: connection), held[storage.rootNumber] ?? 0, 0)
    }

    private func greatestNoted(_ storage: EntityStorage, on connection: Connection) throws -> Int64 {
        // A foreign writer may have forgotten to raise it.
        try connection.value(
            "SELECT max(ifnull(Z_MAX, 0), ifnull((SELECT max(Z_PK) FROM \(SQLName.quoted(storage.table))), 0)) FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
            [.integer(storage.rootNumber)])?.integer ?? 0
    }

    private func freeKeys(
        _ storage: EntityStorage, count: Int, atLeast greatest: Int64, on connection: Connection
    ) throws -> (
        first: Int64, last: Int64
    ) {
        let used = max(try greatestNoted(storage, on: connection), greatest, 0)
        let (last, overflow) = used.addingReportingOverflow(Int64(count))
        guard !overflow, last < .max else { throw StorageError(.full, "The store has no numbers left for new objects") }
        return (used + 1, last)
    }
}
