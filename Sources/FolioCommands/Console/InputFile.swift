import Foundation

/// Files that a command line names to be read: plain ones, pipes and devices alike.
enum InputFile {
    /// All bytes of a file, those of standard input for `-`.
    /// - Throws: 66, 74, 77 or a usage error, with the path.
    static func bytes(at path: String) throws -> Data {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 { bytes.append(contentsOf: buffer[..<count]) } else if errno != EINTR { throw failure(path) }
        }
    }

    private static func failure(_ path: String) -> CommandError {
        let number = errno, name = path == "-" ? "standard input" : path
        switch number {
        case ENOENT, ENOTDIR: return .notFound("there is no such file", path: name)
        case EISDIR: return .usage("\(name) is a folder, not a file")
        case EACCES, EPERM: return CommandError(.permission, "permission", "permission denied", path: name)
        default: return CommandError(.inputOutput, "inputOutput", String(cString: strerror(number)), path: name)
        }
    }
}
