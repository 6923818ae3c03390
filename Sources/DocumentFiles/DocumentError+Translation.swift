internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteKit
internal import Schema
internal import Storage

extension DocumentError {
    /// Runs a step of an operation, and adds the stage to its errors. Errors about objects are
    /// thrown unchanged.
    package static func stage<Result>(_ stage: Stage, _ path: String?, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw translated(error, stage, path)
        }
    }

    /// The error as a `DocumentError`. Errors about objects are returned unchanged.
    package static func translated(_ error: any Error, _ stage: Stage, _ path: String?) -> any Error {
        switch error {
        case var error as DocumentError:
            error.stage = error.stage ?? stage
            error.path = error.path ?? path
            return error
        case let error as FileSystemError:
            let path = path ?? error.path
            guard error.errno == ENAMETOOLONG else { return DocumentError(error, stage) }
            var tooLong = DocumentError(error, stage)
            (tooLong.message, tooLong.path) = (lengthMessage(of: path), path)
            return tooLong
        case let error as ArchiveError: return DocumentError(error, stage)
        case var error as StorageError:
            if let translated = DocumentError(error, stage, path) { return translated }
            // A copy is written to a temporary path, which would not help the user.
            error.path = path ?? error.path
            return error
        case let error as SQLiteError:
            return DocumentError(error, stage)
        case let error as ModelError:
            let code: Code =
                error.code == .permission ? .permission : error.code == .inputOutput ? .inputOutput : .malformed
            return DocumentError(code, error.description, path: path, stage: stage, underlying: error)
        default: return error
        }
    }

    /// The maximum length of a document's name in bytes: file names have at most 255, and the lock
    /// file is called `.name.lock`.
    private static let longestName = 249

    /// The reason why the path of a document is too long. The rejected path may be that of a file
    /// beside the document.
    private static func lengthMessage(of path: String) -> String {
        let count = FilePath.name(path).utf8.count
        return count > longestName
            ? "its name is too long: it has \(count) bytes, at most \(longestName) are possible"
            : "its path is too long: it has \(path.utf8.count) bytes"
    }

    /// Whether an error only says that another program changed the document while it was read, so
    /// that reading it again may succeed.
    package static func tellsOfChange(_ error: any Error) -> Bool {
        switch error {
        case let error as DocumentError: error.code == .changed || error.underlying.map(tellsOfChange) ?? false
        case let error as StorageError: error.underlying.map(tellsOfChange) ?? false
        case let error as SQLiteError: error.code == .changed
        default: false
        }
    }

    private init(_ error: FileSystemError, _ stage: Stage) {
        let code: Code =
            switch error.code {
            case .notFound: stage == .writing || stage == .replacing ? .cannotCreate : .notFound
            case .exists: .cannotCreate
            // No file can have such a name.
            case .invalidPath where error.errno == ENAMETOOLONG:
                stage == .opening || stage == .reading ? .notFound : .cannotCreate
            case .permissionDenied, .readOnly: .permission
            case .busy: .locked
            case .changed: .changed
            // A file that could not grow is an input/output error; one that is too large to be read
            // is malformed.
            case .tooLarge where error.operation != "read" && stage != .writing && stage != .replacing: .inputOutput
            case .notDirectory, .isDirectory, .unsuitableFile, .tooLarge, .invalidPath:
                stage == .writing || stage == .replacing ? .cannotCreate : .malformed
            default: .inputOutput
            }
        self.init(code, "\(error.operation): \(error.reason)", path: error.path, stage: stage, underlying: error)
    }

    private init(_ error: ArchiveError, _ stage: Stage) {
        if let system = error.underlying as? FileSystemError {
            self.init(system, stage)
            return
        }
        let code: Code =
            error.code == .encrypted || error.code == .unsupported
            ? .unsupported : error.code == .inputOutput ? .inputOutput : .malformed
        self.init(code, error.messageWithoutPath, path: error.path, stage: stage, underlying: error)
    }

    private init?(_ error: StorageError, _ stage: Stage, _ path: String?) {
        let code: Code
        switch error.code {
        case .conflict, .constraint, .unstorable, .unknownObject, .unmigratable, .invalidObjects: return nil
        case .notFound: code = .notFound
        case .notAStore, .damaged: code = .malformed
        case .incompatibleModel, .noModel: code = .modelMismatch
        case .readOnly, .permission: code = .permission
        case .busy: code = (error.underlying as? SQLiteError)?.code == .changed ? .changed : .locked
        case .unsupported: code = .unsupported
        case .newer: code = .newer
        case .cannotCreate: code = .cannotCreate
        default: code = .inputOutput
        }
        self.init(
            code, error.message, path: error.path ?? path, stage: stage, entities: error.entities, underlying: error)
    }

    private init(_ error: SQLiteError, _ stage: Stage) {
        let code: Code =
            switch error.code {
            case .busy, .locked: .locked
            case .changed: .changed
            case .corrupt, .notADatabase: .malformed
            case .readOnly, .refused: .permission
            default: .inputOutput
            }
        self.init(code, error.message, path: error.path, stage: stage, underlying: error)
    }
}
