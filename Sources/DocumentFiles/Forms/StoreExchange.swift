internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

/// Ends a session by putting another store in the place of its package's, in a folder of its own: a
/// new store never lies beside an old WAL.
///
/// The commit point is the exchange of the folder; whatever fails or crashes before leaves the
/// document as it was. The lock stays with the caller.
struct StoreExchange {
    let session: DocumentSession

    /// Makes the store that `make` puts together the next generation. What is saved now is kept as
    /// a version first; work that was autosaved and not saved has to be out of the way.
    /// - Parameter make: Makes a closed store that carries a marker; answers the large values that
    ///   it refers to.
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

    /// Closes the store and puts the one that `build` makes in its place.
    /// - Parameter keep: Takes out of the folder that was replaced what is worth keeping.
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
        if let mode = try Disk.status(of: FilePath.join(package, PackageLayout.store))?.mode {
            let made = try File(FilePath.join(replacement.temporary, FilePath.name(PackageLayout.store)))
            try made.setMode(mode)
            try made.synchronize()
        }
        try Disk.synchronizeDirectory(replacement.temporary)
        guard try Disk.identity(of: session.path)?.isSameFile(as: session.identity) ?? false else {
            throw DocumentError(.changed, "the document was moved or replaced by another program", path: session.path)
        }
        try session.closeStore()
        try replacement.commit(expecting: before)
        // The state that was asked for is there: what can't be kept is gone, and told of.
        UnfinishedWork.noting { try keep(replacement.temporary) }
        // Its WAL was on the store that is gone; what stays of it is known by that.
        try? session.workingSet?.remove()
    }

    /// Gives a closed store a marker of its own; answers its model and the large values that it
    /// refers to.
    static func mark(
        _ path: String, _ marker: DocumentMarker, _ content: ContentFolder,
        adding metadata: [String: MetadataValue?] = [:]
    ) throws -> (model: ManagedObjectModel, names: Set<UUID>) {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.createsIfMissing = false
        let store = try SQLitePersistentStore.open(description, files: content.externalValues)
        do {
            var changes = ChangeSet(), marker = marker
            // A version of work that was only autosaved is as invalid as it was.
            let restored = DocumentMarker(try store.metadata())
            marker.isUnchecked = restored?.isUnchecked ?? false
            marker.pending = restored?.pending
            marker.denied = restored?.denied
            changes.metadata = marker.metadata.merging(metadata) { $1 }
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
