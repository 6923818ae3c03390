/// An error of a migration, or in a mapping or migration plan.
///
/// ```swift
/// do { mapping = try MappingModel.inferred(from: old, to: new) } catch {
///     for obstacle in error.obstacles { print(obstacle.place, obstacle.reason, obstacle.remedy) }
/// }
/// ```
public struct MigrationError: Error, Sendable, CustomStringConvertible {
    /// The kind of a migration error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case notInferable, invalidMapping, missingMapping, missingModel, policy, cancelled, backward, lossy, failed
        }
        private let kind: Kind
        /// The number of this error in Core Data.
        public let coreDataNumber: Int
        private init(_ kind: Kind, _ number: Int) {
            self.kind = kind
            coreDataNumber = number
        }
        /// The new version can't be inferred from the old one; `obstacles` lists the reasons.
        public static let notInferable = Code(.notInferable, 134190)
        /// A mapping model or a migration plan is inconsistent, or does not fit the models.
        public static let invalidMapping = Code(.invalidMapping, 134110)
        /// There is no mapping from the version of the store to the requested version.
        public static let missingMapping = Code(.missingMapping, 134140)
        /// The model version of the store is not among the given ones.
        public static let missingModel = Code(.missingModel, 134130)
        /// A migration policy is missing or failed.
        public static let policy = Code(.policy, 134170)
        /// The migration was cancelled; the store is unchanged.
        public static let cancelled = Code(.cancelled, 134120)
        /// The store has a later version than the requested one.
        public static let backward = Code(.backward, 134195)
        /// Objects or values would be lost that were not meant to be removed.
        public static let lossy = Code(.lossy, 134110)
        /// Objects can't be read, created or saved during the migration.
        public static let failed = Code(.failed, 134110)

        /// The name of the code, such as `lossy`.
        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// A description for people.
    public var message: String
    /// Everything that prevents the migration, in the order of the new version's entities.
    public var obstacles: [MigrationObstacle]
    /// The entities whose objects would be lost, of an error with code ``Code/lossy``.
    public var losses: [String] = []
    /// The shortest migration through other versions, which was rejected because it loses data that
    /// both ends have; nil if there is none.
    public var refusedChain: RefusedChain?
    /// The error that caused this one.
    public var underlying: (any Error)?

    /// A migration in several steps that reaches the new version but loses data.
    public struct RefusedChain: Sendable, Hashable {
        /// The names of the versions in between, in order.
        public var versions: [String]
        /// The data that exist in both versions but not in between: `Entity` or `Entity.property`,
        /// with the names of the old version.
        public var losses: [String]

        /// Creates a description of a rejected migration.
        public init(versions: [String], losses: [String]) {
            self.versions = versions
            self.losses = losses
        }
    }

    /// Creates an error.
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
