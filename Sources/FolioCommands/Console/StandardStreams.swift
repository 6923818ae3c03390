import Foundation

/// The descriptors of standard input, output and error.
enum StandardStreams {
    /// Gives closed ones a place where there is nothing to read and nothing can be written. Else the next file that is opened, which may be a part of a document, would
    /// come to stand there and be written to by mistake.
    static func occupy() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 { _ = open("/dev/null", O_RDONLY) }
    }
}
