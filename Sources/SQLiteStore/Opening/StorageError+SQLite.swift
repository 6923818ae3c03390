import FileSystem
import SQLiteKit
import Storage

extension StorageError {
    /// Creates a store error from an error of a lower layer.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as SQLiteError:
            self.init(Code(error), Self.message(of: error), path: path, underlying: error)
        default: self.init(below: error, path: path, encoded: "store's metadata")
        }
    }

    private static func message(of error: SQLiteError) -> String {
        switch error.code {
        case .busy, .locked: "The store is in use by another process"
        case .corrupt: "The store is damaged: \(error.message)"
        case .notADatabase: "This is no SQLite database, or an encrypted one"
        case .readOnly: "The store can't be written to"
        case .timedOut: "The store's own triggers take too long"
        case .full: "The disk is full"
        case .changed: "The store was changed by another process while it was read"
        case .needsRecovery:
            "The store needs to be recovered from a crash, which reading must not do: open it for editing"
        default: error.message
        }
    }
}

extension StorageError.Code {
    fileprivate init(_ error: SQLiteError) {
        self =
            switch error.code {
            case .busy, .locked, .changed: .busy
            case .corrupt, .refused, .timedOut: .damaged
            case .notADatabase: .notAStore
            case .readOnly, .needsRecovery: .readOnly
            case .full: .full
            case .constraint: .constraint
            case .cannotOpen:
                error.systemError == 0 ? .inputOutput : Self(FileSystemError.Code(errno: error.systemError))
            // A trigger uses an operation that documents must not use.
            case .other where error.message.hasPrefix("not authorized"): .damaged
            // The header requires a file format that SQLite does not support.
            case .other where error.message.hasPrefix("unsupported file format"): .damaged
            // A trigger of a foreign store calls a function that only its own framework provides.
            case .other where error.message.hasPrefix("no such function"): .unsupported
            default: .inputOutput
            }
    }
}
