/// An error in finding, opening, saving or closing a document.
///
/// Errors in objects, such as validation errors and conflicts, are thrown as ``ValidationError``
/// and ``GraphError``.
///
///     do { try await document.save() } catch let error as DocumentError where error.code == .locked { print(error.holder!) }
public struct DocumentError: Error, Sendable, CustomStringConvertible {
    /// The kind of a document error, by which callers can decide. More kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case usage, malformed, notFound, unsupported, cannotCreate, inputOutput, locked, changed, recoverable,
                newer,
                permission, modelMismatch, unsavedChanges
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The operation is not possible in the document's state: it is closed, or open for
        /// reading.
        public static let usage = Code(.usage)
        /// The file or folder is not a document, or it is damaged.
        public static let malformed = Code(.malformed)
        /// There is no file at the path.
        public static let notFound = Code(.notFound)
        /// The operation is not supported for this kind of document.
        public static let unsupported = Code(.unsupported)
        /// The target exists, or its folder is not writable.
        public static let cannotCreate = Code(.cannotCreate)
        /// The operating system reported an error, such as a full or a defective disk.
        public static let inputOutput = Code(.inputOutput)
        /// The document is locked by another process; `holder` describes it.
        public static let locked = Code(.locked)
        /// The document on disk is not the one that was opened any more.
        public static let changed = Code(.changed)
        /// A former editor left autosaved work that was never saved. Open the document with a
        /// ``DocumentRecovery`` that decides what to do with it.
        public static let recoverable = Code(.recoverable)
        /// The document requires a later version of the program.
        public static let newer = Code(.newer)
        /// Access was denied.
        public static let permission = Code(.permission)
        /// The store was written with another model, or contains none; `entities` names the
        /// entities that differ.
        public static let modelMismatch = Code(.modelMismatch)
        /// The document has unsaved changes that closing it would lose: save or discard them.
        public static let unsavedChanges = Code(.unsavedChanges)

        /// The name of the code, such as `locked`.
        public var description: String { kind.rawValue }
    }

    /// The stage of an operation at which an error occurred.
    public enum Stage: String, Sendable {
        /// Opening the document or its store.
        case opening
        /// Acquiring the document's lock.
        case locking
        /// Reading the content of the document.
        case reading
        /// Validating the objects or the document before a save.
        case validating
        /// Writing changes or files.
        case writing
        /// Committing changes to the store.
        case committing
        /// Keeping or reading versions.
        case versioning
        /// Checkpointing the WAL into the store's main file.
        case checkpointing
        /// Writing the manifest, the preview or other descriptive files.
        case describing
        /// Writing an archive.
        case packing
        /// Replacing one document by another.
        case replacing
        /// Restoring an earlier state.
        case restoring
        /// Closing the document.
        case closing
    }

    /// The kind of the error.
    public var code: Code
    /// An explanation for people, one line without the path.
    public var message: String
    /// The path of the document, or of the part of it that the error concerns.
    public var path: String?
    /// The stage at which the error occurred.
    public var stage: Stage?
    /// For `modelMismatch`, the names of the entities that differ.
    public var entities: [String]
    /// What the user can do about the error.
    public var hint: String?
    /// For `locked`, the process that holds the lock.
    public var holder: LockHolder?
    /// The error that caused this one.
    public var underlying: (any Error)?
    /// Whether the document was written nevertheless, and only opening it failed. Do not create it
    /// again.
    public var isWritten = false

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, path: String? = nil, stage: Stage? = nil, entities: [String] = [],
        hint: String? = nil,
        holder: LockHolder? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.stage = stage
        self.entities = entities
        self.hint = hint
        self.holder = holder
        self.underlying = underlying
    }

    public var description: String { path.map { "\($0): \(message)" } ?? message }

    /// This error as the reason why a document that has just been written can't be opened.
    package func ofWritten(_ path: String, hint: String) -> DocumentError {
        var error = DocumentError(
            code, "it was written and can't be opened: \(message)", path: path, stage: .opening, hint: hint,
            underlying: self)
        error.isWritten = true
        return error
    }
}
