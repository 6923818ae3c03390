/// How a database is opened.
package struct OpenOptions: Sendable, Hashable {
    package enum Access: Sendable, Hashable {
        /// Reads only, with SQLite's own locks. For looking at documents without leaving a trace,
        /// use `Connection.openForReading`.
        case readOnly
        /// Writes to a database that is there.
        case readWrite
        /// Makes the database where there is none.
        case create
    }

    package var access: Access
    /// How long a statement waits for another connection's lock, in milliseconds.
    package var busyTimeout: Int = 5_000
    /// What is refused to the content of the file.
    package var defense: Defense = .own
    /// Whether `ATTACH` may open further databases.
    package var allowsAttaching = false
    /// Whether the last part of the path may be a symbolic link.
    package var followsLink = true
    /// Size of the page cache in KiB; nil leaves SQLite's own (2 MB).
    package var cacheKilobytes: Int?

    package init(_ access: Access, defense: Defense = .own) {
        self.access = access
        self.defense = defense
    }

    package static let readOnly = OpenOptions(.readOnly)
    package static let readWrite = OpenOptions(.readWrite)
    package static let create = OpenOptions(.create)
}

/// What is refused to the content of a database: its schema may have been written by anybody.
package struct Defense: Sendable, Hashable {
    /// Writing to the schema, shadow tables and the like is refused.
    package var isDefensive: Bool
    /// Views, triggers, checks and indexes may call only functions that are marked innocuous.
    package var distrustsSchema: Bool
    /// Every page is looked over when it is read.
    package var checksCells: Bool
    /// No text, blob or row is longer than so many bytes.
    package var maximumLength: Int?
    /// Triggers nest no deeper.
    package var maximumTriggerDepth: Int?
    /// Refuses what only a hostile file or a slip of ours would ask for: `ATTACH` of files,
    /// extensions, functions on files.
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

    /// For files that this program made itself just now.
    package static let own = Defense(
        isDefensive: true, distrustsSchema: true, checksCells: false, maximumLength: nil, maximumTriggerDepth: nil,
        usesAuthorizer: false)

    /// For files that came from anywhere.
    package static let foreign = Defense(
        isDefensive: true, distrustsSchema: true, checksCells: true, maximumLength: 256 << 20, maximumTriggerDepth: 32,
        usesAuthorizer: true)
}
