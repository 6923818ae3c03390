internal import CSQLite
internal import FileSystem

extension Connection {
    /// Clones the main file as it stands to a path where nothing is, sharing its blocks; false
    /// where the file system can't, and nothing is there then. Not made durable.
    ///
    /// Takes a descriptor of its own on the file, which stays open until the process's last
    /// connection to the file is closed, for closing it would drop SQLite's locks.
    func cloneMain(to target: String) throws -> Bool {
        guard let name = sqlite3_db_filename(handle, "main") else { return false }
        let location = String(cString: name)
        do {
            return try MainFiles.withDescriptor(of: location) { try Disk.cloneFile($0, to: target) } ?? false
        } catch let error as FileSystemError {
            throw SQLiteError(
                error.code == .noSpace ? .full : .inputOutput, message: error.message, path: location,
                systemError: error.errno)
        }
    }
}
