/// A fetch request kept in a model, or the request of a fetched property; the predicate is format
/// text.
public struct FetchRequestTemplate: Sendable, Hashable {
    public var name: String
    /// The entity that is fetched.
    public var entityName: String
    /// Format text, variables as `$name`; nil for all objects.
    public var predicateFormat: String?
    /// The most objects; 0 for all.
    public var fetchLimit: Int
    /// How many objects are filled at a time; 0 for all at once.
    public var fetchBatchSize: Int
    /// Whether objects of sub-entities take part.
    public var includesSubentities: Bool
    /// Whether values are read with the objects.
    public var includesPropertyValues: Bool
    /// Whether objects come without their values.
    public var returnsObjectsAsFaults: Bool
    /// Whether equal rows of values come once.
    public var returnsDistinctResults: Bool
    /// 0 objects, 1 IDs, 2 dictionaries, 4 count, as in Core Data's public headers.
    public var resultType: Int
    /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
    public var extraMarkup: [String: String]

    public init(
        _ name: String, entityName: String, predicateFormat: String? = nil, fetchLimit: Int = 0,
        fetchBatchSize: Int = 0, includesSubentities: Bool = true,
        includesPropertyValues: Bool = true, returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false,
        resultType: Int = 0,
        extraMarkup: [String: String] = [:]
    ) {
        self.name = name
        self.entityName = entityName
        self.predicateFormat = predicateFormat
        self.fetchLimit = fetchLimit
        self.fetchBatchSize = fetchBatchSize
        self.includesSubentities = includesSubentities
        self.includesPropertyValues = includesPropertyValues
        self.returnsObjectsAsFaults = returnsObjectsAsFaults
        self.returnsDistinctResults = returnsDistinctResults
        self.resultType = resultType
        self.extraMarkup = extraMarkup
    }
}

/// A property whose value is the result of a fetch request, run when it is first read.
public struct FetchedPropertyDescription: Sendable, Hashable {
    public var name: String
    /// What is fetched; `$FETCH_SOURCE` stands for the object.
    public var fetchRequest: FetchRequestTemplate
    /// Kept as the file says it; a result may always be empty.
    public var isOptional: Bool
    /// The property's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// Kept; fetched properties don't enter version hashes.
    public var versionHashModifier: String?
    /// What its authors noted with it; stores don't depend on it.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio gives no meaning to, kept for writing it back.
    public var extraMarkup: [String: String]

    public init(
        _ name: String, fetchRequest: FetchRequestTemplate, isOptional: Bool = true, renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil,
        userInfo: [String: String] = [:], extraMarkup: [String: String] = [:]
    ) {
        self.name = name
        self.fetchRequest = fetchRequest
        self.isOptional = isOptional
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
        self.extraMarkup = extraMarkup
    }
}
