internal import CSQLite
internal import FileSystem

extension Connection {
    /// Clones the main file to a new path, sharing its blocks. Returns false, without creating a
    /// file, if the file system does not support it. The clone is not durable.
    ///
    /// Uses a separate descriptor on the file, which stays open until the process closes its last
    /// connection to the file: closing it earlier would drop SQLite's locks.
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
