import Schema
import SQLiteKit
import Storage
import Synchronization

/// A cached schema: its catalog, and the layouts for the models with which stores of this schema
/// were opened. The most recent schemas of the process are kept, so that opening a store does not
/// analyze its schema again.
final class KnownSchema: Sendable {
    /// Identifies a schema by its text.
    struct Fingerprint: Hashable {
        /// All declarations of the schema.
        let declarations: String
        /// All rows of `Z_PRIMARYKEY` without `Z_MAX`.
        let entities: String
        /// Whether the schema was checked against the rules for documents.
        let isDocument: Bool

        var count: Int { declarations.utf8.count + entities.utf8.count }
    }

    let catalog: StoreCatalog
    /// By the model's number.
    private let layouts = Mutex(RecentlyUsed<UInt64, StoreLayout>(capacity: 4))

    private static let known = Mutex(RecentlyUsed<Fingerprint, KnownSchema> { $0.count <= 256 << 10 })

    private init(_ catalog: StoreCatalog) { self.catalog = catalog }

    /// Whether a store with these declarations was opened before, with the document rules checked
    /// if `isDocument` is set.
    static func contains(declarations: String, isDocument: Bool) -> Bool {
        known.withLock {
            $0.contains { $0.isDocument == isDocument && $0.declarations == declarations }
        }
    }

    /// The schema with this fingerprint. `read` reads its catalog if it is not cached.
    static func with(_ fingerprint: Fingerprint, read: () throws -> StoreCatalog) rethrows -> KnownSchema {
        try known.value(for: fingerprint) { KnownSchema(try read()) }
    }

    /// The layout of a store with this schema.
    /// - Throws: `StorageError.damaged` if the schema has none of the model's tables.
    func layout(for model: ManagedObjectModel) throws(StorageError) -> StoreLayout {
        if let layout = layouts.withLock({ $0.value(for: model.number) }) { return layout }
        let layout = try StoreLayout.reading(model, from: catalog)
        layouts.withLock { $0.keep(layout, for: model.number) }
        return layout
    }
}
