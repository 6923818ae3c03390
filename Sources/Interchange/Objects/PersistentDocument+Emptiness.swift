package import Folio

extension PersistentDocument {
    /// Whether the document has no objects, and no changes that could bring some.
    package var hasNoObjects: Bool {
        get throws {
            guard !context.hasChanges else { return false }
            let roots = model.entities.filter { $0.superentity == nil }
            return try roots.allSatisfy { try store.count(RowRequest(entityIndex: $0.index, limit: 1)) == 0 }
        }
    }
}
