public import Schema

/// Why a store could not be opened, read or written.
public struct StorageError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as a stable word.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable {
            case notFound, notAStore, damaged, incompatibleModel, noModel, readOnly, busy, full, inputOutput,
                permission, conflict, constraint, unstorable
            case unknownObject, crossStore, historyExpired, unsupported, newer, cannotCreate, unmigratable, cancelled,
                tooLarge
        }
        private let value: Value
        private init(_ value: Value) { self.value = value }
        public static let notFound = Code(.notFound)
        /// The file is something else.
        public static let notAStore = Code(.notAStore)
        public static let damaged = Code(.damaged)
        /// The store was written with another model; `entities` names those that differ.
        public static let incompatibleModel = Code(.incompatibleModel)
        /// The store carries no model and none was given.
        public static let noModel = Code(.noModel)
        public static let readOnly = Code(.readOnly)
        /// Another process holds the store.
        public static let busy = Code(.busy)
        public static let full = Code(.full)
        public static let inputOutput = Code(.inputOutput)
        public static let permission = Code(.permission)
        /// Rows were changed or deleted in the store since they were read; see `conflicts`.
        public static let conflict = Code(.conflict)
        /// A uniqueness constraint is violated: `entities` and `keys` say which, `conflicts` whose
        /// values, `holder` who has them.
        public static let constraint = Code(.constraint)
        /// A value that this type of store can't keep, named by `entities`, `keys` and `value`. A
        /// SQLite store keeps no number or date that is NaN, since SQLite makes that NULL; no store
        /// keeps a Decimal that is NaN.
        public static let unstorable = Code(.unstorable)
        public static let unknownObject = Code(.unknownObject)
        /// A relationship would lead from one store into another; `entities` and `keys` say which.
        public static let crossStore = Code(.crossStore)
        /// A part of the history that is asked for was purged.
        public static let historyExpired = Code(.historyExpired)
        public static let unsupported = Code(.unsupported)
        /// The store is of a later format.
        public static let newer = Code(.newer)
        public static let cannotCreate = Code(.cannotCreate)
        /// The store's objects can't become objects of the new version of the model.
        public static let unmigratable = Code(.unmigratable)
        public static let cancelled = Code(.cancelled)
        /// A value is too large to be taken into memory as a whole: read it in pieces.
        public static let tooLarge = Code(.tooLarge)
    }

    public var code: Code
    public var message: String
    public var path: String?
    public var entities: [String]
    /// The properties that an error is about; a part of a composite as `position.latitude`.
    public var keys: [String]
    /// What can't be kept.
    public var value: PropertyValue?
    public var conflicts: [StoreConflict]
    /// The object that already has what is to be unique, where it is known.
    public var holder: ManagedObjectID?
    public var underlying: (any Error)?

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

/// A row that is not in the store as it was read.
public struct StoreConflict: Sendable, Hashable {
    public let object: ManagedObjectID
    /// The version that the context had read.
    public let expectedVersion: Int64
    /// The version in the store, 0 if the row is gone.
    public let storedVersion: Int64

    package init(object: ManagedObjectID, expectedVersion: Int64, storedVersion: Int64) {
        self.object = object
        self.expectedVersion = expectedVersion
        self.storedVersion = storedVersion
    }
}
