internal import Glibc

/// One name in a folder.
package struct DirectoryEntry: Sendable, Hashable {
    package let name: String
    package let kind: FileKind
}

extension Disk {
    /// The names in a folder, sorted, without `.` and `..`. Throws `.invalidPath` where one is no valid UTF-8.
    package static func list(_ path: String) throws -> [DirectoryEntry] {
        try Directory(path, followingLink: true).entries()
    }
}

extension Directory {
    /// The names in this folder, sorted, without `.` and `..`. Throws `.invalidPath` where one is no valid UTF-8.
    package func entries() throws -> [DirectoryEntry] {
        try rawNames().map { raw in
            guard let name = String(validating: raw.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
                throw FileSystemError(.invalidPath, operation: "list", path: path, detail: "a name in it is no valid UTF-8")
            }
            return DirectoryEntry(name: name, kind: try FileStatus(path: name, in: descriptor).kind)
        }.sorted { $0.name < $1.name }
    }

    /// The names as the file system has them, each with its NUL.
    func rawNames() throws -> [[CChar]] {
        try perform(.list, path) { 0 }
        // A descriptor of its own: closing the stream closes it, and the position of ours stays.
        let copy = try openDescriptor(".", O_RDONLY | O_DIRECTORY | O_NONBLOCK, in: descriptor)
        guard let stream = fdopendir(copy) else {
            let number = errno
            _ = close(copy)
            throw FileSystemError(operation: "list", path: path, errno: number)
        }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw FileSystemError(operation: "list", path: path, errno: errno) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1))
                }
            }
            if name != [46, 0], name != [46, 46, 0] { names.append(name) }
        }
    }
}
