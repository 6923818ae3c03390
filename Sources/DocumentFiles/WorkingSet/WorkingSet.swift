internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore

/// What is added to an archive that is being edited: a folder in the user's state folder, in the
/// layout of a package, with the store's WAL, new large values and a note of where it belongs. The
/// store itself is there only where the archive has it compressed.
///
/// Autosaves go here and never touch the archive. Invariants:
/// 1. A working set that has its final name is whole, and `origin.json` names the state of the
///    archive that its saved state equals. One in which nothing was ever committed may have lost
///    any part of itself to a power cut; it has no store and nothing in its WAL.
/// 2. Whoever makes, uses or removes a working set holds the archive's lock.
/// 3. Nothing is committed in one that is not settled.
package struct WorkingSet {
    /// The folder, in the layout of a package, with `origin.json` beside.
    package let path: String
    /// Whether a power cut leaves it as it is.
    private(set) var isSettled = true

    /// One that is there.
    package init(path: String) { self.path = path }

    private static let maximumCopies = 100

    /// The working set that an editor left behind, or uses just now, for just this state of the
    /// archive; nil where there is none.
    ///
    /// A file that was put back at the same path with the same content, as from a backup, has
    /// another identity: what was autosaved on top of it still fits.
    package static func existing(for archive: ArchiveFile, uuid: String) throws -> WorkingSet? {
        try existing(for: archive.path, archive.state(), uuid: uuid)
    }

    /// The working set of a package in a shared place.
    package static func existing(forPackage path: String, uuid: String) throws -> WorkingSet? {
        guard try Disk.exists(FilePath.join(StateFolder.documents, uuid)) else { return nil }
        // What a link leads to is not the package's.
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

    /// Removes the working sets of saves that were finished but for the cleaning up, when the
    /// archive is as they left it.
    static func removeFinished(for path: String, _ state: WorkingSetOrigin.State, uuid: String) throws {
        for (folder, origin) in try origins(uuid) {
            guard let pending = origin.pending,
                pending == state || (origin.path == path && pending.digest == state.digest)
            else { continue }
            try WorkingSet(path: folder).remove()
        }
    }

    private static func origins(_ uuid: String) throws -> [(folder: String, origin: WorkingSetOrigin)] {
        try all(uuid).compactMap { folder in
            try isHollow(folder) ? nil : WorkingSetOrigin.read(in: folder).map { (folder, $0) }
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
            // It has gone with the last of them, since it was looked for.
            return []
        }
    }

    /// Makes one for an archive that is to be edited. Whole or not at all.
    package static func make(from archive: ArchiveFile, uuid: String, generation: Int) throws -> WorkingSet {
        try make(uuid, generation, WorkingSetOrigin(path: archive.path, state: archive.state())) { folder in
            try Disk.makeDirectory(FilePath.join(folder, PackageLayout.content), mode: 0o700)
            guard try archive.reader.directory.storedRange(of: PackageLayout.store) == nil else { return false }
            try archive.reader.extract(into: folder) { $0 == PackageLayout.store }
            return true
        }
    }

    /// Makes one for a package in a shared place that is to be edited. Where the package's store
    /// has a WAL, which goes on growing nowhere, both are copied.
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

    /// - Parameter fill: Puts into the folder what is to be there from the beginning, and answers
    ///   whether that was anything that can't be made again.
    private static func make(
        _ uuid: String, _ generation: Int, _ origin: WorkingSetOrigin, filling fill: (_ folder: String) throws -> Bool
    ) throws -> WorkingSet {
        for folder in try all(uuid) where try isHollow(folder) { try Disk.removeTree(folder) }
        guard let path = try candidates(uuid, generation).first(where: { try !Disk.exists($0) }) else {
            throw DocumentError(
                .inputOutput, "too many working sets of this document", path: FilePath.join(StateFolder.documents, uuid)
            )
        }
        let folder = FilePath.parent(path)
        try DocumentError.stage(.writing, folder) {
            try Disk.makeDirectories(StateFolder.documents, mode: 0o700, isDurable: !Disk.exists(StateFolder.documents))
            try Disk.makeDirectories(folder, mode: 0o700)
        }
        let temporary = FilePath.sibling(of: path, tag: "tmp", id: UniqueName.make())
        do {
            try Disk.makeDirectory(temporary, mode: 0o700)
            try Disk.makeDirectory(FilePath.join(temporary, PackageLayout.storeFolder), mode: 0o700)
            let isFilled = try fill(temporary)
            try origin.put(in: temporary)
            if isFilled { try Disk.synchronizeTree(temporary) }
            try Disk.renameWithoutReplacing(temporary, to: path)
            var set = WorkingSet(path: path)
            set.isSettled = false
            // Whoever opens a document and changes nothing need not wait for the disk.
            if isFilled { try set.settle() }
            return set
        } catch {
            // The first error is the one that counts.
            try? Disk.removeTree(temporary)
            throw error
        }
    }

    /// Makes it durable, before anything is committed in it.
    mutating func settle() throws {
        guard !isSettled else { return }
        try Disk.synchronizeFile(FilePath.join(path, WorkingSetOrigin.fileName))
        let parts = [PackageLayout.storeFolder, PackageLayout.content].map { FilePath.join(path, $0) }
        let parents = [path, FilePath.parent(path), StateFolder.documents, FilePath.parent(StateFolder.documents)]
        for folder in try parts.filter({ try Disk.exists($0) }) + parents { try Disk.synchronizeDirectory(folder) }
        isSettled = true
    }

    /// Whether a power cut has taken the place of its WAL, or what told where it belongs: nothing
    /// was ever committed in it.
    private static func isHollow(_ folder: String) throws -> Bool {
        let store = FilePath.join(folder, PackageLayout.store)
        if try !Disk.exists(FilePath.parent(store)) { return true }
        return try !Disk.exists(store) && !StoreWAL(ofStoreAt: store).hasContent()
            && WorkingSetOrigin.read(in: folder) == nil
    }

    /// Whether the working set has a store of its own with work that was not saved.
    package func hasOwnWork() throws -> Bool {
        let store = FilePath.join(path, PackageLayout.store)
        guard try Disk.exists(store) else { return false }
        return try DocumentMarker(SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: store)).metadata).map {
            !$0.isSaved
        } ?? false
    }

    /// Takes the working set away, for good when this returns; the folder of the document goes with
    /// the last one.
    package func remove() throws {
        let folder = FilePath.parent(path)
        guard try Disk.exists(folder) else { return }
        if try Disk.exists(path) {
            // Under its name it is whole or not there (1), whatever a power cut leaves of it.
            try Disk.rename(path, to: FilePath.sibling(of: path, tag: Self.removedTag, id: UniqueName.make()))
            if isSettled { try Disk.synchronizeDirectory(folder) }
        }
        for entry in try Disk.list(folder) where Self.isGarbage(entry.name, besides: FilePath.name(path)) {
            try Disk.removeTree(FilePath.join(folder, entry.name))
        }
        // Fails where another working set of the same document is there, which is as it should be.
        try? Disk.removeEmptyDirectory(folder)
    }

    private static let removedTag = "removed"

    /// Whether nobody wants what lies beside a working set: others that were being removed, and
    /// what an interrupted save of this one was packing.
    private static func isGarbage(_ name: String, besides set: String) -> Bool {
        name.hasPrefix(".") && (name.contains(".\(removedTag)-") || name.hasPrefix(".\(set).tmp-"))
    }

    /// Copies of an archive have its UUID and generation too.
    private static func candidates(_ uuid: String, _ generation: Int) -> [String] {
        let folder = FilePath.join(StateFolder.documents, uuid)
        return (1...maximumCopies).map { $0 == 1 ? "\(folder)/\(generation)" : "\(folder)/\(generation)-\($0)" }
    }
}
