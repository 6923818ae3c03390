internal import ArchiveKit
internal import Coding
package import FileSystem
package import Foundation
package import SQLiteStore
package import Schema
internal import Storage
internal import Synchronization

/// The large values of a document: immutable files under `content/`, named by their content, so
/// that equal values share a file.
///
/// The name is the first half of the SHA-256 in the form of a UUID, so that the column in the store
/// looks like one of Core Data. The values of an archive stay in it; new ones are written to its
/// working set.
package final class ContentFolder: Sendable {
    private struct Places {
        /// The package or working set.
        var root: String
        var archive: ArchivedValues?
        /// The archive before this one, for values that this one lacks.
        var earlier: ArchivedValues?
    }

    private let places: Mutex<Places>
    private let newFiles = Atomic<Bool>(false)
    private let durable = DurableNames()

    package init(inPackage package: String) { places = Mutex(Places(root: package, archive: nil)) }

    /// The values of an archive, and those in the folder of `workingSet`, which need not exist.
    init(in archive: ArchivedValues, workingSet: String) {
        places = Mutex(Places(root: workingSet, archive: archive))
    }

    /// Continues with another archive and its working set. Values that were obtained before can
    /// still be read, because undo may bring them back: what the new archive lacks stays readable
    /// from the old one, which is held open, and is copied to the new working set with the next
    /// move. Those that are files of the old working set move to the new one.
    package func move(to archive: ArchivedValues, workingSet: String) {
        durable.forgetAll()
        let before = places.withLock { $0 }
        let held = FilePath.join(workingSet, PackageLayout.scratch)
        func hold(_ name: String, _ place: (_ target: String) throws -> Void) {
            // A value that can't be held is missing when undo brings it back, and nothing else.
            guard !archive.has(name), case let target = FilePath.join(held, name), (try? Disk.exists(target)) == false
            else { return }
            try? Disk.makeDirectories(held, mode: 0o700)
            try? place(target)
        }
        if before.root != workingSet {
            let old = FilePath.join(before.root, PackageLayout.scratch)
            for entry in (try? Disk.list(old)) ?? [] where UUID(uuidString: entry.name) != nil {
                hold(entry.name) { try Disk.rename(FilePath.join(old, entry.name), to: $0) }
            }
            try? forEachFile { group, entry in
                hold(entry.name) { try Disk.rename(FilePath.join(group.path, entry.name), to: $0) }
            }
        }
        if let earlier = before.earlier {
            for name in earlier.sizes.keys where before.archive?.has(name.uuidString) != true {
                hold(name.uuidString) { try earlier.takeOut(name.uuidString, to: $0) }
            }
        }
        places.withLock { $0 = Places(root: workingSet, archive: archive, earlier: before.archive) }
    }

    /// The folder for new values.
    package var path: String { FilePath.join(root, PackageLayout.content) }
    private var root: String { places.withLock { $0.root } }
    private var archive: ArchivedValues? { places.withLock { $0.archive } }

    /// The file of a value: `content/ab/<name>`, with the first two digits of the name. A value
    /// that only the archive contains is extracted to a temporary file.
    func file(_ name: String) -> String {
        let own = ownFile(name)
        guard let archive, (try? Disk.exists(own)) != true else { return own }
        return (try? archive.has(name) ? archive.takeOut(name) : heldFile(name)) ?? own
    }

    private func ownFile(_ name: String) -> String { "\(path)/\(Self.group(name))/\(name)" }

    /// The folder of a value: the first two digits of its name.
    private static func group(_ name: String) -> String { name.prefix(2).lowercased() }

    // All files are opened relative to the package's folder without following symbolic links,
    // because a value that is written through a link would be outside of the document.

    /// Opens the folder of a value; nil if it does not exist.
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

    /// Opens the file of a value; nil if it does not exist.
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

    /// Whether files were written since the last call.
    func takeHasNewFiles() -> Bool { newFiles.exchange(false, ordering: .sequentiallyConsistent) }

    /// The names of all existing values, including unused ones.
    package func names() throws -> Set<UUID> { Set(try sizes().keys) }

    /// The number and size of the existing values.
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

    /// Calls `body` for each regular file in the folders of values.
    private func forEachFile(_ body: (Directory, DirectoryEntry) throws -> Void) throws {
        // The working set of an archive is created when it is first needed.
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

    /// The name for the content of a file, which is read in pieces.
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

    /// The number of folders above a value's folder that may be new, too: `content` and the
    /// package.
    private static let levels = 2

    /// Writes a value durably, including its folder, and returns its name. The value is written in
    /// pieces, so its name is only known afterwards.
    package func write(_ value: LargeValue) throws -> String {
        if let bytes = value.bytesAtHand, case let name = Self.name(for: bytes),
            try isThere(name, size: Int64(bytes.count))
        {
            return name
        }
        let root = try Directory(self.root),
            protection = try FileProtection(of: FilePath.join(self.root, PackageLayout.store))
        try root.makeDirectory(PackageLayout.content, mode: protection.folderMode)
        // The temporary file is in `content`, where files left by a crash are found without listing
        // all values.
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
            // The final name is only given to a complete and durable file.
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
            // Report the first error.
            _ = try? content.removeFile(temporary)
            throw error
        }
    }

    /// Whether a value with this size exists durably.
    private func isThere(_ name: String, size: Int64) throws -> Bool {
        if try ownStatus(name)?.size == size { return try secure(name) }
        return archive?.size(of: name) == size
    }

    /// Makes sure that an existing value is durable.
    private func secure(_ name: String) throws -> Bool {
        try durable.secure(name, file: ownFile(name), levels: Self.levels) || archive?.has(name) == true
    }

    /// Removes an unused value. If a crash undoes that, it is collected again.
    package func remove(_ name: UUID) throws {
        durable.forget(name.uuidString)
        try openGroup(of: name.uuidString)?.removeFile(name.uuidString)
    }

    /// Opens a value. Reading it sequentially to the end throws if its bytes don't match its name.
    private func open(_ name: String) throws -> any LargeValueInput {
        let file = ownFile(name)
        do {
            if let own = try openOwnFile(name) { return CheckedValue(try FileInput(own), name: name, path: file) }
            if let archive, archive.has(name) {
                return CheckedValue(try archive.open(name), name: name, path: archive.path)
            }
            if archive != nil, let held = try openHeldValue(name) { return held }
        } catch let error as StorageError {
            throw error
        } catch {
            throw Self.readingError(error, path: archive?.path ?? file)
        }
        throw StorageError(.notFound, "The file of a large value is missing: \(name)", path: file)
    }

    /// Opens a value that the archive lacks, and that an object may need that undo brings back; nil
    /// if there is none.
    private func openHeldValue(_ name: String) throws -> (any LargeValueInput)? {
        let (earlier, file) = heldPlaces(name)
        if try Disk.exists(file) { return CheckedValue(try FileInput(File(file)), name: name, path: file) }
        guard let earlier, earlier.has(name) else { return nil }
        return CheckedValue(try earlier.open(name), name: name, path: earlier.path)
    }

    private func heldPlaces(_ name: String) -> (earlier: ArchivedValues?, file: String) {
        let (root, earlier) = places.withLock { ($0.root, $0.earlier) }
        return (earlier, FilePath.join(FilePath.join(root, PackageLayout.scratch), name))
    }

    /// The file of such a value; nil if there is none.
    private func heldFile(_ name: String) throws -> String? {
        let (earlier, file) = heldPlaces(name)
        if try Disk.exists(file) { return file }
        guard let earlier, earlier.has(name) else { return nil }
        try Disk.makeDirectories(FilePath.parent(file), mode: 0o700)
        try earlier.takeOut(name, to: file)
        return file
    }

    /// Copies all values that another folder lacks to it. They are durable afterwards.
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

    /// Copies a value to a new file, and creates its folders. The file is not made durable.
    /// - Throws: `StorageError`: `notFound` if the value is missing, `damaged` if its bytes don't
    ///   match its name.
    package func copy(_ name: String, to target: String) throws {
        let own = try openOwnFile(name)
        let input = own == nil ? try open(name) : nil
        try Disk.makeDirectories(FilePath.parent(target))
        if let own {
            // The file system may clone the file, so its bytes are verified afterwards.
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

    /// Checks that the document contains a value as a regular file and, if the check is thorough,
    /// that its bytes match its name.
    /// - Throws: `StorageError`: `notFound` or `damaged`.
    func check(_ name: String, isThorough: Bool) throws {
        guard let file = try openOwnFile(name) else {
            throw StorageError(.notFound, "the file of a large value is missing: \(name)", path: ownFile(name))
        }
        defer { file.close() }
        if isThorough, try Self.name(of: file) != name.uppercased() {
            throw StorageError(.damaged, "a large value is not what was written: \(name)", path: ownFile(name))
        }
    }

    /// A check that compares the bytes of a value with its name while it is packed or unpacked; nil
    /// if the file is not a value.
    /// - Parameter path: The path of the value.
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

    /// The interface through which the store reads and writes its large values. `remove` does
    /// nothing: a value of a failed write may also belong to another row, and is collected later if
    /// it does not.
    package var externalValues: ExternalValues {
        ExternalValues(
            path: { self.file($0) }, write: { try self.write($0) }, secure: { try self.secure($0) }, remove: { _ in },
            open: { try self.open($0) })
    }
}

/// A large value that is compared with its name as far as it is read sequentially.
private final class CheckedValue: LargeValueInput {
    private let input: any LargeValueInput
    private let name: String
    private let path: String
    private var hash = SHA256()
    /// The number of bytes that were hashed; `Int64.max` after the comparison.
    private var position: Int64 = 0

    init(_ input: any LargeValueInput, name: String, path: String) {
        self.input = input
        self.name = name
        self.path = path
    }

    var count: Int64 { input.count }

    /// - Throws: `StorageError` before the last bytes are returned, if the value does not match its
    ///   name.
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
