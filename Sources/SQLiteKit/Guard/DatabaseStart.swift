internal import FileSystem

/// The beginning of a file that may be a database which this process has open.
///
/// Opening and closing it in any other way would drop the locks of those connections: on POSIX,
/// closing any descriptor of a file releases all locks of the process on it.
package struct DatabaseStart: Sendable {
    /// At most as many bytes as requested.
    package let bytes: [UInt8]
    /// The size of the whole file.
    package let size: Int64

    /// Reads the beginning of a regular file.
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
