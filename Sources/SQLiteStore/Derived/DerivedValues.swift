import RowMemory
import SQLiteKit
import Storage

/// The derived attributes of an open store: their triggers, and what these change.
final class DerivedValues {
    private let layout: StoreLayout
    /// What the triggers of this transaction tell of.
    private let changes: DerivedChanges
    /// Whether derived attributes are known to have their triggers: looked up by the first save,
    /// settled when it is committed.
    private var hasTriggers = false

    init(_ layout: StoreLayout, _ changes: DerivedChanges) {
        self.layout = layout
        self.changes = changes
    }

    /// Forgets what an earlier transaction has left.
    func begin() { _ = changes.takeAll() }

    /// The keys of objects whose derived values changed in this transaction.
    func takeKeys() -> [(entityIndex: Int, keys: [Int64])] {
        changes.takeAll().sorted { $0.key < $1.key }.compactMap { number, keys in
            layout.entityIndex(number: number).map { ($0, keys.sorted()) }
        }
    }

    /// The same objects but for those that are known to have changed.
    func takeReferences(besides known: [ObjectReference]) -> [ObjectReference] {
        let known = Set(known)
        return takeKeys().flatMap { entityIndex, keys in
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
    func completeTriggers(on connection: Connection) throws {
        guard !hasTriggers else { return }
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

    /// The transaction is committed, and its triggers with it.
    func wasCommitted() { hasTriggers = true }
}
