import RowMemory
package import Schema
package import Storage
import Synchronization

/// Which tables and columns of a store hold what a model describes (CoreDataSQLite).
///
/// For an existing store every name in it has been found in the file. For a new one the names are
/// what Core Data would make.
package final class StoreLayout: Sendable {
    package let model: ManagedObjectModel
    private let storages: [EntityStorage?]
    /// Full text and R-trees, as far as the store has them.
    let sideIndexes: SideIndexes
    private let indexByNumber: [Int64: Int]
    /// How rows were read that somebody asked for.
    private let rowColumns = Mutex<[RowColumns.Key: RowColumns]>([:])

    /// The layout of a new store of a configuration, nil for the whole model.
    /// - Throws: `StorageError.cannotCreate` if there is no such configuration.
    package static func creating(_ model: ManagedObjectModel, configuration: String?) throws(StorageError)
        -> StoreLayout
    {
        try LayoutBuilder.layout(creating: model, configuration: configuration)
    }

    /// The layout of an existing store.
    /// - Throws: `StorageError.damaged` if the file lacks a table or a column that the model needs.
    package static func reading(_ model: ManagedObjectModel, from catalog: StoreCatalog) throws(StorageError)
        -> StoreLayout
    {
        try LayoutBuilder.layout(of: model, in: catalog)
    }

    /// `storages` by position of the entity in the model, nil for those that the store does not
    /// hold.
    init(model: ManagedObjectModel, storages: [EntityStorage?], sideIndexes: SideIndexes) {
        self.model = model
        self.storages = storages
        self.sideIndexes = sideIndexes
        indexByNumber = Dictionary(
            storages.compactMap { $0 }.map { ($0.number, $0.entityIndex) }, uniquingKeysWith: { first, _ in first })
    }

    /// The storage of the entity at a position of the model, nil if the store does not hold such
    /// objects (it has another configuration).
    package subscript(entityIndex: Int) -> EntityStorage? { storages[entityIndex] }

    /// - Throws: `StorageError.unsupported` if the store does not hold objects of the entity.
    package func storage(of entityIndex: Int) throws(StorageError) -> EntityStorage {
        guard let storage = storages[entityIndex] else {
            throw StorageError(
                .unsupported, "The store holds no objects of the entity \(model.entities[entityIndex].name)")
        }
        return storage
    }

    /// How the rows of an entity are read. Worked out anew where rows are of other layouts than the
    /// last time.
    func rowColumns(_ key: RowColumns.Key, _ rowLayouts: [RowLayout]) throws(StorageError) -> RowColumns {
        if let known = rowColumns.withLock({ $0[key] }), known.isMade(for: rowLayouts) { return known }
        let columns = RowColumns(
            try storage(of: key.entityIndex), includingSubentities: key.includesSubentities, layout: self,
            rowLayouts: rowLayouts)
        rowColumns.withLock { $0[key] = columns }
        return columns
    }

    /// The position in the model of the entity with a `Z_ENT`.
    package func entityIndex(number: Int64) -> Int? { indexByNumber[number] }

    /// The entities of the store's own numbering, in its order.
    package var storedEntities: [EntityStorage] { storages.compactMap { $0 }.sorted { $0.number < $1.number } }

    /// The numbers of an entity and, if asked for, its descendants, in ascending order.
    package func numbers(of entityIndex: Int, includingSubentities: Bool) -> [Int64] {
        let indices = includingSubentities ? model.entities[entityIndex].family : entityIndex..<(entityIndex + 1)
        return indices.compactMap { storages[$0]?.number }.sorted()
    }
}
