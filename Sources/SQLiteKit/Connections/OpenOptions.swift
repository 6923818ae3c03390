/// The options for opening a database.
package struct OpenOptions: Sendable, Hashable {
    package enum Access: Sendable, Hashable {
        /// Reads only, with SQLite's own locks. To read documents without creating any file, use
        /// `Connection.openForReading`.
        case readOnly
        /// Writes to an existing database.
        case readWrite
        /// Creates the database if it is missing.
        case create
    }

    package var access: Access
    /// How long a statement waits for another connection's lock, in milliseconds.
    package var busyTimeout: Int = 5_000
    /// The restrictions on the content of the file.
    package var defense: Defense = .own
    /// Whether `ATTACH` may open further databases.
    package var allowsAttaching = false
    /// Whether the last path component may be a symbolic link.
    package var followsLink = true
    /// Size of the page cache in KiB; nil uses SQLite's default (2 MB).
    package var cacheKilobytes: Int?

    package init(_ access: Access, defense: Defense = .own) {
        self.access = access
        self.defense = defense
    }

    package static let readOnly = OpenOptions(.readOnly)
    package static let readWrite = OpenOptions(.readWrite)
    package static let create = OpenOptions(.create)
}

/// The restrictions on the content of a database, whose schema may come from an untrusted source.
package struct Defense: Sendable, Hashable {
    /// Writing to the schema, shadow tables and the like is not permitted.
    package var isDefensive: Bool
    /// Views, triggers, checks and indexes may only call functions that are marked innocuous.
    package var distrustsSchema: Bool
    /// Every page is checked when it is read.
    package var checksCells: Bool
    /// The greatest length of a text, blob or row, in bytes.
    package var maximumLength: Int?
    /// The greatest nesting depth of triggers.
    package var maximumTriggerDepth: Int?
    /// Denies operations that only a malicious file or a programming error would use: `ATTACH` of
    /// files, extensions, functions on files.
    package var usesAuthorizer: Bool

    package init(
        isDefensive: Bool, distrustsSchema: Bool, checksCells: Bool, maximumLength: Int?, maximumTriggerDepth: Int?,
        usesAuthorizer: Bool
    ) {
        self.isDefensive = isDefensive
        self.distrustsSchema = distrustsSchema
        self.checksCells = checksCells
        self.maximumLength = maximumLength
        self.maximumTriggerDepth = maximumTriggerDepth
        self.usesAuthorizer = usesAuthorizer
    }

    /// For files that this program has just created.
    package static let own = Defense(
        isDefensive: true, distrustsSchema: true, checksCells: false, maximumLength: nil, maximumTriggerDepth: nil,
        usesAuthorizer: false)

    /// For files from untrusted sources.
    package static let foreign = Defense(
        isDefensive: true, distrustsSchema: true, checksCells: true, maximumLength: 256 << 20, maximumTriggerDepth: 32,
        usesAuthorizer: true)
}
