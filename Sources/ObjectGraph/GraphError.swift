import Query
public import Schema

/// Why an operation on objects failed.
public struct GraphError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as a stable word.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable {
            case unknownEntity, unknownKey, wrongType, abstractEntity, noStore, objectNotFound, conflict, constraint,
                recursiveDirtying, foreignObject, loadFailed, alreadySaved
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }
        /// The model has no such entity.
        public static let unknownEntity = Code(.unknownEntity)
        /// The entity has no such property, or it is of another kind than the call needs.
        public static let unknownKey = Code(.unknownKey)
        /// A value that the property can't have.
        public static let wrongType = Code(.wrongType)
        /// An abstract entity has no objects of its own.
        public static let abstractEntity = Code(.abstractEntity)
        /// The coordinator has no store.
        public static let noStore = Code(.noStore)
        /// The store has no such object (any more).
        public static let objectNotFound = Code(.objectNotFound)
        /// Objects were changed or deleted in the store since they were read; see `conflicts`.
        public static let conflict = Code(.conflict)
        /// A uniqueness constraint is violated: `keys` together are not unique, and `objects` have
        /// the same values of them; see `constraintConflicts`.
        public static let constraint = Code(.constraint)
        /// Every round of `willSave` changed objects again.
        public static let recursiveDirtying = Code(.recursiveDirtying)
        /// An object that is in a store already stays there.
        public static let alreadySaved = Code(.alreadySaved)
        /// An object of another context.
        public static let foreignObject = Code(.foreignObject)
        /// A value could not be read when it was first used; nothing was saved on the strength of
        /// it.
        public static let loadFailed = Code(.loadFailed)
    }

    public var code: Code
    public var message: String
    public var object: ManagedObjectID?
    public var entity: String?
    public var key: String?
    /// Of a constraint: the properties that are to be unique together.
    public var keys: [String]
    /// Of a constraint: the object that could not be saved, and the one with the same values where
    /// it is known.
    public var objects: [ManagedObjectID]
    /// Of a conflict: each object with what was read of it and what the store has.
    public var conflicts: [MergeConflict]
    /// Of a constraint: which values are not unique, and who has them.
    public var constraintConflicts: [ConstraintConflict]
    public var underlying: (any Error)?

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

    /// The number that Core Data gives this failure, where it has one.
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
    static func unknownKey(_ key: String, of entity: Entity, kind: String = "property") -> GraphError {
        let names = entity.properties.map(\.name)
        let hint = NearestNames.question(NearestNames.nearest(to: key, among: names))
        return GraphError(.unknownKey, "\(entity.name) has no \(kind) \"\(key)\"\(hint)", entity: entity.name, key: key)
    }

    static func unknownEntity(_ name: String, in model: ManagedObjectModel) -> GraphError {
        let hint = NearestNames.question(NearestNames.nearest(to: name, among: model.entities.map(\.name)))
        return GraphError(.unknownEntity, "The model has no entity \"\(name)\"\(hint)", entity: name)
    }

    static func wrongType(_ value: String, for property: Property, of entity: Entity) -> GraphError {
        let wanted =
            property.attribute.map { $0.type.name }
            ?? "an object of \(property.relationship?.destinationEntityName ?? "")"
        return GraphError(
            .wrongType, "\(entity.name).\(property.name) is \(wanted) and can't be \(value)", entity: entity.name,
            key: property.name)
    }

    static func wrongType(_ value: String, for attribute: AttributeDescription, key: String, of entity: Entity)
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
