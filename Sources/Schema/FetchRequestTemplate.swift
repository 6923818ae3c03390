/// A fetch request stored in a model, or the request of a fetched property. Its predicate is format
/// text.
///
/// Create a request from it with ``FetchRequest/init(template:substitutionVariables:)``.
public struct FetchRequestTemplate: Sendable, Hashable {
    /// The name of the template, unique in its model.
    public var name: String
    /// The name of the entity to fetch.
    public var entityName: String
    /// The format text of the predicate, with variables as `$name`; nil for all objects.
    public var predicateFormat: String?
    /// The maximum number of results; 0 for all.
    public var fetchLimit: Int
    /// The number of objects whose rows are read at a time; 0 for all at once.
    public var fetchBatchSize: Int
    /// Whether objects of sub-entities are included.
    public var includesSubentities: Bool
    /// Whether the values of the objects are read together with their primary keys.
    public var includesPropertyValues: Bool
    /// Whether objects are returned as faults.
    public var returnsObjectsAsFaults: Bool
    /// Whether equal rows of values are returned once.
    public var returnsDistinctResults: Bool
    /// The type of the results, as in Core Data: 0 objects, 1 object IDs, 2 dictionaries, 4 the
    /// count.
    public var resultType: Int
    /// The sort order; empty, as in every model file, for none. Model files have no place for it:
    /// it is kept in models that are made in code.
    public var sortTerms: [SortTerm] = []
    /// Markup of the model file that Folio does not interpret, kept so that it can be written back.
    public var extraMarkup: [String: String]

    /// A term of a template's sort order.
    public struct SortTerm: Sendable, Hashable {
        /// The key path whose values are compared.
        public var keyPath: String
        /// Whether small values come first.
        public var isAscending: Bool
        /// How texts are compared, by the name of Core Data's method: `compare:`,
        /// `caseInsensitiveCompare:`, `localizedCompare:`, `localizedCaseInsensitiveCompare:` or
        /// `localizedStandardCompare:`; nil for `compare:`.
        public var selector: String?

        /// Creates a term.
        public init(_ keyPath: String, ascending: Bool = true, selector: String? = nil) {
            self.keyPath = keyPath
            isAscending = ascending
            self.selector = selector
        }
    }

    /// Creates a template. The parameters have the meaning of the properties of the same name.
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

/// A property whose value is the result of a fetch request, executed whenever the property is
/// read; see ``KeyPathNaming/fetchedObjects(forKey:)``.
///
/// ```swift
/// let template = FetchRequestTemplate(
///     "recentBooks", entityName: "Book", predicateFormat: "author == $FETCH_SOURCE AND year > 2000")
/// let property = FetchedPropertyDescription("recentBooks", fetchRequest: template)
/// ```
public struct FetchedPropertyDescription: Sendable, Hashable {
    /// The name of the property, unique in its entity.
    public var name: String
    /// The request to execute; its variable `$FETCH_SOURCE` is the object that has the property.
    public var fetchRequest: FetchRequestTemplate
    /// Whether the model declares the property as optional. It has no effect: the result may always
    /// be empty.
    public var isOptional: Bool
    /// The property's name in earlier versions of the model; nil means the same name.
    public var renamingIdentifier: String?
    /// The hash modifier of the model file. Fetched properties are not part of version hashes.
    public var versionHashModifier: String?
    /// Free-form keys and values of the model's author; not part of the version hash.
    public var userInfo: [String: String]
    /// Markup of the model file that Folio does not interpret, kept so that it can be written back.
    public var extraMarkup: [String: String]

    /// Creates a description of a fetched property. The parameters have the meaning of the
    /// properties of the same name.
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
