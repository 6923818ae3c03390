package import ArchiveKit
internal import FileSystem
internal import Foundation
package import Schema

/// The large values in an archive, read in place.
package final class ArchivedValues: Sendable {
    private let reader: ArchiveReader
    private let entries: [UUID: ZipEntry]
    /// The folder for values that are requested as files; created when it is first needed.
    private let scratch: String

    package var path: String { reader.directory.path }

    package init(_ reader: ArchiveReader, scratch: String) {
        self.reader = reader
        self.scratch = scratch
        var entries: [UUID: ZipEntry] = [:]
        for entry in reader.directory.entries
        where entry.name.hasPrefix(PackageLayout.content + "/") && !entry.isDirectory {
            if let name = UUID(uuidString: FilePath.name(entry.name)) { entries[name] = entry }
        }
        self.entries = entries
    }

    private func entry(_ name: String) -> ZipEntry? { UUID(uuidString: name).flatMap { entries[$0] } }

    func has(_ name: String) -> Bool { entry(name) != nil }
    package func size(of name: String) -> Int64? { entry(name)?.size }
    var sizes: [UUID: Int64] { entries.mapValues(\.size) }

    /// Opens a value for reading in pieces.
    /// - Throws: `ArchiveError` if it is missing. If the value is damaged, reading it throws, at
    ///   the latest when its end is read.
    package func open(_ name: String) throws -> any LargeValueInput {
        guard let entry = entry(name) else { throw ArchiveError(.missingEntry, "is missing", path: path, entry: name) }
        return ArchivedValue(try reader.input(of: entry))
    }

    /// Extracts a value to a file.
    /// - Returns: The path of the file.
    func takeOut(_ name: String) throws -> String {
        let file = FilePath.join(scratch, name)
        if try Disk.exists(file) { return file }
        try Disk.makeDirectories(scratch, mode: 0o700)
        try takeOut(name, to: file)
        return file
    }

    func takeOut(_ name: String, to file: String) throws {
        let value = LargeValueReader(try open(name))
        try Disk.replaceFile(file, mode: 0o600) { target in try value.forEachRemainingPiece { try target.append($0) } }
    }
}

/// A large value in an open archive.
private final class ArchivedValue: LargeValueInput {
    private let input: EntryInput

    init(_ input: EntryInput) { self.input = input }

    var count: Int64 { input.entry.size }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try input.read(into: buffer, at: offset)
    }
}
