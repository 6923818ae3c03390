/// Why objects of one version of a model can't become objects of another.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as a stable word.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable { case notInferable, invalidMapping, missingMapping, missingModel, policy, cancelled, backward, failed }
        private let value: Value
        /// The number by which Core Data reports the same.
        public let coreDataNumber: Int
        private init(_ value: Value, _ number: Int) {
            self.value = value
            coreDataNumber = number
        }
        /// The new version says something that no rule derives from the old one; `obstacles` names all of it.
        public static let notInferable = Code(.notInferable, 134190)
        /// A mapping model contradicts itself or its two models.
        public static let invalidMapping = Code(.invalidMapping, 134110)
        /// No mapping leads from the store's version to the one that is wanted.
        public static let missingMapping = Code(.missingMapping, 134140)
        /// The model that the store was written with is not among those given.
        public static let missingModel = Code(.missingModel, 134130)
        /// A migration policy has failed.
        public static let policy = Code(.policy, 134170)
        /// The migration was cancelled; the store is as it was.
        public static let cancelled = Code(.cancelled, 134120)
        /// The store is of a later stage than the one that is wanted.
        public static let backward = Code(.backward, 134195)
        /// Objects can't be read, made or saved on the way.
        public static let failed = Code(.failed, 134110)
    }

    /// The kind of error.
    public var code: Code
    /// What is wrong, in words for a person.
    public var message: String
    /// All that stands in the way, in the order of the new version's entities.
    public var obstacles: [MigrationObstacle]
    /// The error of another layer that led to this one.
    public var underlying: (any Error)?

    public init(_ code: Code, _ message: String, obstacles: [MigrationObstacle] = [], underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.obstacles = obstacles
        self.underlying = underlying
    }

    public var description: String {
        obstacles.isEmpty ? message : message + ": " + obstacles.map(\.description).joined(separator: "; ")
    }
}
