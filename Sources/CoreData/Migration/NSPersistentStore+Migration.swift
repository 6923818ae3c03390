extension NSPersistentStore {
    /// The class that migrates stores of the types that are Folio's.
    static var standardMigrationManager: AnyClass { NSMigrationManager.self }
}
