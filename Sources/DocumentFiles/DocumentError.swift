/// A document could not be found, opened, written or closed.
///
/// What is wrong with objects, not with files (a violated validation rule, a conflict of edits), is
/// thrown as the object graph's own error.
///
///     do { try await document.save() } catch let error as DocumentError where error.code == .locked { print(error.holder!) }
public struct DocumentError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in kinds that a caller decides by. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case usage, malformed, notFound, unsupported, cannotCreate, io, locked, changed, recoverable, newer,
                permission, modelMismatch, unsavedChanges
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The document is not in a state for this: closed, open for reading only.
        public static let usage = Code(.usage)
        /// The file or folder is no document, or a damaged one.
        public static let malformed = Code(.malformed)
        /// There is nothing at the path.
        public static let notFound = Code(.notFound)
        /// Something Folio knows and does not do.
        public static let unsupported = Code(.unsupported)
        /// The target exists, or its folder takes no new file.
        public static let cannotCreate = Code(.cannotCreate)
        /// The system failed: no space left, a broken disk.
        public static let io = Code(.io)
        /// Another process edits the document; `holder` says who.
        public static let locked = Code(.locked)
        /// The document on the disk is no longer the one that was opened.
        public static let changed = Code(.changed)
        /// An editor that is gone left work that was autosaved and never saved: open with a choice
        /// what becomes of it.
        public static let recoverable = Code(.recoverable)
        /// The document needs a newer program.
        public static let newer = Code(.newer)
        /// The user has no right to do this.
        public static let permission = Code(.permission)
        /// The store was written with another model, or carries none; `entities` names those that
        /// differ.
        public static let modelMismatch = Code(.modelMismatch)
        /// The document has unsaved changes that closing it would lose: save it, or discard them.
        public static let unsavedChanges = Code(.unsavedChanges)

        public var description: String { kind.rawValue }
    }

    /// The step of an operation that failed.
    public enum Stage: String, Sendable {
        case opening, locking, reading, validating, writing, committing, versioning, checkpointing, describing, packing,
            replacing, restoring, closing
    }

    public var code: Code
    /// One line for a person, without the path.
    public var message: String
    /// The document, or the part of it that is concerned.
    public var path: String?
    public var stage: Stage?
    /// Entities that differ from the model, for `modelMismatch`.
    public var entities: [String]
    /// What a person can do about it.
    public var hint: String?
    /// Who holds the document, for `locked`.
    public var holder: LockHolder?
    public var underlying: (any Error)?
    /// Whether the document was written all the same, and only opening it failed: it is not to be
    /// made again.
    public var isWritten = false

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

    /// This error as what hinders the opening of a document that has just been written.
    package func ofWritten(_ path: String, hint: String) -> DocumentError {
        var error = DocumentError(
            code, "it was written and can't be opened: \(message)", path: path, stage: .opening, hint: hint,
            underlying: self)
        error.isWritten = true
        return error
    }
}
