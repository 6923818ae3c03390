internal import Glibc

/// An error of a file operation: a system call failed, or a file is not of the required kind.
///
/// `message` is one line for people with the operation, the path and the system's description.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure, for decisions by callers. More kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case notFound, exists, permissionDenied, readOnly, noSpace, inputOutput, notDirectory, isDirectory,
                unsuitableFile, tooLarge
            case tooManyOpenFiles, busy, crossDevice, unsupported, invalidPath, synchronizationFailed, changed, other
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The file or one of its folders does not exist.
        public static let notFound = Code(.notFound)
        /// The file exists already.
        public static let exists = Code(.exists)
        /// The user lacks the permission.
        public static let permissionDenied = Code(.permissionDenied)
        /// The file system is mounted read-only.
        public static let readOnly = Code(.readOnly)
        /// There is no space left, no inode, or the quota is exceeded.
        public static let noSpace = Code(.noSpace)
        /// The device failed.
        public static let inputOutput = Code(.inputOutput)
        /// A folder was expected.
        public static let notDirectory = Code(.notDirectory)
        /// A file was expected.
        public static let isDirectory = Code(.isDirectory)
        /// The file is a symbolic link, FIFO, socket, device or hard link, but a regular file or
        /// folder is required.
        public static let unsuitableFile = Code(.unsuitableFile)
        /// The file is larger than the given limit, or than the file system allows.
        public static let tooLarge = Code(.tooLarge)
        /// The process or the system has no file descriptors left.
        public static let tooManyOpenFiles = Code(.tooManyOpenFiles)
        /// The file is in use elsewhere.
        public static let busy = Code(.busy)
        /// The two paths are on different file systems.
        public static let crossDevice = Code(.crossDevice)
        /// The kernel or the file system does not support the operation.
        public static let unsupported = Code(.unsupported)
        /// The path is invalid: it is empty, contains NUL, leads out of its folder, or is too long.
        public static let invalidPath = Code(.invalidPath)
        /// An fsync failed, so written data may not be on the disk. The file must be discarded;
        /// another fsync would not report the failure again.
        public static let synchronizationFailed = Code(.synchronizationFailed)
        /// The file is not the one that was examined before.
        public static let changed = Code(.changed)
        /// Anything else; see `errno`.
        public static let other = Code(.other)

        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The system call, or the operation that consists of several calls.
    public let operation: String
    /// The path that the error concerns.
    public let path: String
    /// The system's errno; 0 if no system call failed.
    public let errno: Int32
    /// The reason, if `errno` does not describe it.
    private let detail: String?

    package init(_ code: Code, operation: String, path: String, errno: Int32 = 0, detail: String? = nil) {
        self.code = code
        self.operation = operation
        self.path = path
        self.errno = errno
        self.detail = detail
    }

    package init(operation: String, path: String, errno: Int32) {
        self.init(Code(errno: errno), operation: operation, path: path, errno: errno)
    }

    /// One line: the operation, the path and the reason.
    public var message: String { "\(operation) \(path): \(reason)" }

    /// The reason without operation and path.
    package var reason: String { detail ?? Self.text(of: errno) }

    public var description: String { message }

    private static func text(of number: Int32) -> String {
        // `strerror_r` is used because `strerror` may share one buffer between threads.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(number, base, buffer.count) == 0 else {
                return "error \(number)"
            }
            return String(cString: base)
        }
    }
}

extension FileSystemError.Code {
    /// The code for an errno.
    package init(errno: Int32) {
        self =
            switch errno {
            case ENOENT: .notFound
            case EEXIST, ENOTEMPTY: .exists
            case EACCES, EPERM: .permissionDenied
            case EROFS: .readOnly
            case ENOSPC, EDQUOT: .noSpace
            case EIO: .inputOutput
            case ENOTDIR: .notDirectory
            case EISDIR: .isDirectory
            case ELOOP: .unsuitableFile
            case EFBIG, EOVERFLOW: .tooLarge
            case EMFILE, ENFILE: .tooManyOpenFiles
            case EAGAIN, EBUSY, ETXTBSY: .busy
            case EXDEV: .crossDevice
            case ENOSYS, ENOTSUP, EINVAL: .unsupported
            case ENAMETOOLONG: .invalidPath
            default: .other
            }
    }
}
