import FileSystem
import Foundation
import Schema
import Storage

/// Turns large values into cells, writing files for those that are too large to stand in the store; files of a save that fails are removed again.
final class LargeValueWriter {
    private let files: ExternalValues
    /// Files of this save, so that a value that occurs twice, or a statement that runs twice, writes one.
    private var namesByValue: [ObjectIdentifier: (value: LargeValue, name: String)] = [:]

    init(_ files: ExternalValues) {
        self.files = files
    }

    func cell(for value: LargeValue) throws -> Data {
        if let written = namesByValue[ObjectIdentifier(value)] { return ExternalValues.cell(referringTo: written.name) }
        if let name = value.fileName {
            // A value of this store's own stays where it is.
            if ExternalValues.isName(name), try Disk.exists(files.path(name)) { return ExternalValues.cell(referringTo: name) }
            do {
                return try cell(for: try value.data(), of: value)
            } catch let error as StorageError where error.code == .notFound && ExternalValues.isName(name) {
                // Missing before and missing now: the reference is all that is left of it.
                return ExternalValues.cell(referringTo: name)
            }
        }
        return try cell(for: try value.data(), of: value)
    }

    private func cell(for bytes: Data, of value: LargeValue) throws -> Data {
        guard bytes.count > ExternalValues.largestInlineValue else { return Data([1]) + bytes }
        let name = try files.write(bytes)
        namesByValue[ObjectIdentifier(value)] = (value, name)
        return ExternalValues.cell(referringTo: name)
    }

    func removeFiles() {
        for (_, name) in namesByValue.values { try? files.remove(name) }
        namesByValue = [:]
    }
}
