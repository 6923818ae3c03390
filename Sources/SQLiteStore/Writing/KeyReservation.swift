import RowMemory
import Schema
import SQLiteKit
import Storage

/// Gives out the primary keys of new rows.
struct KeyReservation {
    let session: StoreSession

    init(_ session: StoreSession) { self.session = session }

    /// Gives new objects their numbers, and raises the greatest number where rows bring their own.
    func assignKeys(to insertions: [ChangeSet.Insertions], _ save: inout SaveInProgress) throws -> SaveReceipt {
        guard !insertions.isEmpty else { return SaveReceipt(keys: []) }
        var needed: [Int64: Int] = [:], greatest: [Int64: Int64] = [:]
        let given = insertions.map(\.rows.keys)
        for (group, keys) in zip(insertions, given) {
            let storage = try session.layout.storage(of: group.entityIndex)
            var count = 0, highest: Int64 = 0
            for key in keys {
                if key < 0 { count += 1 } else { highest = max(highest, key) }
            }
            needed[storage.rootNumber, default: 0] += count
            greatest[storage.rootNumber] = max(greatest[storage.rootNumber] ?? 0, highest)
        }
        var next: [Int64: Int64] = [:]
        for (root, count) in needed {
            guard let storage = session.layout.storedEntities.first(where: { $0.number == root }) else { continue }
            next[root] = try reserveKeys(
                storage, count: count, atLeast: max(greatest[root] ?? 0, session.heldKeys[root] ?? 0))
        }
        return SaveReceipt(
            keys: try zip(insertions, given).map { group, keys in
                let root = try session.layout.storage(of: group.entityIndex).rootNumber
                return keys.map { key in
                    guard key < 0 else { return key }
                    let assigned = next[root] ?? 1
                    next[root] = assigned + 1
                    save.keys.set(assigned, for: key)
                    return assigned
                }
            })
    }

    /// Raises the greatest number of a hierarchy (Z_MAX) and returns the first one that is free.
    func reserveKeys(_ storage: EntityStorage, count: Int, atLeast greatest: Int64) throws -> Int64 {
        let keys = try freeKeys(storage, count: count, atLeast: greatest)
        try session.connection.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", [.integer(keys.last), .integer(storage.rootNumber)])
        return keys.first
    }

    /// Takes numbers for rows that come later, without a commit. For a store to which nobody else
    /// writes: numbers that no row ever has are given again next time.
    func holdKeys(_ storage: EntityStorage, count: Int) throws -> Int64 {
        let keys = try freeKeys(storage, count: count, atLeast: session.heldKeys[storage.rootNumber] ?? 0)
        session.heldKeys[storage.rootNumber] = keys.last
        return keys.first
    }

    private func freeKeys(_ storage: EntityStorage, count: Int, atLeast greatest: Int64) throws -> (
        first: Int64, last: Int64
    ) {
        // A foreign writer may have forgotten to raise it.
        let maximum =
            try session.connection.value(
                "SELECT max(ifnull(Z_MAX, 0), ifnull((SELECT max(Z_PK) FROM \(SQLName.quoted(storage.table))), 0)) FROM Z_PRIMARYKEY WHERE Z_ENT = ?",
                [.integer(storage.rootNumber)])?.integer ?? 0
        let used = max(maximum, greatest, 0)
        let (last, overflow) = used.addingReportingOverflow(Int64(count))
        guard !overflow, last < .max else { throw StorageError(.full, "The store has no numbers left for new objects") }
        return (used + 1, last)
    }
}
