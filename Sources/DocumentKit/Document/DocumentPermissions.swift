internal import DocumentFiles
internal import FileSystem

/// The user's mark that a document is not to be edited: nobody may write its file or folder, as
/// file managers show it.
enum DocumentPermissions {
    private static let writing: UInt32 = 0o222

    static func isLocked(_ path: String) -> Bool {
        guard let mode = try? Disk.status(of: path)?.mode else { return false }
        return mode & writing == 0
    }

    static func setLocked(_ isLocked: Bool, _ path: String) throws {
        try DocumentError.stage(.locking, path) {
            guard let status = try Disk.status(of: path) else { return }
            // As much as others may read.
            try Disk.setMode(isLocked ? status.mode & ~writing : status.mode | 0o200, of: path)
        }
    }
}
