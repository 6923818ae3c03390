import Folio
import Foundation

/// An open file to import, which can be read several times. Input from a pipe is copied to an
/// unlinked temporary file.
package final class ImportBytes {
    /// The name for messages.
    package let name: String
    private let descriptor: Int32
    private let start: Int64
    /// The size in bytes, for progress.
    let size: Int64

    /// - Throws: An error with exit code 66, 74 or 77 or a usage error, with the path.
    init(_ path: String) throws {
        name = path == "-" ? "standard input" : path
        let named = try InputFile.descriptor(of: path)
        var status = stat()
        guard fstat(named, &status) == 0 else {
            defer { close(named) }
            throw InputFile.failure(path)
        }
        if status.st_mode & S_IFMT == S_IFREG {
            descriptor = named
            start = max(0, Int64(lseek(named, 0, SEEK_CUR)))
        } else {
            defer { close(named) }
            let copy = FileManager.default.temporaryDirectory.appendingPathComponent("folio-\(UUID().uuidString)").path
            descriptor = open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw InputFile.failure(copy) }
            start = 0
            unlink(copy)
            try InputFile.copy(named, of: path, into: descriptor, at: copy)
            fstat(descriptor, &status)
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads bytes into a part of a buffer.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into buffer: inout [UInt8], at place: Int, offset: Int64) throws -> Int {
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + place }, bytes.count - place, off_t(start + offset))
            }
            if count >= 0 { return count }
            if errno != EINTR { throw InputFile.failure(name) }
        }
    }
}
