package import Foundation

/// Access to input files of a command line: regular files, pipes and devices.
package enum InputFile {
    /// The size limit of what is kept in memory, and of a value in a table of the store: a row has
    /// at most 256 MiB, because stores may be untrusted.
    package static let largestInMemory: Int64 = 250_000_000

    /// All bytes of a file, or of standard input for `-`, at most `largestInMemory`.
    /// - Throws: An error with exit code 66, 69, 74 or 77 or a usage error, with the path.
    package static func bytes(at path: String) throws -> Data {
        var bytes = Data()
        try forEachPiece(of: path, limit: largestInMemory) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Copies all bytes of a file, or of standard input for `-`, into a new file.
    /// - Throws: As `bytes(at:)`.
    package static func copy(_ path: String, to target: String, limit: Int64 = .max) throws {
        let descriptor = try descriptor(of: path)
        defer { close(descriptor) }
        let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure(target) }
        defer { close(copy) }
        try self.copy(descriptor, of: path, into: copy, at: target, limit: limit)
    }

    /// Copies the remaining bytes of an open file into another one. A named pipe can be opened only
    /// once, because its writer may be gone afterwards.
    /// - Parameter target: The path of the other file.
    package static func copy(
        _ descriptor: Int32, of path: String, into copy: Int32, at target: String, limit: Int64 = .max
    ) throws {
        let sink = ByteSink(descriptor: copy, path: target)
        try forEachPiece(of: descriptor, path, limit: limit) {
            sink.write(Data($0))
            try sink.check()
        }
        try sink.finish()
    }

    private static func forEachPiece(
        of path: String, limit: Int64, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        let descriptor = try descriptor(of: path)
        defer { close(descriptor) }
        try forEachPiece(of: descriptor, path, limit: limit, body)
    }

    private static func forEachPiece(
        of descriptor: Int32, _ path: String, limit: Int64, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        var status = stat()
        let isDevice = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR && isatty(descriptor) == 0
        // A device such as /dev/zero has no end.
        let limit = isDevice ? min(limit, largestInMemory) : limit
        var buffer = [UInt8](repeating: 0, count: 1 << 16), total: Int64 = 0
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure(path)
            }
            total += Int64(count)
            guard total <= limit else {
                throw InterchangeError(
                    .unavailable, "tooLarge", "has more than \(limit) bytes, or no end",
                    path: path == "-" ? "standard input" : path)
            }
            try body(buffer[..<count])
        }
    }

    /// Opens a file, or standard input for `-`. The caller closes it.
    /// - Throws: As `bytes(at:)`.
    package static func descriptor(of path: String) throws -> Int32 {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
    }

    /// The error for the current `errno` of a file operation.
    package static func failure(_ path: String) -> InterchangeError {
        let number = errno, name = path == "-" ? "standard input" : path
        switch number {
        case ENOENT, ENOTDIR: return .notFound("there is no such file", path: name)
        case EISDIR: return .usage("\(name) is a folder, not a file")
        case EACCES, EPERM: return InterchangeError(.permission, "permission", "permission denied", path: name)
        default: return InterchangeError(.inputOutput, "inputOutput", String(cString: strerror(number)), path: name)
        }
    }
}
