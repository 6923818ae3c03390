// Names of store types, options, metadata and notification keys.

/// The type of a store in a SQLite database.
public let NSSQLiteStoreType = "SQLite"
/// The type of a store in a binary file.
public let NSBinaryStoreType = "Binary"
/// The type of a store in an XML file.
public let NSXMLStoreType = "XML"
/// The type of a store in memory.
public let NSInMemoryStoreType = "InMemory"
/// The metadata key of a store's type.
public let NSStoreTypeKey = "NSStoreType"
/// The metadata key of a store's UUID.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The metadata key of the hashes of a store's entities.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The metadata key of the identifiers of a store's version.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The metadata key of the system that a store was written for.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// The notification key of the stores that were added.
public let NSAddedPersistentStoresKey = "NSAddedPersistentStoresKey"
/// The notification key of the stores that were removed.
public let NSRemovedPersistentStoresKey = "NSRemovedPersistentStoresKey"
/// The notification key of the stores whose UUID changed.
public let NSUUIDChangedPersistentStoresKey = "NSUUIDChangedPersistentStoresKey"
/// The option to open a store read-only.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// The option to validate an XML store; it always is.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// The option of the time in seconds that a store waits for others.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// The option of SQLite's pragmas: a dictionary.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// The option to analyze a store as it is opened; Folio keeps the statistics itself.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// The option to rebuild the file of a SQLite store before it is opened, without free pages. It has
/// no effect while others have the store open.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// The option to open a store of another version as it is, without a migration. The store must have
/// what the model names; saves keep its hashes.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// The option to migrate a store of another version.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// The option to infer the mapping of a migration.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// The metadata key of the version of the hashes.
public let NSStoreModelVersionHashesVersionKey = "NSStoreModelVersionHashesVersion"
/// An option of iCloud's, which there is not here: it is not used.
public let NSPersistentStoreRebuildFromUbiquitousContentOption = "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// The option to destroy a store whatever it is.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// The option of a file's protection, which Linux does not have: it is not used.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// The option to keep a history.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// The option of the classes in a binary store; Folio's format has none.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// The option to read a binary store of any classes; Folio's format has none.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// The option to report each commit to a store.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// The option to put off parts of a migration; Folio's are never put off.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// The option of the ``NSStagedMigrationManager`` of a store.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// The notification key of the location of a store.
public let NSPersistentStoreURLKey = "storeURL"
/// The notification key of the position in the history.
public let NSPersistentHistoryTokenKey = "historyToken"
/// The variable of the manager in a mapping's expressions.
public let NSMigrationManagerKey = "manager"
/// The variable of the old object in a mapping's expressions.
public let NSMigrationSourceObjectKey = "source"
/// The variable of the new object in a mapping's expressions.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable of the entity mapping in a mapping's expressions.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable of the property mapping in a mapping's expressions.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable of the policy in a mapping's expressions.
public let NSMigrationEntityPolicyKey = "entityPolicy"

/// The version of Core Data that Folio's files agree with.
public let NSCoreDataVersionNumber = 1344.0
