package import ArchiveKit
internal import Coding
package import FileSystem
internal import Foundation
internal import SQLiteStore

/// Which archive, or package in a shared place, a working set belongs to, in what state:
/// `origin.json`.
package struct WorkingSetOrigin: Codable, Hashable {
    /// One state of one document.
    package struct State: Codable, Hashable {
        package var identity: FileIdentity
        /// SHA-256 of the names, sizes and checksums of all entries, or of what the package's store
        /// says of itself; hexadecimal.
        package var digest: String
    }

    package var path: String
    package var state: State
    /// The state that a save is about to put in place: once it is there, the save was finished.
    package var pending: State?

    package static let fileName = "origin.json"

    package static func state(of file: File, _ directory: ZipDirectory) throws -> State {
        var hash = SHA256()
        for entry in directory.entries {
            hash.update(
                Array("\(entry.name)\u{0}\(entry.size)\u{0}\(entry.compressedSize)\u{0}\(entry.crc32)\u{0}".utf8))
        }
        return try State(identity: file.status().identity, digest: Hex.encode(hash.digest()))
    }

    /// The state of a package by its store's main file, which nobody has open.
    package static func state(ofStore path: String) throws -> State {
        guard let identity = try Disk.identity(of: path) else {
            throw DocumentError(.malformed, "the document has no store", path: path)
        }
        let url = URL(fileURLWithPath: path)
        // A checkpoint that was cut short leaves a main file that only the WAL makes whole.
        let info =
            try (try? SQLitePersistentStore.storedModelInfo(at: url, ignoresWAL: true))
            ?? SQLitePersistentStore.storedModelInfo(at: url)
        let marker = DocumentMarker(info.metadata)
        let text =
            "\(info.uuid)\u{0}\(marker?.generation ?? 0)\u{0}\(marker?.counter ?? 0)\u{0}\(marker?.saved.timeIntervalSinceReferenceDate ?? 0)"
        return State(identity: identity, digest: Hex.encode(SHA256.digest(Array(text.utf8))))
    }

    package static func read(in folder: String) throws -> WorkingSetOrigin? {
        let path = FilePath.join(folder, fileName)
        guard try Disk.exists(path) else { return nil }
        // What can't be read just now is not for that of no archive.
        let bytes = try Disk.read(path, limit: JSONCoding.maximumSize)
        return decode(bytes)
    }

    /// Nil for what is no note of this kind.
    package static func decode(_ bytes: [UInt8]) -> WorkingSetOrigin? {
        try? JSONCoding.decoder.decode(WorkingSetOrigin.self, from: Data(bytes))
    }

    /// Writes it into a folder that has none yet; not made durable.
    func put(in folder: String) throws {
        let file = try File(FilePath.join(folder, Self.fileName), .create(mode: 0o600))
        defer { file.close() }
        try file.append(Array(JSONCoding.encoder.encode(self)))
    }

    package func write(in folder: String) throws {
        try Disk.replaceFile(
            FilePath.join(folder, Self.fileName), with: Array(JSONCoding.encoder.encode(self)), mode: 0o600)
    }
}
