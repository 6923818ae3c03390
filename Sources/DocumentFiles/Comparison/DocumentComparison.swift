package import SQLiteStore
internal import Schema
package import Storage

/// Compares two documents object by object.
///
/// Objects correspond if they have the same entity and primary key. The UUIDs of the documents are
/// ignored, so that copies and restored versions can be compared. Committed data are compared,
/// including autosaved work, but not unsaved changes of contexts. A link between two objects is
/// reported once: a to-many relationship whose inverse is to-one is compared only for its order,
/// and of two to-many relationships only one.
///
///     let comparison = DocumentComparison(from: old, to: new)
///     try comparison.forEachDifference { print($0.change, $0.object) }
///
/// Reads both documents once. Memory is needed for some thousand objects and the largest binary
/// value, regardless of the size of the documents.
public struct DocumentComparison {
    let old: any StoreBackend
    let new: any StoreBackend

    package init(from old: any StoreBackend, to new: any StoreBackend) {
        self.old = old
        self.new = new
    }

    /// The entities and properties that exist in only one of the documents, as `Book` and
    /// `Book.title`.
    public var modelDifferences: (onlyOld: [String], onlyNew: [String]) {
        let old = Self.names(self.old), new = Self.names(self.new)
        return (old.subtracting(new).sorted(), new.subtracting(old).sorted())
    }

    private static func names(_ store: any StoreBackend) -> Set<String> {
        Set(
            store.identity.model.entities.flatMap { entity in
                [entity.name] + entity.properties.filter { !$0.isTransient }.map { "\(entity.name).\($0.name)" }
            })
    }

    /// Calls a function for each difference, ordered by entity name, then by primary key.
    ///
    /// If a document is saved meanwhile, the state at the beginning is compared. This is not
    /// possible for documents that are open for reading while no editor has them open.
    ///
    /// - Throws: `DocumentError` and `StorageError` for documents that can't be read; errors of
    ///   `body`.
    public func forEachDifference(_ body: (ObjectDifference) throws -> Void) throws {
        func oneState(_ store: any StoreBackend) throws -> any RowStore {
            if let view = try (store as? any GenerationStore)?.viewForReading() { return view }
            return store
        }
        try forEachDifference(oneState(old), oneState(new), body)
    }

    /// Calls a function for each difference, reading from the given snapshots of the two stores.
    /// - Parameter rows: The rows that are compared; nil for all. The models must be the same then.
    package func forEachDifference(
        _ oldSource: any RowStore, _ newSource: any RowStore, in rows: ChangedRows? = nil,
        _ body: (ObjectDifference) throws -> Void
    ) throws {
        for (name, old, new) in entityPairs {
            let keys = (new ?? old).flatMap { entity in rows?.keys(rootIndex: entity.rootIndex) }
            if keys?.isEmpty == true { continue }
            let properties = ComparedProperty.pairs(old.map { ($0, self.old) }, new.map { ($0, self.new) })
            let left = RowCursor(
                oldSource, self.old.identity, old, members: properties.compactMap { $0.old?.memberIndex }, keys: keys)
            let right = RowCursor(
                newSource, self.new.identity, new, members: properties.compactMap { $0.new?.memberIndex }, keys: keys)
            try merge(name, left, right, properties, body)
        }
    }

    /// The entities that have objects of their own in either of the documents, by name.
    var entityPairs: [(name: String, old: EntityDescription?, new: EntityDescription?)] {
        func entities(_ store: any StoreBackend) -> [String: EntityDescription] {
            Dictionary(
                uniqueKeysWithValues: store.identity.model.entities.filter { !$0.isAbstract }.map { ($0.name, $0) })
        }
        let old = entities(self.old), new = entities(self.new)
        return Set(old.keys).union(new.keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
            ($0, old[$0], new[$0])
        }
    }

    private func merge(
        _ name: String, _ left: RowCursor, _ right: RowCursor, _ properties: [ComparedProperty],
        _ body: (ObjectDifference) throws -> Void
    ) throws {
        try left.advance()
        try right.advance()
        while let key = [left.key, right.key].compactMap({ $0 }).min() {
            let hasOld = left.key == key, hasNew = right.key == key
            let change: ObjectDifference.Change = hasOld && hasNew ? .changed : hasOld ? .removed : .added
            let differences = try properties.compactMap { try $0.difference(hasOld ? left : nil, hasNew ? right : nil) }
            if change != .changed || !differences.isEmpty {
                try body(ObjectDifference(change: change, entity: name, number: key, properties: differences))
            }
            if hasOld { try left.advance() }
            if hasNew { try right.advance() }
        }
    }
}
