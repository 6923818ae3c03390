internal import CSQLite
internal import FileSystem

extension Connection {
    /// Opens a database within an archive for editing. What is committed goes into a WAL elsewhere
    /// and stays there: the archive is never written, a checkpoint throws.
    ///
    /// `workingPath` is where the database would be if it were a file; its WAL is
    /// `<workingPath>-wal`, made where there is none. The caller holds the document's lock: this
    /// connection takes none, and one at a time may edit. Costs the same whatever the archive's
    /// size, plus reading the WAL once.
    /// - Throws: `SQLiteError`; `.changed` here and later where the archive was changed under it,
    ///   `.busy` where it is being edited at this path already.
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

    /// Opens a database within an archive for reading; nothing is written, made or removed
    /// anywhere.
    ///
    /// Where `workingPath` is given and has a WAL, that is read on top, as far as it is committed
    /// now; else the archive's content alone.
    package static func openForReading(
        _ database: ArchivedDatabase, workingPath: String? = nil, defense: Defense = .foreign
    ) throws -> Connection {
        let options = OpenOptions(.readOnly, defense: defense)
        if let workingPath, let size = try walSize(workingPath), size > 0 {
            let connection = try open(database, workingPath, vfs: .reading, options)
            connection.reading = .locked
            // Takes what is committed now.
            _ = try connection.value("SELECT count(*) FROM sqlite_schema")
            return connection
        }
        let connection = try open(database, workingPath ?? database.path, "immutable=1", vfs: .reading, options)
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
        _ database: ArchivedDatabase, _ workingPath: String, _ parameter: String? = nil, vfs: GuardVFS,
        _ options: OpenOptions
    ) throws -> Connection {
        try database.whileOpening { token in
            let name = uri(workingPath) + "?\(ArchivedDatabase.parameter)=\(token)" + (parameter.map { "&" + $0 } ?? "")
            return try Connection(
                path: database.path, name: name, vfs: vfs, extraFlags: SQLITE_OPEN_URI, options, archive: database)
        }
    }
}
