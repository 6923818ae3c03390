internal import CSystem
internal import Glibc

extension File {
    /// The value of an extended attribute (`user.…`); nil if the file does not have it or the file
    /// system does not support it.
    package func attribute(_ name: String) -> [UInt8]? { Disk.attribute(name, of: descriptor) }

    package func setAttribute(_ name: String, to value: [UInt8]) throws {
        try perform(.chmod, path) { negated(fsetxattr(descriptor, name, value, value.count, 0)) }
    }
}

extension Disk {
    /// Sets the permission bits of a file or folder.
    package static func setMode(_ mode: UInt32, of path: String) throws {
        try withPath(path) { name in _ = try perform(.chmod, path) { negated(chmod(name, mode_t(mode))) } }
    }

    static func attribute(_ name: String, of descriptor: Int32) -> [UInt8]? {
        let size = fgetxattr(descriptor, name, nil, 0)
        guard size >= 0 else { return nil }
        var value = [UInt8](repeating: 0, count: size)
        let read = fgetxattr(descriptor, name, &value, size)
        return read < 0 ? nil : Array(value[..<read])
    }

    /// Copies extended attributes of the `user` namespace. Attributes that the target's file system
    /// can't store are skipped.
    static func copyAttributes(from source: Int32, to target: Int32, _ path: String) throws {
        let length = flistxattr(source, nil, 0)
        guard length > 0 else { return }
        var names = [CChar](repeating: 0, count: length)
        let filled = flistxattr(source, &names, length)
        guard filled > 0 else { return }
        for raw in names[..<filled].split(separator: 0) {
            let name = String(decoding: raw.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard name.hasPrefix("user."), let value = attribute(name, of: source) else { continue }
            if fsetxattr(target, name, value, value.count, 0) != 0, [EIO, ENOSPC, EDQUOT].contains(errno) {
                throw FileSystemError(operation: "setxattr", path: path, errno: errno)
            }
        }
    }
}
