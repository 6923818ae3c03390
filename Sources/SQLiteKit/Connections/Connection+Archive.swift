internal import CSQLite
internal import FileSystem

extension Connection {
    /// Opens a database within an archive for editing. Committed data is written to a separate WAL
    /// and stays there: the archive is never written, and a checkpoint throws.
    ///
    /// `workingPath` is the path that the database would have as a separate file; its WAL is
    /// `<workingPath>-wal`, created if it is missing. The caller must have the document's lock:
    /// this connection takes none, and only one may edit at a time. The cost does not depend on the
    /// archive's size, apart from reading the WAL once.
    /// - Throws: `SQLiteError`; `.changed` here and later if the archive was changed, `.busy` if it
    ///   is already being edited at this path.
    package static func openForEditing(
        _ database: ArchivedDatabase, workingPath: String,
        options: OpenOptions = OpenOptions(.readWrite, defense: .foreign)
    ) throws -> Connection {
        var options = options
        options.access = .readWrite
        let connection = try open(database, workingPath, vfs: .writing, options)
        try connection.prepareForEditing()
        return connection
    }

    /// Opens a database within an archive for reading. Nothing is written, created or removed.
    ///
    /// If `workingPath` is given and has a WAL, its currently committed content is included;
    /// otherwise only the archive's content is read.
    package static func openForReading(
        _ database: ArchivedDatabase, workingPath: String? = nil, defense: Defense = .foreign
    ) throws -> Connection {
        let options = OpenOptions(.readOnly, defense: defense)
        if let workingPath, let size = try walSize(workingPath), size > 0 {
            let connection = try open(database, workingPath, vfs: .reading, options)
            connection.reading = .locked
            // The first read pins the currently committed state.
            _ = try connection.value("SELECT count(*) FROM sqlite_schema")
            return connection
        }
        let connection = try open(database, workingPath ?? database.path, ["immutable=1"], vfs: .reading, options)
        connection.reading = .immutable
        _ = try connection.value("SELECT count(*) FROM sqlite_schema")
        return connection
    }

    private static func walSize(_ workingPath: String) throws -> Int64? {
        do {
            guard let status = try Disk.status(of: workingPath + "-wal") else { return nil }
            guard status.kind == .file else {
                throw SQLiteError(.cannotOpen, message: "not a plain file", path: workingPath + "-wal")
            }
            return status.size
        } catch let error as FileSystemError {
            throw SQLiteError(.cannotOpen, message: error.message, path: workingPath + "-wal", systemError: error.errno)
        }
    }

    private static func open(
        _ database: ArchivedDatabase, _ workingPath: String, _ parameters: [String] = [], vfs: GuardVFS,
        _ options: OpenOptions
    ) throws -> Connection {
        try database.whileOpening { token in
            let parameters = ["\(ArchivedDatabase.parameter)=\(token)"] + parameters
            return try Connection(
                path: database.path, name: DatabaseURI.text(of: workingPath, parameters), vfs: vfs,
                extraFlags: SQLITE_OPEN_URI, options, archive: database)
        }
    }
}
