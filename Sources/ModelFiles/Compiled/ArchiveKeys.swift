/// The class chains and keys of compiled models, as in archives of Core Data.
enum ArchiveKeys {
    static let model = ["NSManagedObjectModel", "NSObject"]
    static let entity = ["NSEntityDescription", "NSObject"]
    static let attribute = ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
    static let derivedAttribute = [
        "NSDerivedAttributeDescription", "NSAttributeDescription", "NSPropertyDescription", "NSObject",
    ]
    static let compositeAttribute = [
        "NSCompositeAttributeDescription", "NSAttributeDescription", "NSPropertyDescription", "NSObject",
    ]
    static let relationship = ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"]
    static let fetchedProperty = ["NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"]
    static let fetchRequest = ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"]
    static let fetchIndex = ["NSFetchIndexDescription", "NSObject"]
    static let fetchIndexElement = ["NSFetchIndexElementDescription", "NSObject"]
    static let knownKeysDictionary = [
        "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject",
    ]
    static let knownKeysMapping = ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"]

    // Folio's own keys, for content without a known key in Core Data's archives. Core Data's
    // unarchiver reads keys by name and ignores these.
    static let predicateFormat = "FolioPredicateFormat"
    static let derivationFormat = "FolioDerivationFormat"
    static let expressionFormat = "FolioExpressionFormat"
    static let compositeName = "FolioCompositeName"
    static let composites = "FolioComposites"
    static let allowsCloudEncryption = "FolioAllowsCloudEncryption"
    static let entityName = "FolioEntityName"

    /// Bits of `NSFlagsKey`.
    enum Flags {
        static let externalStorage: Int64 = 4
        static let preservesValue: Int64 = 16
    }

    /// Bits of `_P`, a summary of a property's flags.
    enum Traits {
        static let basis: Int64 = 0x01
        static let optional: Int64 = 0x02
        static let readOnly: Int64 = 0x04
        static let transient: Int64 = 0x08
        static let withoutValidation: Int64 = 0x30
        static let withoutUserInfo: Int64 = 0x40
        static let withoutModifier: Int64 = 0x80
        static let ordered: Int64 = 0x400
    }

    /// Bits of `NSFetchRequestFlags`. The default request has the value 30; the meaning of each bit
    /// follows from the order of the properties in the class.
    enum FetchFlags {
        static let distinct: Int64 = 1
        static let subentities: Int64 = 2
        static let propertyValues: Int64 = 4
        static let faults: Int64 = 8
        static let pendingChanges: Int64 = 16
    }
}
