import Schema
import SQLiteKit
import Storage
import Synchronization

/// What was worked out of a schema: its catalog, and the layouts for the models that stores with it
/// were opened with. Kept for the few schemas that this process has seen last, so that opening a
/// store costs what is in the store, not what its schema means.
final class KnownSchema: Sendable {
    /// Tells schemas apart by their text.
    struct Fingerprint: Hashable {
        /// Everything in the schema, as it was declared.
        let declarations: String
        /// All rows of `Z_PRIMARYKEY` but for the greatest keys.
        let entities: String
        /// Whether the schema was found to keep to the rules for documents.
        let isDocument: Bool

        var count: Int { declarations.utf8.count + entities.utf8.count }
    }

    let catalog: StoreCatalog
    /// By the number of the model.
    private let layouts = Mutex(RecentlyUsed<UInt64, StoreLayout>(capacity: 4))

    private static let known = Mutex(RecentlyUsed<Fingerprint, KnownSchema> { $0.count <= 256 << 10 })

    private init(_ catalog: StoreCatalog) { self.catalog = catalog }

    /// Whether a store with these declarations was found to be one, and one fit for a document
    /// where that is asked.
    static func contains(declarations: String, isDocument: Bool) -> Bool {
        known.withLock {
            $0.contains { $0.isDocument == isDocument && $0.declarations == declarations }
        }
    }

    /// The schema with this fingerprint, whose catalog `read` reads where it is not known.
    static func with(_ fingerprint: Fingerprint, read: () throws -> StoreCatalog) rethrows -> KnownSchema {
        try known.value(for: fingerprint) { KnownSchema(try read()) }
    }

    /// The layout of a store with this schema.
    /// - Throws: `StorageError.damaged` if the schema lacks a table or a column that the model
    ///   needs.
    func layout(for model: ManagedObjectModel) throws(StorageError) -> StoreLayout {
        if let layout = layouts.withLock({ $0.value(for: model.number) }) { return layout }
        let layout = try StoreLayout.reading(model, from: catalog)
        layouts.withLock { $0.keep(layout, for: model.number) }
        return layout
    }
}
