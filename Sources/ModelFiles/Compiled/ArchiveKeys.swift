/// Class chains and keys of compiled models, as Core Data's archives spell them.
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

    // Keys of our own, for what Core Data's archives have no known key for. Its unarchiver asks for
    // keys by name and never meets these.
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

    /// Bits of `_P`, a digest of a property's traits.
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

    /// Bits of `NSFetchRequestFlags`. The default request has 30; which bit is which follows from
    /// the order in which the class declares them.
    enum FetchFlags {
        static let distinct: Int64 = 1
        static let subentities: Int64 = 2
        static let propertyValues: Int64 = 4
        static let faults: Int64 = 8
        static let pendingChanges: Int64 = 16
    }
}
