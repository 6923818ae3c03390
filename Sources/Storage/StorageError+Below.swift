import Coding
package import FileSystem
import Schema

extension StorageError {
    /// The error of a store for what went wrong below it: in a file, in what was read from it, or
    /// in an application's own code.
    /// - Parameter encoded: What of the store is read by `Coding`: all of one that is written as a
    ///   whole, the metadata of another.
    package init(below error: any Error, path: String, encoded: String = "store") {
        switch error {
        case let error as StorageError:
            self = error
            if self.path == nil { self.path = path }
        case let error as FileSystemError:
            self.init(Code(error.code), error.message, path: path, underlying: error)
        case let error as CodingError:
            self.init(.damaged, "The \(encoded) can't be read: \(error)", path: path, underlying: error)
        case let error as ModelError:
            self.init(.damaged, "The store's model can't be read: \(error.message)", path: path, underlying: error)
        default:
            self.init(.inputOutput, "\(error)", path: path, underlying: error)
        }
    }
}

extension StorageError.Code {
    /// What a failure of the file system means for a store.
    package init(_ code: FileSystemError.Code) {
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
