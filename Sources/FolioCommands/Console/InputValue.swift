import Folio
import Foundation

/// The bytes of an input file as a value that is read in pieces. Input that can be read only once,
/// such as a pipe, is copied to a temporary file that exists as long as this object.
final class InputValue {
    let value: LargeValue
    /// Contains the copy.
    private let folder: TemporaryFolder?

    /// The size limit for what comes from a pipe, which may have no end. A file has none.
    private static let largestStream: Int64 = 4 << 30

    /// - Throws: An error with exit code 66, 74 or 77 or a usage error, with the path; exit code 69
    ///   if the file is too large for the attribute.
    init(_ path: String, for attribute: AttributeDescription) throws {
        if let plain = try Self.plainFile(path) {
            value = plain
            folder = nil
        } else {
            let folder = try TemporaryFolder(), copy = folder.path + "/value"
            try InputFile.copy(
                path, to: copy,
                limit: attribute.allowsExternalBinaryDataStorage ? Self.largestStream : InputFile.largestInMemory)
            value = try LargeValue(contentsOf: URL(fileURLWithPath: copy))
            self.folder = folder
        }
        guard try attribute.allowsExternalBinaryDataStorage || value.count <= InputFile.largestInMemory else {
            throw InterchangeError(
                .unavailable, "tooLarge",
                "\(attribute.name) is kept in the store's table and takes at most \(InputFile.largestInMemory) bytes",
                path: path,
                hint: "an attribute that allows external storage takes any size")
        }
    }

    /// The bytes of a regular file; nil if the file is of another kind or does not exist.
    static func plainFile(_ path: String) throws -> LargeValue? {
        var status = stat()
        guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try LargeValue(contentsOf: URL(fileURLWithPath: path))
    }
}
