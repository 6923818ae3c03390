import Folio
import Foundation

/// The bytes of a file that a command line names, as a value that is read in pieces. What can be
/// read only once, such as a pipe, is kept in a temporary file as long as there is this.
final class InputValue {
    let value: LargeValue
    private var temporary: String?
    private let interruption: Interruption

    /// The greatest value that can stand in a store's table: a row of a store that may be anybody's
    /// has at most 256 MiB.
    private static let largestInline: Int64 = 250_000_000

    /// - Throws: 66, 74, 77 or a usage error, with the path; 69 where the file is too large for the
    ///   attribute.
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

    /// The bytes of a file that can be read again; nil where it is of another kind, or not there.
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
