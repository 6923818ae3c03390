/// An archive could not be read or written.
///
/// `message` is one line for a person and names the archive; `entry` is the part it is about,
/// `limit` the bound that was passed.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    /// What is wrong, in kinds that a caller decides by. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case notAnArchive, truncated, damaged, ambiguous, unsafeName, duplicateName, unsuitableEntry,
                unexpectedEntry, missingEntry
            case tooLarge, tooMany, encrypted, unsupported, inputOutput
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The file is no zip archive.
        public static let notAnArchive = Code(.notAnArchive)
        /// The file ends too early.
        public static let truncated = Code(.truncated)
        /// Content or structure is broken: a checksum, a size, a place.
        public static let damaged = Code(.damaged)
        /// Two readers could see two different things: local and central records differ, entries
        /// overlap, or there is junk around them.
        public static let ambiguous = Code(.ambiguous)
        /// A name that could lead out of the folder, or that a person can't read for what it is.
        public static let unsafeName = Code(.unsafeName)
        /// Two entries have one name, also after folding case or normalizing.
        public static let duplicateName = Code(.duplicateName)
        /// A link, a device or the like.
        public static let unsuitableEntry = Code(.unsuitableEntry)
        /// An entry that has no place in such an archive.
        public static let unexpectedEntry = Code(.unexpectedEntry)
        /// An entry that must be there is not.
        public static let missingEntry = Code(.missingEntry)
        /// More bytes than allowed, declared or produced.
        public static let tooLarge = Code(.tooLarge)
        /// More entries than allowed.
        public static let tooMany = Code(.tooMany)
        /// The content is encrypted.
        public static let encrypted = Code(.encrypted)
        /// A compression method or a kind of archive that is not read here.
        public static let unsupported = Code(.unsupported)
        /// The system refused to read or write; see `underlying`.
        public static let inputOutput = Code(.inputOutput)

        public var description: String { kind.rawValue }
    }

    public let code: Code
    /// The archive.
    public let path: String
    /// The entry it is about, as its name stands in the archive.
    public let entry: String?
    /// The bound that was passed.
    public let limit: Int64?
    public let underlying: (any Error)?
    private let reason: String

    /// The message without the archive's path.
    package var messageWithoutPath: String { entry.map { "entry \($0.debugDescription): \(reason)" } ?? reason }

    package init(
        _ code: Code, _ reason: String, path: String, entry: String? = nil, limit: Int64? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.path = path
        self.entry = entry
        self.limit = limit
        self.underlying = underlying
    }

    /// One line: the archive, the entry and the reason.
    public var message: String { "\(path): \(messageWithoutPath)" }
    public var description: String { message }
}
