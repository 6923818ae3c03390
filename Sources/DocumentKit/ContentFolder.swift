internal import Coding
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Synchronization

/// The large values of a package: immutable files under `content/`, named by what is in them, so that equal values are one file.
///
/// The name is UUID text made of the first half of the SHA-256, so that a cell looks as Core Data writes it.
final class ContentFolder: Sendable {
    let path: String
    private let newFiles = Atomic<Bool>(false)

    init(inPackage package: String) { path = FilePath.join(package, PackageLayout.content) }

    /// `content/ab/<name>`, with the first two digits of the name.
    func file(_ name: String) -> String { "\(path)/\(name.prefix(2).lowercased())/\(name)" }

    /// Whether files were written since this was asked last.
    func takeHasNewFiles() -> Bool { newFiles.exchange(false, ordering: .sequentiallyConsistent) }

    /// The names of all files that are there, whether anything refers to them or not.
    func names() throws -> Set<UUID> {
        guard try Disk.kind(of: path) == .directory else { return [] }
        var names = Set<UUID>()
        for group in try Disk.list(path) where group.kind == .directory {
            for entry in try Disk.list(FilePath.join(path, group.name)) where entry.kind == .file {
                if let name = UUID(uuidString: entry.name) { names.insert(name) }
            }
        }
        return names
    }

    static func name(for value: Data) -> String {
        let digits = Array(Hex.encode(SHA256.digest(value).prefix(16)).uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Writes a value durably, folder and all, and answers its name.
    func write(_ value: Data) throws -> String {
        let name = Self.name(for: value), file = file(name)
        // Only a whole, durable file ever gets the name.
        if try Disk.status(of: file)?.size == Int64(value.count) { return name }
        let folder = FilePath.parent(file)
        if try !Disk.exists(folder) {
            try Disk.makeDirectories(folder)
            try Disk.synchronizeDirectory(path)
            try Disk.synchronizeDirectory(FilePath.parent(path))
        }
        try Disk.replaceFile(file) { target in try value.withUnsafeBytes { try target.append($0) } }
        newFiles.store(true, ordering: .sequentiallyConsistent)
        return name
    }

    /// How the store reads and writes its large values here. A value that was written in vain may be another row's as well: it stays until it is collected.
    var externalValues: ExternalValues {
        ExternalValues(path: { self.file($0) }, write: { try self.write($0) }, remove: { _ in })
    }
}
