internal import ArchiveKit
internal import Coding
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Storage
internal import Synchronization

/// The large values of a document: immutable files under `content/`, named by what is in them, so that equal values are one file.
///
/// The name is UUID text made of the first half of the SHA-256, so that a cell looks as Core Data writes it. Values of an archive stay in it; new ones go to the folder of
/// its working set.
final class ContentFolder: Sendable {
    private struct Places {
        var path: String
        var archive: ArchivedValues?
    }

    private let places: Mutex<Places>
    private let newFiles = Atomic<Bool>(false)

    init(inPackage package: String) { places = Mutex(Places(path: FilePath.join(package, PackageLayout.content), archive: nil)) }

    /// The values of an archive, and those in the folder of `workingSet`, which need not be there.
    init(in archive: ArchivedValues, workingSet: String) {
        places = Mutex(Places(path: FilePath.join(workingSet, PackageLayout.content), archive: archive))
    }

    /// Goes on with another archive, which has all values that this one had: values that were read from here go on being read.
    func move(to archive: ArchivedValues, workingSet: String) {
        places.withLock { $0 = Places(path: FilePath.join(workingSet, PackageLayout.content), archive: archive) }
    }

    /// Where new values go.
    var path: String { places.withLock { $0.path } }
    private var archive: ArchivedValues? { places.withLock { $0.archive } }

    /// `content/ab/<name>`, with the first two digits of the name; for a value that only the archive has, a file that is taken out of it.
    func file(_ name: String) -> String {
        let own = ownFile(name)
        guard let archive, archive.has(name), (try? Disk.exists(own)) != true else { return own }
        return (try? archive.takeOut(name)) ?? own
    }

    private func ownFile(_ name: String) -> String { "\(path)/\(name.prefix(2).lowercased())/\(name)" }

    /// Whether files were written since this was asked last.
    func takeHasNewFiles() -> Bool { newFiles.exchange(false, ordering: .sequentiallyConsistent) }

    /// The names of all values that are there, whether anything refers to them or not.
    func names() throws -> Set<UUID> { Set(try sizes().keys) }

    /// Number and size of the values that are there.
    func attachments() throws -> Manifest.Attachments {
        let sizes = try sizes()
        return Manifest.Attachments(count: sizes.count, bytes: sizes.values.reduce(0, +))
    }

    private func sizes() throws -> [UUID: Int64] {
        var sizes = archive?.sizes ?? [:]
        let path = self.path
        guard try Disk.kind(of: path) == .directory else { return sizes }
        for group in try Disk.list(path) where group.kind == .directory {
            for entry in try Disk.list(FilePath.join(path, group.name)) where entry.kind == .file {
                guard let name = UUID(uuidString: entry.name) else { continue }
                sizes[name] = try Disk.status(of: FilePath.join(FilePath.join(path, group.name), entry.name))?.size
            }
        }
        return sizes
    }

    static func name(for value: Data) -> String {
        let digits = Array(Hex.encode(SHA256.digest(value).prefix(16)).uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Writes a value durably, folder and all, and answers its name.
    func write(_ value: Data) throws -> String {
        let name = Self.name(for: value), file = ownFile(name)
        // Only a whole, durable file ever gets the name.
        if try Disk.status(of: file)?.size == Int64(value.count) || archive?.size(of: name) == Int64(value.count) { return name }
        let folder = FilePath.parent(file), path = FilePath.parent(folder)
        if try !Disk.exists(folder) {
            try Disk.makeDirectories(folder)
            try Disk.synchronizeDirectory(path)
            try Disk.synchronizeDirectory(FilePath.parent(path))
        }
        // By the folder above, where what a crash leaves is found without looking through all values.
        try Disk.replaceFile(file, by: path) { target in try value.withUnsafeBytes { try target.append($0) } }
        newFiles.store(true, ordering: .sequentiallyConsistent)
        return name
    }

    /// Removes a value to which nothing refers any more. Where a crash undoes that, it is collected again.
    func remove(_ name: UUID) throws { try Disk.removeFileIfPresent(ownFile(name.uuidString)) }

    private func read(_ name: String) throws -> Data {
        let file = ownFile(name)
        do {
            if let archive, archive.has(name), try !Disk.exists(file) { return try archive.read(name) }
            return Data(try Disk.read(file, limit: Self.largestFile))
        } catch let error as FileSystemError where error.code == .notFound {
            throw StorageError(.notFound, "The file of a large value is missing: \(name)", path: file)
        } catch {
            throw StorageError(.inputOutput, "A large value can't be read: \(error)", path: archive?.path ?? file, underlying: error)
        }
    }

    private static let largestFile = 1 << 40

    /// How the store reads and writes its large values here. A value that was written in vain may be another row's as well: it stays until it is collected.
    var externalValues: ExternalValues {
        ExternalValues(path: { self.file($0) }, write: { try self.write($0) }, remove: { _ in }, read: { try self.read($0) })
    }
}
