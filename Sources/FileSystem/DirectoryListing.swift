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

    /// The names in a folder that are valid UTF-8, in no order: for looking for names of our own in folders that belong to others. What they name is not looked at.
    package static func names(in path: String) throws -> [String] {
        try Directory(path, followingLink: true).rawNames().compactMap { Directory.text(of: $0) }
    }
}

extension Directory {
    /// The names in this folder, sorted, without `.` and `..`. Throws `.invalidPath` where one is no valid UTF-8.
    package func entries() throws -> [DirectoryEntry] {
        // What was removed since the names were read is not there.
        try names().compactMap { name in try status(of: name).map { DirectoryEntry(name: name, kind: $0.kind) } }.sorted { $0.name < $1.name }
    }

    /// The names as `entries` has them, in no order: what they stand for is not looked at.
    package func names() throws -> [String] {
        try rawNames().map { raw in
            guard let name = Self.text(of: raw) else {
                throw FileSystemError(.invalidPath, operation: "list", path: path, detail: "a name in it is no valid UTF-8")
            }
            return name
        }
    }

    /// A raw name as text; nil where it is no valid UTF-8.
    fileprivate static func text(of raw: [CChar]) -> String? {
        raw.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } }
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
