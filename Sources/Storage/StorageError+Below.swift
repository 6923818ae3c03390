import Coding
package import FileSystem
import Schema

extension StorageError {
    /// Converts an error of reading or writing a store's files, of decoding, or of an application's
    /// own code to an error of the store.
    /// - Parameter encoded: The part of the store that `Coding` decodes: the whole store if it is
    ///   written as a whole, otherwise its metadata.
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
    /// Converts the code of a file system error to the code of a store error.
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
