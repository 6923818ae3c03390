internal import CSQLite
internal import FileSystem

/// An error that SQLite reported.
///
/// `message` is SQLite's own text; `description` adds the database and the statement.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error, for decisions by the caller. More kinds may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String, Sendable {
            case busy, locked, corrupt, notADatabase, readOnly, full, inputOutput, constraint, interrupted, timedOut,
                cannotOpen, tooBig
            case schemaChanged, refused, changed, needsRecovery, noMemory, misuse, other
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// Another connection has a conflicting lock.
        public static let busy = Code(.busy)
        /// Another statement of this connection has a conflicting lock.
        public static let locked = Code(.locked)
        /// The database is damaged.
        public static let corrupt = Code(.corrupt)
        /// The file is not a SQLite database.
        public static let notADatabase = Code(.notADatabase)
        /// The database can't be written to.
        public static let readOnly = Code(.readOnly)
        /// The disk is full.
        public static let full = Code(.full)
        /// The device failed; see `systemError`.
        public static let inputOutput = Code(.inputOutput)
        /// A constraint is violated; see `constraint`.
        public static let constraint = Code(.constraint)
        /// The operation was interrupted by the caller.
        public static let interrupted = Code(.interrupted)
        /// The operation took longer than its deadline.
        public static let timedOut = Code(.timedOut)
        /// The file can't be opened; see `systemError`.
        public static let cannotOpen = Code(.cannotOpen)
        /// A value or statement exceeds a limit.
        public static let tooBig = Code(.tooBig)
        /// The schema changed while a statement was in use.
        public static let schemaChanged = Code(.schemaChanged)
        /// An operation that a document must not use: another file, an extension, an attached
        /// database.
        public static let refused = Code(.refused)
        /// The database was changed by another program while it was read without locks.
        public static let changed = Code(.changed)
        /// A crash left a journal that must be rolled back, which is not permitted when opening for
        /// reading.
        public static let needsRecovery = Code(.needsRecovery)
        /// Memory ran out.
        public static let noMemory = Code(.noMemory)
        /// The library was used incorrectly.
        public static let misuse = Code(.misuse)
        /// Anything else; see `message`.
        public static let other = Code(.other)

        public var description: String { kind.rawValue }
    }

    /// The kind of constraint that is violated.
    public enum Constraint: Sendable, Hashable {
        case unique, primaryKey, notNull, check, foreignKey, trigger, other
    }

    /// The kind of failure.
    public let code: Code
    /// SQLite's extended result code.
    public let extendedCode: Int32
    /// SQLite's message.
    public let message: String
    /// The statement, if there was one.
    public let sql: String?
    /// The database file.
    public let path: String
    /// The underlying system error number; 0 if there is none.
    public let systemError: Int32

    /// The violated constraint, if `code` is `.constraint`.
    public var constraint: Constraint? {
        guard code == .constraint else { return nil }
        return switch extendedCode {
        case ResultCode.constraintUnique: .unique
        case ResultCode.constraintPrimaryKey, ResultCode.constraintRowID: .primaryKey
        case ResultCode.constraintNotNull: .notNull
        case ResultCode.constraintCheck: .check
        case ResultCode.constraintForeignKey: .foreignKey
        case ResultCode.constraintTrigger: .trigger
        default: .other
        }
    }

    /// Whether another connection has the requested lock, so that a retry may succeed.
    package var isOfLocks: Bool { code == .busy || code == .locked }

    public var description: String {
        var text = "\(path): \(message)"
        if let sql { text += " (in: \(sql.prefix(500)))" }
        return text
    }

    package init(
        _ code: Code, extendedCode: Int32 = 0, message: String, sql: String? = nil, path: String, systemError: Int32 = 0
    ) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
        self.path = path
        self.systemError = systemError
    }

    /// The error of a database that other programs changed during each attempt to read it.
    package init(changedWhileRead path: String) {
        self.init(.changed, message: "changed by another program while it was read", path: path)
    }

    /// The error of a database whose files can't be examined.
    init(cannotOpen path: String, _ error: any Error) {
        let system = error as? FileSystemError
        self.init(.cannotOpen, message: system?.message ?? "\(error)", path: path, systemError: system?.errno ?? 0)
    }

    /// The error of the last call on `handle`, which returned `result`.
    init(_ result: Int32, handle: OpaquePointer?, sql: String? = nil, path: String) {
        let text =
            if let handle, sqlite3_errcode(handle) & 0xFF == result & 0xFF {
                String(cString: sqlite3_errmsg(handle))
            } else {
                String(cString: sqlite3_errstr(result))
            }
        let extended = handle.map { sqlite3_extended_errcode($0) } ?? result
        let code = extended & 0xFF == result & 0xFF ? extended : result
        let concernsSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(code & 0xFF)
        let known = concernsSystem ? handle.map { sqlite3_system_errno($0) } ?? 0 : 0
        let noted = concernsSystem ? LastSystemError.take() : 0
        self.init(
            Code(result: code), extendedCode: code, message: text, sql: sql, path: path,
            systemError: noted != 0 ? noted : known)
    }
}

/// Extended result codes. They are macros with arithmetic, which Swift can't import.
enum ResultCode {
    static let readOnlyRollback = SQLITE_READONLY | 3 << 8
    static let readOnlyCannotInitialize = SQLITE_READONLY | 5 << 8
    static let constraintCheck = SQLITE_CONSTRAINT | 1 << 8
    static let constraintForeignKey = SQLITE_CONSTRAINT | 3 << 8
    static let constraintNotNull = SQLITE_CONSTRAINT | 5 << 8
    static let constraintPrimaryKey = SQLITE_CONSTRAINT | 6 << 8
    static let constraintTrigger = SQLITE_CONSTRAINT | 7 << 8
    static let constraintUnique = SQLITE_CONSTRAINT | 8 << 8
    static let constraintRowID = SQLITE_CONSTRAINT | 10 << 8
    static let ioRead = SQLITE_IOERR | 1 << 8
    /// Reading past the end, which is not an error.
    static let ioShortRead = SQLITE_IOERR | 2 << 8
    static let ioWrite = SQLITE_IOERR | 3 << 8
    static let ioFsync = SQLITE_IOERR | 4 << 8
    static let ioTruncate = SQLITE_IOERR | 6 << 8
    static let ioDelete = SQLITE_IOERR | 10 << 8
    /// The shared index of the WAL could not be enlarged.
    static let ioIndexSize = SQLITE_IOERR | 19 << 8
    /// EIO, ENXIO or ERANGE of a read.
    static let ioCorruptFileSystem = SQLITE_IOERR | 33 << 8
}

extension SQLiteError.Code {
    /// The kind of error for a result code.
    init(result: Int32) {
        self =
            switch result & 0xFF {
            case SQLITE_BUSY, SQLITE_PROTOCOL: .busy
            case SQLITE_LOCKED: .locked
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_READONLY: result == ResultCode.readOnlyRollback ? .needsRecovery : .readOnly
            case SQLITE_FULL: .full
            case SQLITE_IOERR: .inputOutput
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_INTERRUPT: .interrupted
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_TOOBIG: .tooBig
            case SQLITE_SCHEMA: .schemaChanged
            case SQLITE_AUTH, SQLITE_PERM: .refused
            case SQLITE_NOMEM: .noMemory
            case SQLITE_MISUSE, SQLITE_RANGE: .misuse
            default: .other
            }
    }
}
