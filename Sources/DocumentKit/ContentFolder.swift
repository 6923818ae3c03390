internal import ArchiveKit
internal import Coding
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
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
    private let durable = DurableNames()

    init(inPackage package: String) { places = Mutex(Places(path: FilePath.join(package, PackageLayout.content), archive: nil)) }

    /// The values of an archive, and those in the folder of `workingSet`, which need not be there.
    init(in archive: ArchivedValues, workingSet: String) {
        places = Mutex(Places(path: FilePath.join(workingSet, PackageLayout.content), archive: archive))
    }

    /// Goes on with another archive, which has all values that this one had: values that were read from here go on being read.
    func move(to archive: ArchivedValues, workingSet: String) {
        durable.forgetAll()
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

    static func name(for value: Data) -> String { name(digest: SHA256.digest(value)) }

    /// The name of what is in a file, which is read in pieces.
    static func name(ofFile path: String) throws -> String {
        var hash = SHA256()
        try LargeValueReader(FileInput(File(path, .read))).forEachRemainingPiece { hash.update($0) }
        return name(digest: hash.digest())
    }

    static func name(of value: LargeValue) throws -> String {
        var hash = SHA256()
        try value.forEachPiece { hash.update($0) }
        return name(digest: hash.digest())
    }

    private static func name(digest: [UInt8]) -> String {
        let digits = Array(Hex.encode(digest.prefix(16)).uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// How many folders above a value's own may be as new as the value: `content` and the package.
    private static let levels = 2

    /// Writes a value durably, folder and all, and answers its name. In pieces: its name is known when it is written.
    func write(_ value: LargeValue) throws -> String {
        let path = self.path
        if let bytes = value.bytesAtHand, case let name = Self.name(for: bytes), try isThere(name, size: Int64(bytes.count)) { return name }
        if try !Disk.exists(path) { try Disk.makeDirectories(path) }
        // In the folder above that of the value, where what a crash leaves is found without looking through all values.
        let temporary = FilePath.sibling(of: FilePath.join(path, "value"), tag: Disk.temporaryTag, id: UniqueName.make())
        do {
            let file = try File(temporary, .create())
            defer { file.close() }
            var hash = SHA256(), count: Int64 = 0
            try value.copy(to: file) { piece in
                try WorkProgress.check()
                hash.update(piece)
                count += Int64(piece.count)
            }
            let name = Self.name(digest: hash.digest())
            if try isThere(name, size: count) {
                try Disk.removeFile(temporary)
                return name
            }
            // Only a whole, durable file ever gets the name.
            try file.synchronize()
            let target = ownFile(name), folder = FilePath.parent(target)
            if try !Disk.exists(folder) {
                durable.forgetFolders()
                try Disk.makeDirectories(folder)
            }
            try Disk.rename(temporary, to: target)
            try durable.note(name, file: target, levels: Self.levels)
            newFiles.store(true, ordering: .sequentiallyConsistent)
            return name
        } catch {
            // The first error is the one that counts.
            _ = try? Disk.removeFileIfPresent(temporary)
            throw error
        }
    }

    /// Whether a value of that size is here for good.
    private func isThere(_ name: String, size: Int64) throws -> Bool {
        if try Disk.status(of: ownFile(name))?.size == size { return try secure(name) }
        return archive?.size(of: name) == size
    }

    /// Makes sure that a value that is here is here for good.
    private func secure(_ name: String) throws -> Bool {
        try durable.secure(name, file: ownFile(name), levels: Self.levels) || archive?.has(name) == true
    }

    /// Removes a value to which nothing refers any more. Where a crash undoes that, it is collected again.
    func remove(_ name: UUID) throws {
        durable.forget(name.uuidString)
        try Disk.removeFileIfPresent(ownFile(name.uuidString))
    }

    private func open(_ name: String) throws -> any LargeValueInput {
        let file = ownFile(name)
        do {
            if let archive, archive.has(name), try !Disk.exists(file) { return try archive.open(name) }
            return try FileInput(File(file, .read))
        } catch let error as FileSystemError where error.code == .notFound {
            throw StorageError(.notFound, "The file of a large value is missing: \(name)", path: file)
        } catch {
            throw StorageError(.inputOutput, "A large value can't be read: \(error)", path: archive?.path ?? file, underlying: error)
        }
    }

    /// How the store reads and writes its large values here. A value that was written in vain may be another row's as well: it stays until it is collected.
    var externalValues: ExternalValues {
        ExternalValues(
            path: { self.file($0) }, write: { try self.write($0) }, secure: { try self.secure($0) }, remove: { _ in }, open: { try self.open($0) })
    }
}
