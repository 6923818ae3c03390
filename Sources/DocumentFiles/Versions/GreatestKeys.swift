package import SQLiteStore
internal import Schema
internal import Storage

/// The greatest primary keys that a store has given out. A key stands for one object for the life
/// of a document: copies and versions may have that object, also where this store never had it or
/// has it no more.
package struct GreatestKeys: Sendable {
    /// By the names of all entities of a hierarchy, former names included, since another version of
    /// the model may divide or call them differently.
    private var keys: [String: Int64] = [:]

    /// - Throws: What reading the store throws.
    package init(of store: SQLitePersistentStore) throws {
        let model = store.identity.model
        for root in store.rootEntities { note(try store.greatestKey(entityIndex: root.index), root, model) }
    }

    /// - Parameter keys: By the names of entities.
    init(_ keys: [String: Int64], _ model: ManagedObjectModel) {
        for root in model.entities where root.index == root.rootIndex {
            note(root.family.compactMap { keys[model.entities[$0].name] }.max() ?? 0, root, model)
        }
    }

    /// The greatest key of the hierarchy with an entity; 0 for none.
    package subscript(entity: String) -> Int64 { keys[entity] ?? 0 }

    private mutating func note(_ key: Int64, _ root: EntityDescription, _ model: ManagedObjectModel) {
        guard key > 0 else { return }
        for name in Self.names(root, model) { keys[name] = max(keys[name] ?? 0, key) }
    }

    private static func names(_ root: EntityDescription, _ model: ManagedObjectModel) -> Set<String> {
        Set(
            root.family.flatMap { index in
                [model.entities[index].name, model.entities[index].definition.renamingIdentifier].compactMap { $0 }
            })
    }

    /// Makes sure that a store gives none of the keys to a new object. A document's store notes
    /// that with its next commit.
    package func hold(in store: SQLitePersistentStore) throws {
        let model = store.identity.model
        for root in store.rootEntities {
            guard let greatest = Self.names(root, model).compactMap({ keys[$0] }).max() else { continue }
            try store.retireKeys(entityIndex: root.index, upTo: greatest)
        }
    }
}

extension SQLitePersistentStore {
    /// The roots of the hierarchies that the store has.
    fileprivate var rootEntities: [EntityDescription] {
        let model = identity.model
        let held = Set((model.entities(inConfiguration: description.configuration) ?? []).map(\.rootIndex))
        return held.sorted().map { model.entities[$0] }
    }
}
