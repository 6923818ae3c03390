internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore

/// The changes to an archive that is open for editing: a folder in the user's state folder with the
/// layout of a package. It contains the store's WAL, new large values, and a file that identifies
/// the archive. It contains the store itself only if that is compressed in the archive.
///
/// Autosaves are written here and never change the archive. Invariants:
/// 1. A working set with its final name is complete, and `origin.json` identifies the state of the
///    archive that equals its saved state. If nothing was committed to it, a power failure may have
///    damaged any part of it; then it has no store and an empty WAL.
/// 2. The archive's lock is required to create, use or remove a working set.
/// 3. Nothing is committed to a working set that is not settled.
package struct WorkingSet {
    /// The path of the folder, which has the layout of a package and contains `origin.json`.
    package let path: String
    /// Whether the working set is durable.
    private(set) var isSettled = true

    /// An existing working set.
    package init(path: String) { self.path = path }

    private static let maximumCopies = 10_000

    /// The working set for exactly this state of the archive, which an editor uses or has left; nil
    /// if there is none.
    ///
    /// A restored file with the same path and content, for example from a backup, has another
    /// identity, but autosaved work is still valid for it.
    package static func existing(for archive: ArchiveFile, uuid: String) throws -> WorkingSet? {
        try existing(for: archive.path, archive.state(), uuid: uuid)
    }

    /// The working set of a package on a shared volume.
    package static func existing(forPackage path: String, uuid: String) throws -> WorkingSet? {
        guard try Disk.exists(FilePath.join(StateFolder.documents, uuid)) else { return nil }
        // Symbolic links may lead out of the package, so they are not followed.
        let root = try Directory(path)
        guard try root.status(of: PackageLayout.storeFolder)?.kind == .directory,
            try root.directory(PackageLayout.storeFolder).status(of: FilePath.name(PackageLayout.store))?.kind == .file
        else { return nil }
        return try existing(
            for: path, WorkingSetOrigin.state(ofStore: FilePath.join(path, PackageLayout.store)), uuid: uuid)
    }

    package static func existing(for path: String, _ state: WorkingSetOrigin.State, uuid: String) throws -> WorkingSet?
    {
        let sets = try origins(uuid)
        let found =
            sets.first { $0.origin.state == state }
            ?? sets.first { $0.origin.path == path && $0.origin.state.digest == state.digest }
        return found.map { WorkingSet(path: $0.folder) }
    }

    /// Removes the working sets of saves that were complete except for this removal, if the archive
    /// has the state that they wrote.
    static func removeFinished(for path: String, _ state: WorkingSetOrigin.State, uuid: String) throws {
        for (folder, origin) in try origins(uuid) {
            guard let pending = origin.pending,
                pending == state || (origin.path == path && pending.digest == state.digest)
            else { continue }
            try WorkingSet(path: folder).remove()
        }
    }

    /// The folders with work on other states of the archive than the one that is at its path.
    static func stranded(at path: String, _ state: WorkingSetOrigin.State, uuid: String) throws -> [String] {
        try origins(uuid).filter { folder, origin in
            let store = FilePath.join(folder, PackageLayout.store)
            return try origin.path == path && origin.state.digest != state.digest
                && origin.pending?.digest != state.digest
                && (StoreWAL(ofStoreAt: store).hasContent() || WorkingSet(path: folder).hasOwnWork())
        }.map(\.folder).sorted()
    }

    private static func origins(_ uuid: String) throws -> [(folder: String, origin: WorkingSetOrigin)] {
        try all(uuid).compactMap { folder in
            do {
                return try isHollow(folder) ? nil : WorkingSetOrigin.read(in: folder).map { (folder, $0) }
            } catch let error as FileSystemError where error.code == .notFound {
                // The working set of a copy was removed meanwhile.
                return nil
            }
        }
    }

    package static func all(_ uuid: String) throws -> [String] {
        let folder = FilePath.join(StateFolder.documents, uuid)
        guard try Disk.kind(of: folder) == .directory else { return [] }
        do {
            return try Disk.list(folder).filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map {
                FilePath.join(folder, $0.name)
            }
        } catch let error as FileSystemError where error.code == .notFound {
            // The folder was removed together with its last working set meanwhile.
            return []
        }
    }

    /// Creates a working set for editing an archive, completely or not at all.
    package static func make(from archive: ArchiveFile, uuid: String, generation: Int) throws -> WorkingSet {
        try make(uuid, generation, WorkingSetOrigin(path: archive.path, state: archive.state())) { folder in
            try Disk.makeDirectory(FilePath.join(folder, PackageLayout.content), mode: 0o700)
            guard try archive.reader.directory.storedRange(of: PackageLayout.store) == nil else { return false }
            try archive.reader.extract(into: folder) { $0 == PackageLayout.store }
            return true
        }
    }

    /// Creates a working set for editing a package on a shared volume. If the package's store has a
    /// WAL, both are copied, because that WAL must not be written any more.
    package static func make(forPackage path: String, _ state: WorkingSetOrigin.State, uuid: String, generation: Int)
        throws -> WorkingSet
    {
        let store = FilePath.join(path, PackageLayout.store)
        return try make(uuid, generation, WorkingSetOrigin(path: path, state: state)) { folder in
            guard try StoreWAL(ofStoreAt: store).hasContent() else { return false }
            for suffix in ["", "-wal"] {
                try Disk.copyFile(store + suffix, to: FilePath.join(folder, PackageLayout.store) + suffix)
            }
            return true
        }
    }

    /// - Parameter fill: Writes the initial content, and returns whether it contains data that
    ///   can't be recreated.
    private static func make(
        _ uuid: String, _ generation: Int, _ origin: WorkingSetOrigin, filling fill: (_ folder: String) throws -> Bool
    ) throws -> WorkingSet {
        for folder in try all(uuid) where try isHollow(folder) { try ignoringMissing { try Disk.removeTree(folder) } }
        let folder = FilePath.join(StateFolder.documents, uuid)
        for _ in 0..<attempts {
            try DocumentError.stage(.writing, folder) {
                try Disk.makeDirectories(
                    StateFolder.documents, mode: 0o700, isDurable: !Disk.exists(StateFolder.documents))
                try Disk.makeDirectories(folder, mode: 0o700)
            }
            // Copies of a document have the same UUID. Their working sets come and go at any time,
            // and the folder goes with the last one.
            if let set = try attempt(in: folder, generation, origin, fill) { return set }
        }
        throw DocumentError(.inputOutput, "too many working sets of this document", path: folder)
    }

    private static let attempts = 100

    /// - Returns: Nil if the folder was removed meanwhile.
    private static func attempt(
        in folder: String, _ generation: Int, _ origin: WorkingSetOrigin, _ fill: (_ folder: String) throws -> Bool
    ) throws -> WorkingSet? {
        let temporary = FilePath.join(folder, ".\(generation).tmp-\(UniqueName.make())")
        do {
            try Disk.makeDirectory(temporary, mode: 0o700)
        } catch let error as FileSystemError where error.code == .notFound {
            return nil
        }
        // The lock tells others that the folder is in use. Another process may have removed it
        // before it was locked.
        guard let directory = try? Directory(temporary), directory.lock(), try Disk.exists(temporary) else {
            return nil
        }
        return try withExtendedLifetime(directory) { try finish(temporary, folder, generation, origin, fill) }
    }

    /// Fills a temporary folder and gives it its name.
    private static func finish(
        _ temporary: String, _ folder: String, _ generation: Int, _ origin: WorkingSetOrigin,
        _ fill: (_ folder: String) throws -> Bool
    ) throws -> WorkingSet {
        do {
            try Disk.makeDirectory(FilePath.join(temporary, PackageLayout.storeFolder), mode: 0o700)
            let isFilled = try fill(temporary)
            try origin.put(in: temporary)
            if isFilled { try Disk.synchronizeTree(temporary) }
            for path in candidates(folder, generation) {
                do {
                    try Disk.renameWithoutReplacing(temporary, to: path)
                } catch let error as FileSystemError where error.code == .exists {
                    // The working set of a copy.
                    continue
                }
                var set = WorkingSet(path: path)
                set.isSettled = false
                // Opening a document without changing it does not have to wait for the disk.
                if isFilled { try set.settle() }
                return set
            }
            throw DocumentError(.inputOutput, "too many working sets of this document", path: folder)
        } catch {
            // Report the first error.
            try? Disk.removeTree(temporary)
            throw error
        }
    }

    /// Runs `body`. That something does not exist is no error, since another process may have
    /// removed it meanwhile, with the working set of a copy of the document.
    private static func ignoringMissing(_ body: () throws -> Void) throws {
        do { try body() } catch let error as FileSystemError where error.code == .notFound {}
    }

    /// Makes the working set durable. Required before a commit.
    mutating func settle() throws {
        guard !isSettled else { return }
        try Disk.synchronizeFile(FilePath.join(path, WorkingSetOrigin.fileName))
        let parts = [PackageLayout.storeFolder, PackageLayout.content].map { FilePath.join(path, $0) }
        let parents = [path, FilePath.parent(path), StateFolder.documents, FilePath.parent(StateFolder.documents)]
        for folder in try parts.filter({ try Disk.exists($0) }) + parents { try Disk.synchronizeDirectory(folder) }
        isSettled = true
    }

    /// Whether a power failure has removed the folder of the WAL or `origin.json` of a working set
    /// to which nothing was committed.
    private static func isHollow(_ folder: String) throws -> Bool {
        let store = FilePath.join(folder, PackageLayout.store)
        if try !Disk.exists(FilePath.parent(store)) { return true }
        return try !Disk.exists(store) && !StoreWAL(ofStoreAt: store).hasContent()
            && WorkingSetOrigin.read(in: folder) == nil
    }

    /// Whether the working set has a store with work that was not saved.
    package func hasOwnWork() throws -> Bool {
        let store = FilePath.join(path, PackageLayout.store)
        guard try Disk.exists(store) else { return false }
        return try DocumentMarker(SQLiteStoreFile(store).modelInfo().metadata).map {
            !$0.isSaved
        } ?? false
    }

    /// Removes the working set durably. The document's folder is removed with the last one.
    package func remove() throws {
        let folder = FilePath.parent(path)
        guard try Disk.exists(folder) else { return }
        if try Disk.exists(path) {
            // Rename it first, because a folder with its final name has to be complete (invariant
            // 1), even after a power failure.
            try Disk.rename(path, to: FilePath.sibling(of: path, tag: Self.removedTag, id: UniqueName.make()))
            if isSettled { try Disk.synchronizeDirectory(folder) }
        }
        // Copies of the document have working sets in the same folder and remove their own.
        try Self.ignoringMissing {
            for entry in try Disk.list(folder) where Self.isGarbage(entry.name, besides: FilePath.name(path)) {
                let path = FilePath.join(folder, entry.name)
                // A working set of a copy that is being made is locked.
                guard (try? Directory(path))?.lock() != false else { continue }
                try Self.ignoringMissing { try Disk.removeTree(path) }
            }
        }
        // Fails if the document has another working set, which is correct.
        try? Disk.removeEmptyDirectory(folder)
    }

    private static let removedTag = "removed"

    /// Whether a folder beside a working set is obsolete: another one that was being removed, or
    /// the temporary folder of an interrupted save.
    private static func isGarbage(_ name: String, besides set: String) -> Bool {
        name.hasPrefix(".") && (name.contains(".\(removedTag)-") || name.hasPrefix(".\(set).tmp-"))
    }

    /// The paths for a new working set. Several are needed, because copies of an archive have the
    /// same UUID and generation.
    private static func candidates(_ folder: String, _ generation: Int) -> [String] {
        (1...maximumCopies).map { $0 == 1 ? "\(folder)/\(generation)" : "\(folder)/\(generation)-\($0)" }
    }
}
