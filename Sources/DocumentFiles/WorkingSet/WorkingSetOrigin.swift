package import ArchiveKit
internal import Coding
package import FileSystem
internal import Foundation
internal import SQLiteStore

/// The content of `origin.json`: the archive, or the package on a shared volume, to which a working
/// set belongs, and its state.
package struct WorkingSetOrigin: Codable, Hashable {
    /// One state of a document.
    package struct State: Codable, Hashable {
        package var identity: FileIdentity
        /// The SHA-256, in hexadecimal, of the names, sizes and checksums of all entries, or of the
        /// metadata of the package's store.
        package var digest: String
    }

    package var path: String
    package var state: State
    /// The state that a save is about to write. If the document has this state, the save was
    /// completed.
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

    /// The state of a package, from its store's main file, which no process has open.
    package static func state(ofStore path: String) throws -> State {
        guard let identity = try Disk.identity(of: path) else {
            throw DocumentError(.malformed, "the document has no store", path: path)
        }
        let url = URL(fileURLWithPath: path)
        // After an interrupted checkpoint, the main file can only be read together with the WAL.
        let info =
            try (try? SQLiteStoreFile(url).modelInfo(ignoresWAL: true))
            ?? SQLiteStoreFile(url).modelInfo()
        let marker = DocumentMarker(info.metadata)
        let text =
            "\(info.uuid)\u{0}\(marker?.generation ?? 0)\u{0}\(marker?.counter ?? 0)\u{0}\(marker?.saved.timeIntervalSinceReferenceDate ?? 0)"
        return State(identity: identity, digest: Hex.encode(SHA256.digest(Array(text.utf8))))
    }

    package static func read(in folder: String) throws -> WorkingSetOrigin? {
        let path = FilePath.join(folder, fileName)
        guard try Disk.exists(path) else { return nil }
        // A reading error must not be mistaken for a missing origin.
        let bytes = try Disk.read(path, limit: JSONCoding.maximumSize)
        return decode(bytes)
    }

    /// Decodes the content of `origin.json`; nil if it is invalid.
    package static func decode(_ bytes: [UInt8]) -> WorkingSetOrigin? {
        try? JSONCoding.decoder.decode(WorkingSetOrigin.self, from: Data(bytes))
    }

    /// Writes the file to a folder that has none yet, without making it durable.
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
