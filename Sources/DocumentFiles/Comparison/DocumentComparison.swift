internal import Schema
package import Storage

/// Two documents held against each other, object by object: what the second has that the first has
/// not, and the other way round.
///
/// Objects are the same that have the same entity and number; the documents' UUIDs do not count, so
/// that copies and restored states can be compared. What is compared is what is committed,
/// autosaved work included; changes that a context has not saved are not seen. A link between two
/// objects is told once: a to-many relationship whose inverse is to-one is compared only for its
/// order, and one of two to-many sides.
///
///     let comparison = DocumentComparison(from: old, to: new)
///     try comparison.forEachDifference { print($0.change, $0.object) }
///
/// Costs reading both documents once; memory for some thousand objects and the largest binary
/// value, whatever the documents' size.
public struct DocumentComparison {
    private let old: any PersistentStore
    private let new: any PersistentStore

    package init(from old: any PersistentStore, to new: any PersistentStore) {
        self.old = old
        self.new = new
    }

    /// Entities and properties that only one of the documents knows, as `Book`, `Book.title`, first
    /// those of the first document.
    public var modelDifferences: (onlyOld: [String], onlyNew: [String]) {
        let old = Self.names(self.old), new = Self.names(self.new)
        return (old.subtracting(new).sorted(), new.subtracting(old).sorted())
    }

    private static func names(_ store: any PersistentStore) -> Set<String> {
        Set(
            store.identity.model.entities.flatMap { entity in
                [entity.name] + entity.properties.filter { !$0.isTransient }.map { "\(entity.name).\($0.name)" }
            })
    }

    /// Calls `body` with each difference: entities by name, objects by number.
    ///
    /// Where somebody saves one of the documents meanwhile, what it held at the beginning is
    /// compared; but for documents that are read while no editor has them open, for which nothing
    /// can be held.
    /// - Throws: `DocumentError` and `StorageError` for what can't be read, and what `body` throws.
    public func forEachDifference(_ body: (ObjectDifference) throws -> Void) throws {
        func oneState(_ store: any PersistentStore) throws -> any RowStore {
            if let view = try (store as? any GenerationStore)?.viewForReading() { return view }
            return store
        }
        try forEachDifference(oneState(old), oneState(new), body)
    }

    /// The same, with what each of the stores is read from.
    package func forEachDifference(
        _ oldSource: any RowStore, _ newSource: any RowStore, _ body: (ObjectDifference) throws -> Void
    ) throws {
        func entities(_ store: any PersistentStore) -> [String: Entity] {
            Dictionary(
                uniqueKeysWithValues: store.identity.model.entities.filter { !$0.isAbstract }.map { ($0.name, $0) })
        }
        let old = entities(self.old), new = entities(self.new)
        for name in Set(old.keys).union(new.keys).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let properties = ComparedProperty.pairs(old[name].map { ($0, self.old) }, new[name].map { ($0, self.new) })
            let left = RowCursor(
                oldSource, self.old.identity, old[name], members: properties.compactMap { $0.old?.memberIndex })
            let right = RowCursor(
                newSource, self.new.identity, new[name], members: properties.compactMap { $0.new?.memberIndex })
            try merge(name, left, right, properties, body)
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
