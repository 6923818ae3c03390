public import ArchiveKit
public import Coding
public import DocumentFiles
public import FileSystem
public import Foundation
public import Migration
public import ObjectGraph
public import Query
public import SQLiteKit
public import Schema
public import Storage

// `localizedDescription` of every error says what its description does. Foundation looks for the
// conformance when it is asked, so the modules below need no Foundation for it.

extension ArchiveError: LocalizedError {
    public var errorDescription: String? { description }
}

extension CodingError: LocalizedError {
    public var errorDescription: String? { description }
}

extension DocumentError: LocalizedError {
    public var errorDescription: String? { description }
}

extension FileSystemError: LocalizedError {
    public var errorDescription: String? { description }
}

extension GraphError: LocalizedError {
    public var errorDescription: String? { description }
}

extension MigrationError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ModelError: LocalizedError {
    public var errorDescription: String? { description }
}

extension QueryError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SQLiteError: LocalizedError {
    public var errorDescription: String? { description }
}

extension StorageError: LocalizedError {
    public var errorDescription: String? { description }
}

extension ValidationError: LocalizedError {
    public var errorDescription: String? { description }
}

extension SecureArchiveTransformer.Refusal: LocalizedError {
    public var errorDescription: String? { description }
}
