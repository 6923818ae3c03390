import RowMemory
package import Schema
package import Storage
import Synchronization

/// The mapping from a model to the tables and columns of a store.
///
/// For an existing store every name was found in the file. For a new store the names are those that
/// Core Data would create.
package final class StoreLayout: Sendable {
    package let model: ManagedObjectModel
    private let storages: [EntityStorage?]
    /// The full-text indexes and R-trees that the store has.
    let sideIndexes: SideIndexes
    /// The parts of the model that the file has no table or column for.
    package let missing: [MissingPart]
    private let missingByEntity: [Int: [MissingPart]]
    private let indexByNumber: [Int64: Int]
    /// Cache of the columns to read for the requested entities.
    private let rowColumns = Mutex<[RowColumns.Key: RowColumns]>([:])

    /// The layout of a new store for a configuration; nil means the whole model.
    /// - Throws: `StorageError.cannotCreate` if there is no such configuration.
    package static func creating(_ model: ManagedObjectModel, configuration: String?) throws(StorageError)
        -> StoreLayout
    {
        try LayoutBuilder.layout(creating: model, configuration: configuration)
    }

    /// The layout of an existing store. What the file lacks costs that part: see ``missing``.
    /// - Throws: `StorageError.damaged` if the file has none of the model's tables.
    package static func reading(_ model: ManagedObjectModel, from catalog: StoreCatalog) throws(StorageError)
        -> StoreLayout
    {
        try LayoutBuilder.layout(of: model, in: catalog)
    }

    /// `storages` is indexed by the entity's index in the model; nil for entities that are not
    /// stored.
    init(
        model: ManagedObjectModel, storages: [EntityStorage?], sideIndexes: SideIndexes, missing: [MissingPart] = []
    ) {
        self.model = model
        self.storages = storages
        self.sideIndexes = sideIndexes
        self.missing = missing
        var missingByEntity: [Int: [MissingPart]] = [:]
        for part in missing {
            // Descendants inherit the property.
            let entities =
                part.propertyIndex == nil
                ? part.entityIndex..<(part.entityIndex + 1) : model.entities[part.entityIndex].family
            for index in entities { missingByEntity[index, default: []].append(part) }
        }
        self.missingByEntity = missingByEntity
        indexByNumber = Dictionary(
            storages.compactMap { $0 }.map { ($0.number, $0.entityIndex) }, uniquingKeysWith: { first, _ in first })
    }

    /// The storage of the entity at an index of the model; nil if the store's configuration does
    /// not include it.
    package subscript(entityIndex: Int) -> EntityStorage? { storages[entityIndex] }

    /// - Throws: `StorageError.unsupported` if the store does not hold objects of the entity.
    package func storage(of entityIndex: Int) throws(StorageError) -> EntityStorage {
        guard let storage = storages[entityIndex] else {
            if lacksTable(of: entityIndex) {
                let name = model.entities[entityIndex].name
                throw StorageError(
                    .unsupported, "The store has no table for objects of the entity \(name)", entities: [name])
            }
            throw StorageError(
                .unsupported, "The store holds no objects of the entity \(model.entities[entityIndex].name)")
        }
        return storage
    }

    /// The parts of an entity that the file has no column for.
    func missingParts(of entityIndex: Int) -> [MissingPart] { missingByEntity[entityIndex] ?? [] }

    /// Whether the store should have a table for the entity and has none.
    func lacksTable(of entityIndex: Int) -> Bool {
        missingParts(of: entityIndex).contains { $0.propertyIndex == nil }
    }

    /// The columns to read for an entity. Recomputed if the row layouts differ from the cached
    /// ones.
    func rowColumns(_ key: RowColumns.Key, _ rowLayouts: [RowLayout]) throws(StorageError) -> RowColumns {
        if let known = rowColumns.withLock({ $0[key] }), known.isMade(for: rowLayouts) { return known }
        let columns = RowColumns(
            try storage(of: key.entityIndex), includingSubentities: key.includesSubentities, layout: self,
            rowLayouts: rowLayouts)
        rowColumns.withLock { $0[key] = columns }
        return columns
    }

    /// The index in the model of the entity with a `Z_ENT`.
    package func entityIndex(number: Int64) -> Int? { indexByNumber[number] }

    /// The stored entities, ordered by their numbers.
    package var storedEntities: [EntityStorage] { storages.compactMap { $0 }.sorted { $0.number < $1.number } }

    /// The numbers of an entity and optionally its descendants, in ascending order.
    package func numbers(of entityIndex: Int, includingSubentities: Bool) -> [Int64] {
        let indices = includingSubentities ? model.entities[entityIndex].family : entityIndex..<(entityIndex + 1)
        return indices.compactMap { storages[$0]?.number }.sorted()
    }
}
