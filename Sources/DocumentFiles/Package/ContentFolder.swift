internal import ArchiveKit
internal import Coding
package import FileSystem
package import Foundation
package import SQLiteStore
package import Schema
internal import Storage
internal import Synchronization

/// The large values of a document: immutable files under `content/`, named by what is in them, so
/// that equal values are one file.
///
/// The name is UUID text made of the first half of the SHA-256, so that a cell looks as Core Data
/// writes it. Values of an archive stay in it; new ones go to the folder of its working set.
package final class ContentFolder: Sendable {
    private struct Places {
        /// The package or working set.
        var root: String
        var archive: ArchivedValues?
    }

    private let places: Mutex<Places>
    private let newFiles = Atomic<Bool>(false)
    private let durable = DurableNames()

    init(inPackage package: String) { places = Mutex(Places(root: package, archive: nil)) }

    /// The values of an archive, and those in the folder of `workingSet`, which need not be there.
    init(in archive: ArchivedValues, workingSet: String) {
        places = Mutex(Places(root: workingSet, archive: archive))
    }

    /// Goes on with another archive, which has all values that this one had: values that were read
    /// from here go on being read.
    package func move(to archive: ArchivedValues, workingSet: String) {
        durable.forgetAll()
        places.withLock { $0 = Places(root: workingSet, archive: archive) }
    }

    /// Where new values go.
    package var path: String { FilePath.join(root, PackageLayout.content) }
    private var root: String { places.withLock { $0.root } }
    private var archive: ArchivedValues? { places.withLock { $0.archive } }

    /// `content/ab/<name>`, with the first two digits of the name; for a value that only the
    /// archive has, a file that is taken out of it.
    func file(_ name: String) -> String {
        let own = ownFile(name)
        guard let archive, archive.has(name), (try? Disk.exists(own)) != true else { return own }
        return (try? archive.takeOut(name)) ?? own
    }

    private func ownFile(_ name: String) -> String { "\(path)/\(Self.group(name))/\(name)" }

    /// The folder of a value: the first two digits of its name.
    private static func group(_ name: String) -> String { name.prefix(2).lowercased() }

    // Every file is reached beneath the package's own folder, with no link on the way: a value
    // written through a link would land outside the document.

    /// Opens the folder of a value beneath the package; nil where there is none.
    private func openGroup(of name: String) throws -> Directory? {
        do {
            return try Directory(root).directory("\(PackageLayout.content)/\(Self.group(name))")
        } catch let error as FileSystemError where error.code == .notFound {
            return nil
        } catch let error as FileSystemError where error.code != .permissionDenied && error.code != .tooManyOpenFiles {
            throw StorageError(
                .damaged, "The folder of a large value is a link or no folder", path: FilePath.parent(ownFile(name)),
                underlying: error)
        }
    }

    private func ownStatus(_ name: String) throws -> FileStatus? {
        guard let status = try openGroup(of: name)?.status(of: name) else { return nil }
        guard status.kind == .file else {
            throw StorageError(.damaged, "A large value is no plain file: \(name)", path: ownFile(name))
        }
        return status
    }

    /// Opens the file of a value; nil where there is none.
    private func openOwnFile(_ name: String) throws -> File? {
        do {
            return try openGroup(of: name)?.file(name, refusingHardLinks: true)
        } catch let error as FileSystemError where error.code == .notFound {
            return nil
        } catch let error as FileSystemError where error.code == .unsuitableFile {
            throw StorageError(
                .damaged, "A large value is no file of the document's own: \(name): \(error.reason)",
                path: ownFile(name), underlying: error)
        }
    }

    /// Whether files were written since this was asked last.
    func takeHasNewFiles() -> Bool { newFiles.exchange(false, ordering: .sequentiallyConsistent) }

    /// The names of all values that are there, whether anything refers to them or not.
    package func names() throws -> Set<UUID> { Set(try sizes().keys) }

    /// Number and size of the values that are there.
    func attachments() throws -> DocumentManifest.Attachments {
        let sizes = try sizes()
        return DocumentManifest.Attachments(count: sizes.count, bytes: sizes.values.reduce(0, +))
    }

    private func sizes() throws -> [UUID: Int64] {
        var sizes = archive?.sizes ?? [:]
        try forEachFile { group, entry in
            guard let name = UUID(uuidString: entry.name) else { return }
            sizes[name] = try group.status(of: entry.name)?.size
        }
        return sizes
    }

    /// Visits the plain files that lie where values do, folder by folder.
    private func forEachFile(_ body: (Directory, DirectoryEntry) throws -> Void) throws {
        // The working set of an archive is made when there is something for it.
        guard try Disk.exists(self.root) else { return }
        let root = try Directory(self.root)
        guard try root.status(of: PackageLayout.content) != nil else { return }
        let content = try root.directory(PackageLayout.content)
        for entry in try content.entries() where entry.kind == .directory {
            let group = try content.directory(entry.name)
            for entry in try group.entries() where entry.kind == .file { try body(group, entry) }
        }
    }

    package static func name(for value: Data) -> String { name(digest: SHA256.digest(value)) }

    /// The name of what is in a file, which is read in pieces.
    package static func name(of file: File) throws -> String {
        var hash = SHA256()
        try LargeValueReader(FileInput(file)).forEachRemainingPiece { hash.update($0) }
        return name(digest: hash.digest())
    }

    package static func name(of value: LargeValue) throws -> String {
        var hash = SHA256()
        try value.forEachPiece { hash.update($0) }
        return name(digest: hash.digest())
    }

    fileprivate static func name(digest: [UInt8]) -> String {
        let digits = Array(Hex.encode(digest.prefix(16)).uppercased())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// How many folders above a value's own may be as new as the value: `content` and the package.
    private static let levels = 2

    /// Writes a value durably, folder and all, and answers its name. In pieces: its name is known
    /// when it is written.
    package func write(_ value: LargeValue) throws -> String {
        if let bytes = value.bytesAtHand, case let name = Self.name(for: bytes),
            try isThere(name, size: Int64(bytes.count))
        {
            return name
        }
        let root = try Directory(self.root),
            protection = try FileProtection(of: FilePath.join(self.root, PackageLayout.store))
        try root.makeDirectory(PackageLayout.content, mode: protection.folderMode)
        // In the folder above that of the value, where what a crash leaves is found without looking
        // through all values.
        let content = try root.directory(PackageLayout.content)
        let temporary = FilePath.name(FilePath.sibling(of: "value", tag: Disk.temporaryTag, id: UniqueName.make()))
        do {
            let file = try content.file(temporary, .create(mode: protection.fileMode))
            defer { file.close() }
            var hash = SHA256(), count: Int64 = 0
            try value.copy(to: file) { piece in
                try WorkProgress.check()
                hash.update(piece)
                count += Int64(piece.count)
            }
            let name = Self.name(digest: hash.digest())
            if try isThere(name, size: count) {
                try content.removeFile(temporary)
                return name
            }
            // Only a whole, durable file ever gets the name.
            try file.synchronize()
            let group = Self.group(name)
            if try content.status(of: group) == nil {
                durable.forgetFolders()
                try content.makeDirectory(group, mode: protection.folderMode)
            }
            try content.rename(temporary, to: content.directory(group), name)
            try durable.note(name, file: ownFile(name), levels: Self.levels)
            newFiles.store(true, ordering: .sequentiallyConsistent)
            return name
        } catch {
            // The first error is the one that counts.
            _ = try? content.removeFile(temporary)
            throw error
        }
    }

    /// Whether a value of that size is here for good.
    private func isThere(_ name: String, size: Int64) throws -> Bool {
        if try ownStatus(name)?.size == size { return try secure(name) }
        return archive?.size(of: name) == size
    }

    /// Makes sure that a value that is here is here for good.
    private func secure(_ name: String) throws -> Bool {
        try durable.secure(name, file: ownFile(name), levels: Self.levels) || archive?.has(name) == true
    }

    /// Removes a value to which nothing refers any more. Where a crash undoes that, it is collected
    /// again.
    package func remove(_ name: UUID) throws {
        durable.forget(name.uuidString)
        try openGroup(of: name.uuidString)?.removeFile(name.uuidString)
    }

    /// Opens a value; whoever reads it from its first byte to its last is told where these are not
    /// what its name says.
    private func open(_ name: String) throws -> any LargeValueInput {
        let file = ownFile(name)
        do {
            if let own = try openOwnFile(name) { return CheckedValue(try FileInput(own), name: name, path: file) }
            if let archive, archive.has(name) {
                return CheckedValue(try archive.open(name), name: name, path: archive.path)
            }
        } catch let error as StorageError {
            throw error
        } catch {
            throw Self.readingError(error, path: archive?.path ?? file)
        }
        throw StorageError(.notFound, "The file of a large value is missing: \(name)", path: file)
    }

    /// Copies the values that another folder lacks into it; durable when it returns.
    func copyValues(to other: ContentFolder) throws {
        for name in try names() {
            let target = other.file(name.uuidString)
            guard try !Disk.exists(target) else { continue }
            try Disk.makeDirectories(FilePath.parent(target), isDurable: true)
            try copy(name.uuidString, to: target)
            try Disk.synchronizeFile(target)
            try Disk.synchronizeDirectory(FilePath.parent(target))
        }
    }

    /// Copies a value into a new file, with the folders that it takes; not made durable.
    /// - Throws: `StorageError`, `notFound` where the value is missing, `damaged` where its bytes
    ///   are not what its name says.
    package func copy(_ name: String, to target: String) throws {
        let own = try openOwnFile(name)
        let input = own == nil ? try open(name) : nil
        try Disk.makeDirectories(FilePath.parent(target))
        if let own {
            // Cloned where the file system can: the bytes are looked at afterwards.
            try Disk.copyFile(own, to: target)
            guard try Self.name(of: File(target, .read)) == name.uppercased() else {
                try Disk.removeFile(target)
                throw Self.damage(name, path: ownFile(name))
            }
        } else if let input {
            try Disk.replaceFile(target) { file in
                try LargeValueReader(input).forEachRemainingPiece { try file.append($0) }
            }
        }
    }

    /// Makes sure that a value is here as a plain file of the document's own, with the bytes that
    /// its name says where the check is thorough.
    /// - Throws: `StorageError`, `notFound` or `damaged`.
    func check(_ name: String, isThorough: Bool) throws {
        guard let file = try openOwnFile(name) else {
            throw StorageError(.notFound, "the file of a large value is missing: \(name)", path: ownFile(name))
        }
        defer { file.close() }
        if isThorough, try Self.name(of: file) != name.uppercased() {
            throw StorageError(.damaged, "a large value is not what was written: \(name)", path: ownFile(name))
        }
    }

    /// Holds a value against its name while it is packed or unpacked; nil for what is no value.
    /// - Parameter path: Where the value is.
    static func check(valueAt path: String, _ stage: DocumentError.Stage) -> ContentCheck? {
        let name = FilePath.name(path)
        guard UUID(uuidString: name) != nil else { return nil }
        var hash = SHA256()
        return ContentCheck(
            take: { hash.update($0) },
            finish: {
                if Self.name(digest: hash.digest()) != name.uppercased() {
                    throw DocumentError.translated(damage(name, path: path), stage, path)
                }
            })
    }

    fileprivate static func damage(_ name: String, path: String) -> StorageError {
        StorageError(.damaged, "The bytes of a large value are not what was written: \(name)", path: path)
    }

    fileprivate static func readingError(_ error: any Error, path: String) -> StorageError {
        switch error {
        case let error as StorageError: error
        case let error as FileSystemError: StorageError(reading: error, path: path)
        case let error as ArchiveError:
            StorageError(.damaged, "A large value can't be read: \(error)", path: path, underlying: error)
        default: StorageError(.inputOutput, "A large value can't be read: \(error)", path: path, underlying: error)
        }
    }

    /// How the store reads and writes its large values here. A value that was written in vain may
    /// be another row's as well: it stays until it is collected.
    package var externalValues: ExternalValues {
        ExternalValues(
            path: { self.file($0) }, write: { try self.write($0) }, secure: { try self.secure($0) }, remove: { _ in },
            open: { try self.open($0) })
    }
}

/// A large value that is held against its name as far as it is read from front to back.
private final class CheckedValue: LargeValueInput {
    private let input: any LargeValueInput
    private let name: String
    private let path: String
    private var hash = SHA256()
    /// How far the hash has come; past the end once it was compared.
    private var position: Int64 = 0

    init(_ input: any LargeValueInput, name: String, path: String) {
        self.input = input
        self.name = name
        self.path = path
    }

    var count: Int64 { input.count }

    /// - Throws: before the last bytes are handed over, where the value is another than its name
    ///   says.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        let done: Int
        do { done = try input.read(into: buffer, at: offset) } catch {
            throw ContentFolder.readingError(error, path: path)
        }
        guard offset == position else { return done }
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<done]))
        position += Int64(done)
        guard position >= count || done == 0 && !buffer.isEmpty else { return done }
        position = .max
        guard ContentFolder.name(digest: hash.digest()) == name.uppercased() else {
            throw ContentFolder.damage(name, path: path)
        }
        return done
    }
}
