internal import Glibc
internal import CSystem

// Every system call of this module goes through `perform` or `transfer`, which inject faults, retry
// on EINTR and add the path to errors.

/// Performs a call that returns a result of zero or more, or the negated errno.
@discardableResult
func perform(_ call: SystemCall, _ path: @autoclosure () -> String, retrying: Bool = true, _ body: () -> Int) throws
    -> Int
{
    try transfer(call, path(), upTo: 0, retrying: retrying) { _ in body() }
}

/// Performs a call that transfers at most `count` bytes. `body` gets the limit for the call.
func transfer(
    _ call: SystemCall, _ path: @autoclosure () -> String, upTo count: Int, retrying: Bool = true, _ body: (Int) -> Int
) throws -> Int {
    // The kernel transfers at most 2 GiB − 4 KiB in one call.
    let most = min(count, 1 << 30)
    while true {
        let answer =
            switch FaultInjection.fault(call, path()) {
            case nil: body(most)
            case .error(let number)?: -Int(number)
            case .short(let bytes)?: body(max(1, min(most, bytes)))
            }
        if answer >= 0 { return answer }
        let number = Int32(-answer)
        if number == EINTR, retrying { continue }
        throw FileSystemError(operation: call.rawValue, path: path(), errno: number)
    }
}

/// Converts a result of −1 from the C library to the negated errno.
@inline(__always)
func negated(_ answer: Int) -> Int { answer < 0 ? -Int(errno) : answer }

@inline(__always)
func negated(_ answer: Int32) -> Int { negated(Int(answer)) }

/// Passes a path to C. A path that contains NUL is rejected, because C would see another file name.
func withPath<Result>(_ path: String, _ body: (UnsafePointer<CChar>) throws -> Result) throws -> Result {
    try path.withCString { name in
        guard !path.isEmpty, strlen(name) == path.utf8.count else {
            throw FileSystemError(
                .invalidPath, operation: "open", path: path, detail: "a path can't be empty or hold a NUL character")
        }
        return try body(name)
    }
}

/// The descriptor that represents the working directory.
let workingDirectory: Int32 = AT_FDCWD

func openDescriptor(_ path: String, _ flags: Int32, mode: mode_t = 0o666, in directory: Int32 = workingDirectory) throws
    -> Int32
{
    try withPath(path) { name in
        try Int32(perform(.open, path) { Int(folio_open(directory, name, flags | O_CLOEXEC, mode)) })
    }
}

/// Opens a folder by its raw name without following a symbolic link; returns the negated errno on
/// failure.
func openDirectoryDescriptor(_ directory: Int32, _ name: [CChar]) -> Int32 {
    folio_open(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
}
