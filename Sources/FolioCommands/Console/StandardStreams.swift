import Foundation

/// The descriptors of standard input, output and error.
enum StandardStreams {
    /// Gives closed ones a place where there is nothing to read and nothing can be written. Else
    /// the next file that is opened, which may be a part of a document, would come to stand there
    /// and be written to by mistake.
    static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// What listening for signals takes: a pipe, and what Dispatch waits with, which ends the
    /// process where it can't have that.
    private static let descriptorsOfDispatch = 6

    /// Whether the process may open as many files as it takes to run at all.
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
