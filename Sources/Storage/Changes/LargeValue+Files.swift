package import FileSystem
public import Foundation
public import Schema

extension LargeValue {
    /// Creates a value from a file. The content is read when the value is saved, copied or
    /// accessed.
    ///
    /// The file must not change until the value is saved; if it is changed, moved or removed
    /// before, the save throws. After the save the file is no longer needed. Takes the same time
    /// for a file of any size.
    ///
    /// - Throws: ``StorageError`` with code `notFound` if the file does not exist, `unsupported` if
    ///   it is a folder, a pipe or a device.
    public convenience init(contentsOf url: URL) throws {
        let path = url.path
        do {
            // Symbolic links are followed, which is expected of a path that a user gives.
            self.init(OutsideFile(path: path, identity: try File(Disk.resolve(path), .read).status().identity))
        } catch let error as FileSystemError where error.code == .unsuitableFile {
            throw StorageError(
                .unsupported, "Only a plain file can be a value: \(error.message)", path: path, underlying: error)
        } catch let error as FileSystemError {
            throw StorageError(reading: error, path: path)
        }
    }

    /// Writes the value to a file, atomically and durably. An existing file is replaced; if this
    /// throws, the existing file is unchanged.
    ///
    /// Copies in pieces, so that memory use does not depend on the size of the value.
    ///
    /// - Throws: ``StorageError``.
    public func copy(to url: URL) throws {
        do {
            try Disk.replaceFile(url.path) { try copy(to: $0) }
        } catch let error as FileSystemError {
            throw StorageError(reading: error, path: url.path)
        }
    }

    /// Writes the value into an empty file without synchronizing it.
    /// - Parameter note: Called with every piece that is written; may throw to cancel.
    package func copy(to target: File, noting note: ((UnsafeRawBufferPointer) throws -> Void)? = nil) throws {
        if bytesAtHand == nil, let input = try reader().fileInput, try Disk.clone(input.file, to: target) {
            // A clone is a snapshot of the file, so checking it once is sufficient.
            try input.checkUnchanged()
            guard let note else { return }
            return try LargeValueReader(FileInput(target)).forEachRemainingPiece(note)
        }
        try forEachPiece { piece in
            try target.append(piece)
            try note?(piece)
        }
    }

    /// Whether two values have the same bytes. Reads both in pieces up to the first difference.
    package func hasSameBytes(as other: LargeValue) throws -> Bool {
        if self == other { return true }
        let left = try reader(), right = try other.reader()
        guard left.count == right.count else { return false }
        while let piece = try left.read(upTo: LargeValueReader.pieceSize) {
            guard try right.read(upTo: piece.count) == piece else { return false }
        }
        return true
    }
}

extension LargeValueReader {
    fileprivate var fileInput: FileInput? { input as? FileInput }
}

extension LargeValueSource {
    package func data(limit: Int64) throws -> Data {
        let reader = LargeValueReader(try open())
        guard reader.count <= limit else {
            throw StorageError(
                .tooLarge,
                "A value of \(reader.count) bytes is too large to be taken into memory as a whole: read it in pieces")
        }
        var bytes = Data(count: Int(reader.count))
        let done = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
        // Reading the end makes the input report errors of the value as a whole.
        guard try reader.read(upTo: 1) == nil, done == bytes.count else {
            throw StorageError(.inputOutput, "A large value has another length than it had when it was opened")
        }
        return bytes
    }
}

/// A file that does not belong to a store.
private struct OutsideFile: LargeValueSource {
    let path: String
    /// The state of the file when the value was created.
    let identity: FileIdentity

    var fileName: String? { nil }

    func open() throws -> any LargeValueInput {
        do {
            return try FileInput(File(Disk.resolve(path), .read), expecting: identity)
        } catch let error as FileSystemError {
            throw StorageError(reading: error, path: path)
        }
    }
}

/// An open file that a value is read from.
package final class FileInput: LargeValueInput {
    package let file: File
    package let count: Int64
    private let expected: FileIdentity?

    /// - Parameter expected: The state that the file must have, now and with every read.
    package init(_ file: File, expecting expected: FileIdentity? = nil) throws {
        self.file = file
        self.expected = expected
        count = try expected?.size ?? file.status().size
        try checkUnchanged()
    }

    package func checkUnchanged() throws {
        guard let expected, try file.status().identity != expected else { return }
        throw StorageError(.inputOutput, "The file was changed since it became a value: \(file.path)", path: file.path)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        do {
            let done = try file.read(into: buffer, at: offset)
            // The check follows the read: bytes that were read before a change are valid.
            try checkUnchanged()
            return done
        } catch let error as FileSystemError {
            throw StorageError(reading: error, path: file.path)
        }
    }
}

/// A value whose file is missing. Only its name is known.
package struct MissingValue: LargeValueSource {
    package let fileName: String?

    package init(named name: String) { fileName = name }

    package func open() throws -> any LargeValueInput {
        throw StorageError(.notFound, "The file of a large value is missing: \(fileName ?? "")")
    }
}

extension StorageError {
    /// Converts an error of reading a value's file.
    package init(reading error: FileSystemError, path: String) {
        let code: Code =
            switch error.code {
            case .notDirectory: .notFound
            case .isDirectory: .cannotCreate
            case .unsuitableFile: .inputOutput
            case .tooLarge: .tooLarge
            default: Code(error.code)
            }
        self.init(code, error.message, path: path, underlying: error)
    }
}
