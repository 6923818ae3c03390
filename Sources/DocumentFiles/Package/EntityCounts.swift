package import Schema
package import Storage

/// How many objects of each entity a document has, kept up by what saves and autosaves change.
package struct EntityCounts: Sendable, Hashable {
    /// By the position of the entity; sub-entities are not counted in.
    private var counts: [Int]
    private let names: [String]
    private let isAbstract: [Bool]

    /// A document without objects.
    package init(_ model: ManagedObjectModel) {
        counts = [Int](repeating: 0, count: model.entities.count)
        names = model.entities.map(\.name)
        isAbstract = model.entities.map(\.isAbstract)
    }

    /// What a manifest says; nil where it speaks of other entities, or of more objects than any
    /// store has.
    package init?(_ model: ManagedObjectModel, manifest: [String: Int]) {
        self.init(model)
        for index in counts.indices where !isAbstract[index] {
            guard let count = manifest[names[index]], (0...(1 << 48)).contains(count) else { return nil }
            counts[index] = count
        }
    }

    /// What is in a store.
    package init(counting store: any StoreBackend) throws {
        let model = store.identity.model
        self.init(model)
        for entity in model.entities where !entity.isAbstract {
            counts[entity.index] = try store.count(RowRequest(entityIndex: entity.index, includesSubentities: false))
        }
    }

    package mutating func apply(_ changes: ChangeSet, _ receipt: SaveReceipt) {
        for insertions in changes.insertions { counts[insertions.entityIndex] += insertions.rows.count }
        for deletion in changes.deletions { counts[deletion.entityIndex] -= 1 }
        for (deletion, count) in zip(changes.memberDeletions, receipt.deletedMembers) {
            counts[deletion.destinationIndex] -= count
        }
    }

    /// How many objects there are in all.
    package var total: Int { counts.reduce(0, +) }

    /// By name, as manifests have them.
    var byName: [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.indices.filter { !isAbstract[$0] }.map { (names[$0], counts[$0]) })
    }
}
