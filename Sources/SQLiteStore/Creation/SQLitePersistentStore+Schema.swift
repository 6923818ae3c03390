package import Schema

extension SQLitePersistentStore {
    /// The SQL that creates the tables, indexes and triggers of a new store for a model, for
    /// display.
    package static func creationStatements(for model: ManagedObjectModel) throws -> [String] {
        try StoreSchema(StoreLayout.creating(model, configuration: nil)).statements
    }
}
