import Foundation

/// Protects the descriptors of standard input, output and error.
enum StandardStreams {
    /// Opens /dev/null for those that are closed. Otherwise the next opened file, which may belong
    /// to a document, would get the descriptor, and output would be written to it.
    static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// The descriptors for listening to signals: a pipe, and those of Dispatch, which ends the
    /// process if it can't get them.
    private static let descriptorsOfDispatch = 6

    /// Whether the process can open the minimum number of files.
    static var areEnoughAvailable: Bool {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<descriptorsOfDispatch {
            let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return false }
            opened.append(descriptor)
        }
        return true
    }
}
