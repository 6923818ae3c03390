package import FileSystem

/// A file of a database: one that SQLite has open, or a regular file.
package protocol RandomAccessFile {
    func size() throws -> Int64
    /// Fills `buffer` from `offset`; bytes past the end of the file are zero.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws
}

/// A file that no connection has open.
package struct PlainFile: RandomAccessFile {
    private let file: File

    package init(_ file: File) { self.file = file }

    /// - Throws: `FileSystemError`.
    package func size() throws -> Int64 { try file.status().size }

    /// - Throws: `FileSystemError`.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        let count = try file.read(into: buffer, at: offset)
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// As many of `count` bytes as can be read.
    func readable(at offset: Int64, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            done = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)) ?? 0
        }
    }
}
