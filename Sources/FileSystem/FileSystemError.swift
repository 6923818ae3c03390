internal import Glibc

/// A system call on a file failed, or a file was not what it had to be.
///
/// `message` is one line for a person: what was tried, on which path, and the system's own words.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong, in kinds that a caller decides by. More may be added.
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
        /// Something is there already.
        public static let exists = Code(.exists)
        /// The user has no right to do this.
        public static let permissionDenied = Code(.permissionDenied)
        /// The file system is mounted read-only.
        public static let readOnly = Code(.readOnly)
        /// No space, no inodes or no quota left.
        public static let noSpace = Code(.noSpace)
        /// The device failed.
        public static let inputOutput = Code(.inputOutput)
        /// A folder was expected.
        public static let notDirectory = Code(.notDirectory)
        /// A file was expected.
        public static let isDirectory = Code(.isDirectory)
        /// A symbolic link, FIFO, socket, device or hard link where only a plain file or folder is
        /// taken.
        public static let unsuitableFile = Code(.unsuitableFile)
        /// The file is larger than the bound given, or larger than the file system allows.
        public static let tooLarge = Code(.tooLarge)
        /// The process or the system has no descriptor left.
        public static let tooManyOpenFiles = Code(.tooManyOpenFiles)
        /// Somebody else holds it.
        public static let busy = Code(.busy)
        /// The two paths are on different file systems.
        public static let crossDevice = Code(.crossDevice)
        /// The kernel or the file system can't do this.
        public static let unsupported = Code(.unsupported)
        /// A path that can't be: empty, with a NUL, leading out of its folder, or too long.
        public static let invalidPath = Code(.invalidPath)
        /// What was written may not be on the disk. The file written to must be given up; trying
        /// again proves nothing.
        public static let synchronizationFailed = Code(.synchronizationFailed)
        /// The item is no longer the one that was looked at before.
        public static let changed = Code(.changed)
        /// Anything else; see `errno`.
        public static let other = Code(.other)

        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The system call, or the operation made of several.
    public let operation: String
    /// The path it was about.
    public let path: String
    /// The system's error number, 0 where the system did not refuse.
    public let errno: Int32
    /// What was wrong, where `errno` does not say it.
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

    /// The reason alone.
    package var reason: String { detail ?? Self.text(of: errno) }

    public var description: String { message }

    private static func text(of number: Int32) -> String {
        // The reentrant form, since `strerror` may share one buffer between threads.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, strerror_r(number, base, buffer.count) == 0 else {
                return "error \(number)"
            }
            return String(cString: base)
        }
    }
}

extension FileSystemError.Code {
    /// The kind that an error number stands for.
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
