import Foundation

/// Files that a command line names to be read: plain ones, pipes and devices alike.
enum InputFile {
    /// All bytes of a file, those of standard input for `-`.
    /// - Throws: 66, 74, 77 or a usage error, with the path.
    static func bytes(at path: String) throws -> Data {
        var bytes = Data()
        try forEachPiece(of: path) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Writes all bytes of a file, those of standard input for `-`, into a new file.
    /// - Throws: as `bytes(at:)`.
    static func copy(_ path: String, to target: String) throws {
        let descriptor = try descriptor(of: path)
        defer { close(descriptor) }
        let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard copy >= 0 else { throw failure(target) }
        defer { close(copy) }
        try self.copy(descriptor, of: path, into: copy, at: target)
    }

    /// Writes what an open file still has to be read into another one. A named pipe is opened once
    /// only: its writer may be gone by then.
    /// - Parameter target: The path of the other one.
    static func copy(_ descriptor: Int32, of path: String, into copy: Int32, at target: String) throws {
        let sink = ByteSink(descriptor: copy, path: target)
        try forEachPiece(of: descriptor, path) {
            sink.write(Data($0))
            try sink.check()
        }
        try sink.finish()
    }

    private static func forEachPiece(of path: String, _ body: (ArraySlice<UInt8>) throws -> Void) throws {
        let descriptor = try descriptor(of: path)
        defer { close(descriptor) }
        try forEachPiece(of: descriptor, path, body)
    }

    private static func forEachPiece(of descriptor: Int32, _ path: String, _ body: (ArraySlice<UInt8>) throws -> Void)
        throws
    {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return }
            if count > 0 { try body(buffer[..<count]) } else if errno != EINTR { throw failure(path) }
        }
    }

    /// An open file, which the caller closes; that of standard input for `-`.
    /// - Throws: as `bytes(at:)`.
    static func descriptor(of path: String) throws -> Int32 {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        return descriptor
    }

    /// The error for what `errno` says of a file.
    static func failure(_ path: String) -> CommandError {
        let number = errno, name = path == "-" ? "standard input" : path
        switch number {
        case ENOENT, ENOTDIR: return .notFound("there is no such file", path: name)
        case EISDIR: return .usage("\(name) is a folder, not a file")
        case EACCES, EPERM: return CommandError(.permission, "permission", "permission denied", path: name)
        default: return CommandError(.inputOutput, "inputOutput", String(cString: strerror(number)), path: name)
        }
    }
}
