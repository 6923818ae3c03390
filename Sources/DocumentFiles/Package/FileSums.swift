internal import ArchiveKit
internal import Coding
internal import FileSystem
internal import Foundation
internal import Schema
internal import Storage

/// The sizes and checksums of the application's files and the previews after the last save, by
/// name. The manifest records them, so that damage is detected.
package enum FileSums {
    package typealias Recorded = [String: DocumentManifest.FileSum]

    /// The maximum size of the record in a manifest. If there are too many files, none is recorded.
    private static let mostBytes = 256 << 10
    private static let bytesBesideName = 64

    /// The checksums of the files of a package. Reads all of them.
    /// - Returns: Nil if there are more files than a manifest can record.
    static func recorded(inPackage package: String) throws -> Recorded? {
        let parts = try [PackageLayout.extra, PackageLayout.preview].flatMap {
            try ArchiveFile.files(in: package, under: $0)
        }
        return try recorded(parts, beneath: parts.isEmpty ? nil : Directory(package))
    }

    /// The checksums of the parts of an archive that is about to be written. Reads those parts that
    /// no archive contains yet.
    static func recorded(_ parts: [ArchivePart], beneath root: Directory?) throws -> Recorded? {
        guard parts.reduce(0, { $0 + $1.name.utf8.count + bytesBesideName }) <= mostBytes else { return nil }
        var recorded: Recorded = [:]
        for part in parts {
            switch part.content {
            case .bytes(let bytes): recorded[part.name] = bytes.withUnsafeBytes { DocumentManifest.FileSum($0) }
            case .entry(let entry, _):
                recorded[part.name] = DocumentManifest.FileSum(bytes: entry.size, checksum: entry.crc32)
            case .file:
                recorded[part.name] = try root.map {
                    try DocumentManifest.FileSum(of: $0.file(part.name, refusingHardLinks: true))
                }
            }
        }
        return recorded
    }

    /// The differences between the files of a package and the recorded checksums, by name.
    static func findings(_ recorded: Recorded, inPackage package: String) throws -> [(name: String, reason: String)] {
        let root = try Directory(package)
        return recorded.sorted { $0.key < $1.key }.compactMap { name, sum in
            // Former versions recorded the states that an archive keeps for merges, too.
            guard [PackageLayout.extra, PackageLayout.preview].contains(where: { name.hasPrefix($0 + "/") }),
                !PackageLayout.isMergeState(name)
            else { return nil }
            do {
                return try DocumentManifest.FileSum(of: root.file(name, refusingHardLinks: true)) == sum
                    ? nil : (name, alteredMessage)
            } catch let error as FileSystemError {
                return (name, error.code == .notFound ? "is missing" : error.reason)
            } catch {
                return (name, "\(error)")
            }
        }
    }

    static let alteredMessage = "is not what the last save wrote: its checksum differs"
}

extension DocumentManifest.FileSum {
    init(bytes: Int64, checksum: UInt32) { self.init(bytes: bytes, checksum: String(checksum, radix: 16)) }

    init(_ bytes: UnsafeRawBufferPointer) {
        var sum = CRC32()
        sum.update(bytes)
        self.init(bytes: Int64(bytes.count), checksum: sum.value)
    }

    /// The size and checksum of a file, which is read in pieces.
    init(of file: File) throws {
        var sum = CRC32(), bytes: Int64 = 0
        try LargeValueReader(FileInput(file)).forEachRemainingPiece { piece in
            piece.withUnsafeBytes { sum.update($0) }
            bytes += Int64(piece.count)
        }
        self.init(bytes: bytes, checksum: sum.value)
    }
}
