internal import Glibc

extension Disk {
    /// Whether one of the folders on the path, except the root, contains an entry with this name.
    package static func isBeneathFolder(of path: String, holding name: String) throws -> Bool {
        for slash in path.utf8.indices where slash != path.utf8.startIndex && path.utf8[slash] == UInt8(ascii: "/") {
            if try FileStatus.ifPresent("\(path[...slash])\(name)") != nil { return true }
        }
        return false
    }

    /// Whether this process has write permission for a folder or a file.
    package static func isWritable(_ path: String) -> Bool {
        (try? withPath(path) { name in try perform(.stat, path) { negated(access(name, W_OK)) } }) != nil
    }
}
