import RowMemory
import SQLiteKit
import Storage

extension StoreSession {
    /// The rows, as they are now, of objects whose derived values changed in this transaction.
    func takeDerivedRows() throws -> RowBatch {
        var batch = RowBatch()
        for (entityIndex, keys) in takeDerivedKeys() {
            let rows = try rows(
                RowRequest(entityIndex: entityIndex, includesSubentities: false, selection: .keys(keys)))
            for index in 0..<rows.count { _ = batch.append(copyOf: rows[index]) }
        }
        return batch
    }

    /// The same by their numbers.
    func takeDerivedReferences(besides known: [ObjectReference]) -> [ObjectReference] {
        let known = Set(known)
        return takeDerivedKeys().flatMap { entityIndex, keys in
            keys.map { ObjectReference(key: $0, entityIndex: entityIndex) }
        }.filter { !known.contains($0) }
    }

    // MARK: Older stores

    /// Gives derived attributes their triggers, and all objects their values, where a store has
    /// none: Folio's stores had none before it knew derived attributes, and nobody else has kept
    /// the values either. Within a transaction that writes.
    ///
    /// An attribute with any trigger of its name, whoever spelled it, stays as it is found: Core
    /// Data makes the triggers with the store, so that its stores are never changed here. Reading
    /// alone changes nothing; until the first save the values are what the file says.
    func completeDerivedTriggers() throws {
        guard !hasDerivedTriggers else { return }
        // A way of deriving that only somebody else's triggers know is theirs to keep.
        let wanted = (try? StoreSchema(layout).derivedTriggers()) ?? []
        guard !wanted.isEmpty else { return }
        let present = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'Z!_DA!_%' ESCAPE '!'"
        ).compactMap(\.[0].text)
        let missing = wanted.filter { triggers in !present.contains { triggers.isTrigger(named: $0) } }
        // All triggers first, so that what is made of a derived value follows it.
        for trigger in missing.flatMap(\.definitions) { try connection.execute(trigger.statement) }
        for triggers in missing { try connection.execute(triggers.refreshing) }
    }

    private func takeDerivedKeys() -> [(entityIndex: Int, keys: [Int64])] {
        derivedChanges.takeAll().sorted { $0.key < $1.key }.compactMap { number, keys in
            layout.entityIndex(number: number).map { ($0, keys.sorted()) }
        }
    }
}
