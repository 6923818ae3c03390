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
    private let fingerprint: Fingerprint
    private let layouts = Mutex<[UInt64: StoreLayout]>([:])

    private static let greatestCount = 8
    private static let greatestLayouts = 4
    private static let greatestFingerprint = 256 << 10
    private static let known = Mutex<[KnownSchema]>([])

    private init(_ catalog: StoreCatalog, _ fingerprint: Fingerprint) {
        self.catalog = catalog
        self.fingerprint = fingerprint
    }

    /// Whether a store with these declarations was found to be one, and one fit for a document
    /// where that is asked.
    static func contains(declarations: String, isDocument: Bool) -> Bool {
        known.withLock {
            $0.contains { $0.fingerprint.isDocument == isDocument && $0.fingerprint.declarations == declarations }
        }
    }

    /// The schema with this fingerprint, whose catalog `read` reads where it is not known.
    static func with(_ fingerprint: Fingerprint, read: () throws -> StoreCatalog) rethrows -> KnownSchema {
        if let schema = known.withLock({ $0.last { $0.fingerprint == fingerprint } }) { return schema }
        let schema = KnownSchema(try read(), fingerprint)
        guard fingerprint.count <= greatestFingerprint else { return schema }
        known.withLock { known in
            if known.count == greatestCount { known.removeFirst() }
            known.append(schema)
        }
        return schema
    }

    /// The layout of a store with this schema.
    /// - Throws: `StorageError.damaged` if the schema lacks a table or a column that the model
    ///   needs.
    func layout(for model: ManagedObjectModel) throws(StorageError) -> StoreLayout {
        if let layout = layouts.withLock({ $0[model.number] }) { return layout }
        let layout = try StoreLayout.reading(model, from: catalog)
        layouts.withLock { layouts in
            if layouts.count == Self.greatestLayouts { layouts.removeAll() }
            layouts[model.number] = layout
        }
        return layout
    }
}
