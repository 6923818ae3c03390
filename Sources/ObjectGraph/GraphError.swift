import Query
public import Schema

/// An error of an operation on objects of a context.
///
/// ```swift
/// do { try context.save() } catch let error as GraphError where error.code == .conflict {
///     for conflict in error.conflicts { print(conflict.objectID, conflict.persistedSnapshot ?? [:]) }
/// }
/// ```
public struct GraphError: Error, Sendable, CustomStringConvertible {
    /// The kind of a graph error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case unknownEntity, unknownKey, wrongType, abstractEntity, noStore, objectNotFound, conflict, constraint,
                recursiveDirtying, foreignObject, loadFailed, alreadySaved
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }
        /// The model has no such entity.
        public static let unknownEntity = Code(.unknownEntity)
        /// The entity has no property with this name, or it is of another kind than the call
        /// requires.
        public static let unknownKey = Code(.unknownKey)
        /// A value or an object has a type that is not allowed.
        public static let wrongType = Code(.wrongType)
        /// The entity is abstract and has no objects of its own.
        public static let abstractEntity = Code(.abstractEntity)
        /// The coordinator has no store.
        public static let noStore = Code(.noStore)
        /// The object does not exist in the store, or it has no context.
        public static let objectNotFound = Code(.objectNotFound)
        /// Objects were changed or deleted in the store since they were read; see `conflicts`.
        public static let conflict = Code(.conflict)
        /// A uniqueness constraint, or a delete rule that denies, is violated. For a uniqueness
        /// constraint, `keys` are its properties, `objects` the objects with equal values, and
        /// `constraintConflicts` the details.
        public static let constraint = Code(.constraint)
        /// Implementations of `willSave` keep changing objects.
        public static let recursiveDirtying = Code(.recursiveDirtying)
        /// The object is saved in a store already and can't be assigned to another.
        public static let alreadySaved = Code(.alreadySaved)
        /// The object belongs to another context.
        public static let foreignObject = Code(.foreignObject)
        /// A value could not be read from the store by an accessor that does not throw; the save
        /// that follows throws this instead of writing.
        public static let loadFailed = Code(.loadFailed)

        /// The name of the code, such as `conflict`.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// An explanation for people.
    public var message: String
    /// The object that the error concerns.
    public var object: ManagedObjectID?
    /// The name of the entity that the error concerns.
    public var entity: String?
    /// The name of the property that the error concerns.
    public var key: String?
    /// For a uniqueness constraint: the names of its properties.
    public var keys: [String]
    /// For a uniqueness constraint: the object that could not be saved and, if known, the one with
    /// the same values.
    public var objects: [ManagedObjectID]
    /// For a conflict: each object with the values that were read and those in the store.
    public var conflicts: [MergeConflict]
    /// For a uniqueness constraint: the values that are not unique, and the objects that have them.
    public var constraintConflicts: [ConstraintConflict]
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, object: ManagedObjectID? = nil, entity: String? = nil, key: String? = nil,
        keys: [String] = [],
        objects: [ManagedObjectID] = [], conflicts: [MergeConflict] = [],
        constraintConflicts: [ConstraintConflict] = [], underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.object = object
        self.entity = entity
        self.key = key
        self.keys = keys
        self.objects = objects
        self.conflicts = conflicts
        self.constraintConflicts = constraintConflicts
        self.underlying = underlying
    }

    public var description: String { message }

    /// The error number that Core Data uses for this failure; nil if it has none.
    public var cocoaCode: Int? {
        switch code {
        case .conflict: 133_020
        case .constraint: 133_021
        case .objectNotFound: 133_000
        default: nil
        }
    }
}

extension GraphError {
    package static func unknownKey(_ key: String, of entity: EntityDescription, kind: String = "property") -> GraphError
    {
        let names = entity.properties.map(\.name)
        let hint = NearestNames.question(NearestNames.nearest(to: key, among: names))
        return GraphError(.unknownKey, "\(entity.name) has no \(kind) \"\(key)\"\(hint)", entity: entity.name, key: key)
    }

    package static func unknownEntity(_ name: String, in model: ManagedObjectModel) -> GraphError {
        let hint = NearestNames.question(NearestNames.nearest(to: name, among: model.entities.map(\.name)))
        return GraphError(.unknownEntity, "The model has no entity \"\(name)\"\(hint)", entity: name)
    }

    static func wrongType(_ value: String, for property: PropertyDescription, of entity: EntityDescription)
        -> GraphError
    {
        let wanted =
            property.attribute.map { $0.type.name }
            ?? "an object of \(property.relationship?.destinationEntityName ?? "")"
        return GraphError(
            .wrongType, "\(entity.name).\(property.name) is \(wanted) and can't be \(value)", entity: entity.name,
            key: property.name)
    }

    static func wrongType(
        _ value: String, for attribute: AttributeDescription, key: String, of entity: EntityDescription
    )
        -> GraphError
    {
        GraphError(
            .wrongType, "\(entity.name).\(key) is \(attribute.type.name) and can't be \(value)", entity: entity.name,
            key: key)
    }

    static let noContext = GraphError(
        .objectNotFound,
        "The object has no context any more: it was deleted and saved, its insertion was taken back, or its context was reset or released. Fetch it by an objectID kept before"
    )
    static let noStore = GraphError(.noStore, "The coordinator has no store; add one before fetching or saving")
}
