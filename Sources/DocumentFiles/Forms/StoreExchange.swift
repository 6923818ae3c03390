internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

/// Ends a session by replacing the store of its package. The store is replaced together with its
/// folder, so that a new store is never beside an old WAL.
///
/// The commit point is the replacement of the folder. A failure or crash before that leaves the
/// document unchanged. The caller keeps the lock.
struct StoreExchange {
    let session: DocumentSession

    /// Makes a store the next generation of the document. The saved state is kept as a version
    /// first. There must be no unsaved autosaved work.
    /// - Parameter make: Writes a closed store that contains a marker, and returns the names of the
    ///   large values to which it refers.
    func makeNextGeneration(
        for reason: DocumentVersion.Reason, _ make: (_ path: String, _ marker: DocumentMarker) throws -> Set<UUID>
    ) throws {
        guard let marker = session.marker, marker.isSaved else {
            preconditionFailure("Autosaved work is saved or set aside before a store is replaced")
        }
        try session.keepVersion()
        var next = marker.nextSave(after: session.keeping.lastGeneration())
        next.journal = nil
        try replaceStore { target in
            let names = try make(target, next)
            try session.keeping.keepReplaced(session.packageStore, by: next.savedState, for: reason, referringTo: names)
        }
    }

    /// Closes the store and replaces it by the one that `build` writes.
    /// - Parameter keep: Receives the replaced folder, to move files out of it that have to be
    ///   kept.
    func replaceStore(
        _ build: (_ path: String) throws -> Void, keeping keep: (_ folder: String) throws -> Void = { _ in }
    ) throws {
        guard let package = session.package else { preconditionFailure("A store by itself is not replaced") }
        let folder = FilePath.join(package, PackageLayout.storeFolder)
        let before = try Disk.identity(of: folder)
        let replacement = Replacement(of: folder)
        defer { try? Disk.removeTree(replacement.temporary) }
        try Disk.makeDirectory(replacement.temporary)
        try build(FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store)))
        let made = FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store))
        try AccessRights(of: FilePath.join(package, PackageLayout.store))?.give(to: made)
        try AccessRights(of: folder)?.give(to: replacement.temporary)
        try Disk.synchronizeFile(made)
        try Disk.synchronizeDirectory(replacement.temporary)
        guard try Disk.identity(of: session.path)?.isSameFile(as: session.identity) ?? false else {
            throw DocumentError(.changed, "the document was moved or replaced by another program", path: session.path)
        }
        try session.closeStore()
        try replacement.commit(expecting: before)
        // The new state is committed. If old files can't be kept, they are lost, and the error is
        // recorded.
        UnfinishedWork.noting { try keep(replacement.temporary) }
        // The WAL in the working set belongs to the replaced store. If it can't be removed, the
        // next opening detects that.
        try? session.workingSet?.remove()
    }

    /// Writes a marker to a closed store.
    /// - Parameter keys: Those that the document has given out.
    /// - Returns: The model of the store, and the names of the large values to which it refers.
    static func mark(
        _ path: String, _ marker: DocumentMarker, _ content: ContentFolder,
        holding keys: GreatestKeys? = nil, adding metadata: [String: MetadataValue?] = [:]
    ) throws -> (model: ManagedObjectModel, names: Set<UUID>) {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        let store = try SQLitePersistentStore.open(description, files: content.externalValues)
        do {
            var changes = ChangeSet(), marker = marker
            // A version of autosaved work may be invalid, so these properties are preserved.
            let restored = DocumentMarker(try store.metadata())
            marker.isUnchecked = restored?.isUnchecked ?? false
            marker.pending = restored?.pending
            marker.denied = restored?.denied
            changes.metadata = marker.metadata.merging(metadata) { $1 }
            try keys?.hold(in: store)
            _ = try store.apply(changes)
            let result = (store.identity.model, try store.contentNames())
            try store.closeAsOneFile()
            try Disk.synchronizeFile(path)
            return result
        } catch {
            try? store.close()
            throw error
        }
    }
}

extension FileIdentity {
    fileprivate func isSameFile(as other: FileIdentity?) -> Bool { other.map { isSameFile(as: $0) } ?? false }
}
