internal import FileSystem

/// The user's lock against editing: no write permission on the document's file or folder, which
/// file managers show as locked.
package enum DocumentPermissions {
    private static let writing: UInt32 = 0o222

    package static func isLocked(_ path: String) -> Bool {
        guard let mode = try? Disk.status(of: path)?.mode else { return false }
        return mode & writing == 0
    }

    package static func setLocked(_ isLocked: Bool, _ path: String) throws {
        try DocumentError.stage(.locking, path) {
            guard let status = try Disk.status(of: path) else { return }
            // Only the owner gets write permission back, because the mode before locking is not
            // recorded.
            try Disk.setMode(isLocked ? status.mode & ~writing : status.mode | 0o200, of: path)
        }
    }
}
