internal import Glibc

extension Disk {
    /// The number of bytes that a user without privileges can still write on the file system of an
    /// existing path.
    package static func availableBytes(at path: String) throws -> Int64 {
        var status = statvfs()
        try withPath(path) { name in _ = try perform(.stat, path) { negated(statvfs(name, &status)) } }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }
}
