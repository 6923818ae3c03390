/// An error of reading or writing an archive.
///
/// `message` is one line for people and includes the path of the archive. `entry` is the name of
/// the entry with the error, `limit` the exceeded limit.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure, for decisions by callers. More kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case notAnArchive, truncated, damaged, ambiguous, unsafeName, duplicateName, unsuitableEntry,
                unexpectedEntry, missingEntry
            case tooLarge, tooMany, encrypted, unsupported, inputOutput
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The file is not a zip archive.
        public static let notAnArchive = Code(.notAnArchive)
        /// The file ends too early.
        public static let truncated = Code(.truncated)
        /// Content or structure is damaged: a checksum, a size or an offset is wrong.
        public static let damaged = Code(.damaged)
        /// Readers could interpret the archive differently: local and central headers differ,
        /// entries overlap, or there are other bytes around them.
        public static let ambiguous = Code(.ambiguous)
        /// The name of an entry could lead out of the target folder, or contains characters that
        /// hide its real form.
        public static let unsafeName = Code(.unsafeName)
        /// Two entries have the same name, possibly only after case folding or normalization.
        public static let duplicateName = Code(.duplicateName)
        /// The entry is a link, a device or another special file.
        public static let unsuitableEntry = Code(.unsuitableEntry)
        /// An archive of this kind must not contain the entry.
        public static let unexpectedEntry = Code(.unexpectedEntry)
        /// A required entry is missing.
        public static let missingEntry = Code(.missingEntry)
        /// The declared or decompressed size exceeds the limit.
        public static let tooLarge = Code(.tooLarge)
        /// The number of entries exceeds the limit.
        public static let tooMany = Code(.tooMany)
        /// The content is encrypted.
        public static let encrypted = Code(.encrypted)
        /// The compression method or the kind of archive is not supported.
        public static let unsupported = Code(.unsupported)
        /// Reading or writing a file failed; see `underlying`.
        public static let inputOutput = Code(.inputOutput)

        public var description: String { kind.rawValue }
    }

    public let code: Code
    /// The path of the archive.
    public let path: String
    /// The name of the entry with the error; nil if the error concerns the whole archive.
    public let entry: String?
    /// The exceeded limit.
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

    /// The path of the archive, the entry and the reason on one line.
    public var message: String { "\(path): \(messageWithoutPath)" }
    public var description: String { message }
}
