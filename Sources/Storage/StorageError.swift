public import Schema

/// An error in opening, reading or writing a store.
///
/// ```swift
/// do { try coordinator.addPersistentStore(description) } catch let error as StorageError where error.code == .busy {
///     print("The store is in use:", error.message)
/// }
/// ```
public struct StorageError: Error, Sendable, CustomStringConvertible {
    /// The kind of a storage error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case notFound, notAStore, damaged, incompatibleModel, noModel, readOnly, busy, full, inputOutput,
                permission, conflict, constraint, unstorable
            case unknownObject, crossStore, historyExpired, unsupported, newer, cannotCreate, unmigratable, cancelled,
                tooLarge, invalidObjects
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }
        /// The store, or a file of it, does not exist.
        public static let notFound = Code(.notFound)
        /// The file is not a store.
        public static let notAStore = Code(.notAStore)
        /// The store is damaged.
        public static let damaged = Code(.damaged)
        /// The store was written with another version of the model; `entities` names the entities
        /// that differ.
        public static let incompatibleModel = Code(.incompatibleModel)
        /// The store contains no model, and none was given.
        public static let noModel = Code(.noModel)
        /// The store is read-only.
        public static let readOnly = Code(.readOnly)
        /// The store is locked by another process.
        public static let busy = Code(.busy)
        /// The disk or the quota is full.
        public static let full = Code(.full)
        /// Reading or writing failed.
        public static let inputOutput = Code(.inputOutput)
        /// Access to a file was denied.
        public static let permission = Code(.permission)
        /// Objects were changed or deleted in the store since they were read; see `conflicts`.
        public static let conflict = Code(.conflict)
        /// A uniqueness constraint is violated. `entities` and `keys` name the constraint,
        /// `conflicts` the objects with the values, and `holder` the object that already has them.
        public static let constraint = Code(.constraint)
        /// The store can't represent a value, which is in `value`; `entities` and `keys` name the
        /// property. SQLite stores can't represent NaN in numbers and dates, because SQLite
        /// converts it to NULL; no store can represent a decimal NaN.
        public static let unstorable = Code(.unstorable)
        /// An object, or an object ID, is not known in the store.
        public static let unknownObject = Code(.unknownObject)
        /// A relationship would connect objects of two stores; `entities` and `keys` name it.
        public static let crossStore = Code(.crossStore)
        /// A part of the requested history has been deleted.
        public static let historyExpired = Code(.historyExpired)
        /// The store, or this type of store, does not support the operation or option.
        public static let unsupported = Code(.unsupported)
        /// The store was written in a later version of the format.
        public static let newer = Code(.newer)
        /// The store can't be created, for example because a file exists or the model lacks the
        /// configuration.
        public static let cannotCreate = Code(.cannotCreate)
        /// The store can't be migrated to the new version of the model.
        public static let unmigratable = Code(.unmigratable)
        /// Objects of the store break what the new version of the model demands; `message` names
        /// the rules and the objects, `entities` the entities.
        public static let invalidObjects = Code(.invalidObjects)
        /// The operation was cancelled.
        public static let cancelled = Code(.cancelled)
        /// A value is too large to be loaded into memory as a whole; read it in pieces.
        public static let tooLarge = Code(.tooLarge)

        /// The name of the code, such as `busy`.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// A description for people.
    public var message: String
    /// The path of the store or file that the error concerns.
    public var path: String?
    /// The names of the entities that the error concerns.
    public var entities: [String]
    /// The names of the properties that the error concerns; a part of a composite is named as
    /// `position.latitude`.
    public var keys: [String]
    /// The value that can't be stored.
    public var value: PropertyValue?
    /// The objects that the error concerns, with their versions.
    public var conflicts: [StoreConflict]
    /// The object that already has a unique value, if known.
    public var holder: ManagedObjectID?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, path: String? = nil, entities: [String] = [], keys: [String] = [],
        value: PropertyValue? = nil,
        conflicts: [StoreConflict] = [], underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.entities = entities
        self.keys = keys
        self.value = value
        self.conflicts = conflicts
        self.underlying = underlying
    }

    public var description: String { message }
}

/// An object whose version in the store differs from the version that the context read.
public struct StoreConflict: Sendable, Hashable {
    /// The ID of the object.
    public let object: ManagedObjectID
    /// The version that the context read.
    public let expectedVersion: Int64
    /// The version in the store; 0 if the object was deleted.
    public let storedVersion: Int64

    package init(object: ManagedObjectID, expectedVersion: Int64, storedVersion: Int64) {
        self.object = object
        self.expectedVersion = expectedVersion
        self.storedVersion = storedVersion
    }
}
