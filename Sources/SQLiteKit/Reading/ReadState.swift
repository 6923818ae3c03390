internal import FileSystem

/// The identities of a database's files at one moment, determined without opening them.
struct ReadState: Equatable {
    let location: String
    let main: FileIdentity?
    let wal: FileIdentity?
    let journal: FileIdentity?
    let hasSharedMemory: Bool

    init(_ location: String) throws {
        self.location = location
        main = try Disk.identity(of: location)
        wal = try Disk.identity(of: location + "-wal")
        journal = try Disk.identity(of: location + "-journal")
        hasSharedMemory = try Disk.exists(location + "-shm")
    }

    /// Whether an error of reading was probably caused by changes of the files: a writer may open,
    /// close or checkpoint its WAL between two reads of SQLite.
    func explains(_ error: SQLiteError) -> Bool {
        // A reader gets this error only if a live writer has not yet initialized the shared index,
        // which may be removed by now.
        if error.code == .readOnly { return true }
        return [.cannotOpen, .corrupt, .notADatabase, .inputOutput].contains(error.code)
            && (try? ReadState(location)) != self
    }
}
