import Coding
import FileSystem
import Schema
import Storage

extension StorageError {
    /// The error of a store for what went wrong below it.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as StorageError:
            self = error
            if self.path == nil { self.path = path }
        case let error as FileSystemError:
            self.init(Code(error.code), error.message, path: path, underlying: error)
        case let error as CodingError:
            self.init(.damaged, "The store can't be read: \(error)", path: path, underlying: error)
        case let error as ModelError:
            self.init(.damaged, "The store's model can't be read: \(error.message)", path: path, underlying: error)
        default:
            self.init(.inputOutput, "\(error)", path: path, underlying: error)
        }
    }
}

extension StorageError.Code {
    fileprivate init(_ code: FileSystemError.Code) {
        self =
            switch code {
            case .notFound: .notFound
            case .permissionDenied: .permission
            case .readOnly: .readOnly
            case .noSpace: .full
            case .busy: .busy
            case .isDirectory, .unsuitableFile: .notAStore
            case .exists: .cannotCreate
            default: .inputOutput
            }
    }
}
