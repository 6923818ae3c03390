import RowMemory
import SQLiteKit
import Storage

/// The derived attributes of an open store: their triggers, and the changes that these make.
final class DerivedValues {
    private let layout: StoreLayout
    /// The changes that the triggers of this transaction reported.
    private let changes: DerivedChanges
    /// Whether all derived attributes are known to have triggers. The first save checks it, and its
    /// commit confirms it.
    private var hasTriggers = false

    init(_ layout: StoreLayout, _ changes: DerivedChanges) {
        self.layout = layout
        self.changes = changes
    }

    /// Discards the changes that an earlier transaction left.
    func begin() { _ = changes.takeAll() }

    /// The keys of objects whose derived values changed in this transaction.
    func takeKeys() -> [(entityIndex: Int, keys: [Int64])] {
        changes.takeAll().sorted { $0.key < $1.key }.compactMap { number, keys in
            layout.entityIndex(number: number).map { ($0, keys.sorted()) }
        }
    }

    /// The objects whose derived values changed, without those already known to have changed.
    func takeReferences(besides known: [ObjectReference]) -> [ObjectReference] {
        let known = Set(known)
        return takeKeys().flatMap { entityIndex, keys in
            keys.map { ObjectReference(key: $0, entityIndex: entityIndex) }
        }.filter { !known.contains($0) }
    }

    // MARK: Stores of older versions

    /// Creates missing triggers of derived attributes and computes the values of all objects.
    /// Called within a write transaction.
    ///
    /// A store that Folio made before it supported derived attributes has no such triggers, and its
    /// values are outdated. If any trigger named after an attribute exists, the attribute is left
    /// alone: Core Data creates the triggers with the store, so this method never changes its
    /// stores. Opening for reading changes nothing; the values in the file are used until the first
    /// save.
    func completeTriggers(on connection: Connection) throws {
        guard !hasTriggers else { return }
        // A derivation that Folio does not support is left to its existing triggers.
        let wanted = (try? StoreSchema(layout).derivedTriggers()) ?? []
        guard !wanted.isEmpty else { return }
        let present = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'Z!_DA!_%' ESCAPE '!'"
        ).compactMap(\.[0].text)
        let missing = wanted.filter { triggers in !present.contains { triggers.isTrigger(named: $0) } }
        // Create all triggers first: a value derived from another derived value must follow its
        // update.
        for trigger in missing.flatMap(\.definitions) { try connection.execute(trigger.statement) }
        for triggers in missing { try connection.execute(triggers.refreshing) }
    }

    /// The transaction has been committed, and the triggers with it.
    func wasCommitted() { hasTriggers = true }
}
