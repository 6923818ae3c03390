/// Why objects of one version of a model can't become objects of another.
public struct MigrationError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, as a stable word.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable {
            case notInferable, invalidMapping, missingMapping, missingModel, policy, cancelled, backward, lossy, failed
        }
        private let value: Value
        /// The number by which Core Data reports the same.
        public let coreDataNumber: Int
        private init(_ value: Value, _ number: Int) {
            self.value = value
            coreDataNumber = number
        }
        /// The new version says something that no rule derives from the old one; `obstacles` names
        /// all of it.
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
        /// Objects would be left out that nothing says were meant to go.
        public static let lossy = Code(.lossy, 134110)
        /// Objects can't be read, made or saved on the way.
        public static let failed = Code(.failed, 134110)
    }

    /// The kind of error.
    public var code: Code
    /// What is wrong, in words for a person.
    public var message: String
    /// All that stands in the way, in the order of the new version's entities.
    public var obstacles: [MigrationObstacle]
    /// The shortest way through other versions, which is not taken since it would lose what both
    /// ends have; nil where there is none.
    public var refusedChain: RefusedChain?
    /// The error of another layer that led to this one.
    public var underlying: (any Error)?

    /// A migration in several steps that would reach the new version, and lose something on the
    /// way.
    public struct RefusedChain: Sendable, Hashable {
        /// The versions in between, in their order.
        public var versions: [String]
        /// What both ends have and the way has no place for: `Entity` or `Entity.property`, by the
        /// old version's names.
        public var losses: [String]

        public init(versions: [String], losses: [String]) {
            self.versions = versions
            self.losses = losses
        }
    }

    public init(_ code: Code, _ message: String, obstacles: [MigrationObstacle] = [], underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.obstacles = obstacles
        self.underlying = underlying
    }

    public var description: String {
        let text = obstacles.isEmpty ? message : message + ": " + obstacles.map(\.description).joined(separator: "; ")
        guard let chain = refusedChain else { return text }
        let shown =
            chain.losses.prefix(10).joined(separator: ", ")
            + (chain.losses.count > 10 ? " and \(chain.losses.count - 10) more" : "")
        return
            "\(text). By way of \(chain.versions.joined(separator: ", ")) it can be, but that would lose \(shown), which both versions have"
    }
}
