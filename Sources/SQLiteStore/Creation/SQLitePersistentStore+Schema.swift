package import Schema

extension SQLitePersistentStore {
    /// The SQL that makes the tables, indexes and triggers of a new store with a model, for a
    /// person to read.
    package static func creationStatements(for model: ManagedObjectModel) throws -> [String] {
        try StoreSchema(StoreLayout.creating(model, configuration: nil)).statements
    }
}
