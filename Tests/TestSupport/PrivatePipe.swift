public import Foundation

/// A pipe that no process of another test keeps open.
///
/// Foundation's pipes are inherited by every process that is started meanwhile: a reader would wait
/// for its end until the last of them is gone.
public func privatePipe() -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    return pipe
}
