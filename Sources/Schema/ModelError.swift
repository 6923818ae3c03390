/// Why a model can't be used or read.
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a stable word.
    public struct Code: Sendable, Hashable {
        private enum Value: Sendable { case invalid, unreadable, notFound, mergeConflict, permission, inputOutput }
        private let value: Value
        private init(_ value: Value) { self.value = value }
        /// The model contradicts itself; see `faults`.
        public static let invalid = Code(.invalid)
        /// A file is not a model, or a damaged one.
        public static let unreadable = Code(.unreadable)
        /// There is no such model or version.
        public static let notFound = Code(.notFound)
        /// Two models that were to become one say different things of an entity.
        public static let mergeConflict = Code(.mergeConflict)
        /// A file or folder may not be read.
        public static let permission = Code(.permission)
        /// A file or folder could not be read, whatever is in it: too many files are open, or the
        /// disk fails.
        public static let inputOutput = Code(.inputOutput)
    }

    /// One thing that is wrong with a model.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The entity, or the composite, that is at fault; nil for the model as a whole.
        public var entity: String?
        /// The property that is at fault, nil where the entity as a whole is.
        public var property: String?
        /// What is wrong, in words for a person.
        public var message: String

        public init(entity: String? = nil, property: String? = nil, message: String) {
            self.entity = entity
            self.property = property
            self.message = message
        }

        public var description: String {
            let place = [entity, property].compactMap { $0 }.joined(separator: ".")
            return place.isEmpty ? message : "\(place): \(message)"
        }
    }

    /// The kind of error.
    public var code: Code
    /// What is wrong, in words for a person.
    public var message: String
    /// The file that was read, where there was one.
    public var path: String?
    /// All that is wrong, in the order of the entities.
    public var faults: [Fault]

    public init(_ code: Code, _ message: String, path: String? = nil, faults: [Fault] = []) {
        self.code = code
        self.message = message
        self.path = path
        self.faults = faults
    }

    public var description: String {
        let place = path.map { "\($0): " } ?? ""
        let details = faults.isEmpty ? "" : ": " + faults.map(\.description).joined(separator: "; ")
        return place + message + details
    }
}
