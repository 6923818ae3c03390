import Folio
import Foundation

/// The bytes of an input file as a value that is read in pieces. Input that can be read only once,
/// such as a pipe, is copied to a temporary file that exists as long as this object.
final class InputValue {
    let value: LargeValue
    private var temporary: String?
    private let interruption: Interruption

    /// The size limit for a value in a table of the store. A row has at most 256 MiB, because
    /// stores may be untrusted.
    private static let largestInline: Int64 = 250_000_000

    /// - Throws: An error with exit code 66, 74 or 77 or a usage error, with the path; exit code 69
    ///   if the file is too large for the attribute.
    init(_ path: String, for attribute: AttributeDescription, _ interruption: Interruption) throws {
        self.interruption = interruption
        if let plain = try Self.plainFile(path) {
            value = plain
        } else {
            let copy = FileManager.default.temporaryDirectory.appendingPathComponent("folio-\(UUID().uuidString)").path
            temporary = copy
            interruption.addLeftover(copy)
            do {
                try InputFile.copy(path, to: copy)
                value = try LargeValue(contentsOf: URL(fileURLWithPath: copy))
            } catch {
                unlink(copy)
                interruption.removeLeftover(copy)
                throw error
            }
        }
        guard try attribute.allowsExternalBinaryDataStorage || value.count <= Self.largestInline else {
            throw CommandError(
                .unavailable, "tooLarge",
                "\(attribute.name) is kept in the store's table and takes at most \(Self.largestInline) bytes",
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

    deinit {
        guard let temporary else { return }
        unlink(temporary)
        interruption.removeLeftover(temporary)
    }
}
