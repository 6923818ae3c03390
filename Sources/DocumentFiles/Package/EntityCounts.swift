package import Schema
package import Storage

/// The number of objects of each entity in a document, updated with the changes of saves and
/// autosaves.
package struct EntityCounts: Sendable, Hashable {
    /// By the index of the entity, without sub-entities.
    private var counts: [Int]
    private let names: [String]
    private let isAbstract: [Bool]

    /// A document without objects.
    package init(_ model: ManagedObjectModel) {
        counts = [Int](repeating: 0, count: model.entities.count)
        names = model.entities.map(\.name)
        isAbstract = model.entities.map(\.isAbstract)
    }

    /// The counts in a manifest; nil if an entity is missing or a count is out of range.
    package init?(_ model: ManagedObjectModel, manifest: [String: Int]) {
        self.init(model)
        for index in counts.indices {
            guard let count = manifest[names[index]] ?? (isAbstract[index] ? 0 : nil), (0...(1 << 48)).contains(count)
            else { return nil }
            counts[index] = count
        }
    }

    /// Counts the objects in a store.
    package init(counting store: any StoreBackend) throws {
        let model = store.identity.model
        self.init(model)
        for entity in model.entities {
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

    /// The total number of objects.
    package var total: Int { counts.reduce(0, +) }

    /// The counts by entity name, as in manifests. Only another program can have given a row the
    /// number of an abstract entity.
    var byName: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: counts.indices.filter { !isAbstract[$0] || counts[$0] > 0 }.map {
                (names[$0], counts[$0])
            })
    }
}
