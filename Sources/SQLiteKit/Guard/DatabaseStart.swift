internal import FileSystem

/// The beginning of a file that may be a database which this process has open.
///
/// Opening and closing it by any other way would drop the locks of those connections: POSIX takes
/// all locks of a process on a file away with any descriptor on it.
package struct DatabaseStart: Sendable {
    /// At most as many as were asked for.
    package let bytes: [UInt8]
    /// The size of the whole file.
    package let size: Int64

    /// Reads the beginning of a plain file.
    /// - Throws: `FileSystemError`.
    package init(_ path: String, count: Int) throws {
        (bytes, size) = try MainFiles.reading(path) { file in
            var bytes = [UInt8](repeating: 0, count: count)
            let read = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
            bytes.removeLast(count - read)
            return (bytes, try file.status().size)
        }
    }
}
