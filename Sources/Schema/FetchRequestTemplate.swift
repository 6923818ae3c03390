/// A fetch request kept in a model, or the request of a fetched property; the predicate is format text.
public struct FetchRequestTemplate: Sendable, Hashable {
    public var name: String
    public var entityName: String
    public var predicateFormat: String?
    public var fetchLimit: Int
    public var fetchBatchSize: Int
    public var includesSubentities: Bool
    public var includesPropertyValues: Bool
    public var returnsObjectsAsFaults: Bool
    public var returnsDistinctResults: Bool
    /// 0 objects, 1 IDs, 2 dictionaries, 4 count, as in Core Data's public headers.
    public var resultType: Int
    public var extraMarkup: [String: String]

    public init(
        _ name: String, entityName: String, predicateFormat: String? = nil, fetchLimit: Int = 0, fetchBatchSize: Int = 0, includesSubentities: Bool = true,
        includesPropertyValues: Bool = true, returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, resultType: Int = 0,
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
    public var fetchRequest: FetchRequestTemplate
    public var isOptional: Bool
    public var renamingIdentifier: String?
    public var versionHashModifier: String?
    public var userInfo: [String: String]
    public var extraMarkup: [String: String]

    public init(
        _ name: String, fetchRequest: FetchRequestTemplate, isOptional: Bool = true, renamingIdentifier: String? = nil, versionHashModifier: String? = nil,
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
