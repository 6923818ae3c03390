/// An error in a model, or a failure to read one.
///
/// ```swift
/// do { model = try ManagedObjectModel(contentsOf: url) } catch {
///     for fault in error.faults { print(fault) }
/// }
/// ```
public struct ModelError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a model error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case invalid, unreadable, notFound, mergeConflict, permission, inputOutput
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }
        /// The model is inconsistent; see ``ModelError/faults``.
        public static let invalid = Code(.invalid)
        /// The file is not a model, or it is damaged.
        public static let unreadable = Code(.unreadable)
        /// There is no such model or model version.
        public static let notFound = Code(.notFound)
        /// Models that were to be merged define an entity, composite or fetch request differently.
        public static let mergeConflict = Code(.mergeConflict)
        /// A file or folder can't be read for lack of permission.
        public static let permission = Code(.permission)
        /// A file or folder could not be read for a reason outside of it, such as a disk error or
        /// too many open files.
        public static let inputOutput = Code(.inputOutput)

        /// The name of the code, such as `notFound`.
        public var description: String { kind.rawValue }
    }

    /// A single error in a model.
    public struct Fault: Sendable, Hashable, CustomStringConvertible {
        /// The name of the entity or composite with the error; nil if the error concerns the whole
        /// model.
        public var entity: String?
        /// The name of the property with the error; nil if the error concerns the whole entity.
        public var property: String?
        /// A description for people.
        public var message: String

        /// Creates a description of a single error.
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

    /// The kind of the error.
    public var code: Code
    /// A description for people.
    public var message: String
    /// The path of the model file; nil if no file was read.
    public var path: String?
    /// Every error in the model, in the order of the entities.
    public var faults: [Fault]

    /// Creates an error.
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
