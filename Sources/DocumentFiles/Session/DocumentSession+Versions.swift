internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
internal import Storage

extension DocumentSession {
    /// The version store of the document; nil for a bare store, and for an archive, whose versions
    /// are only read from it.
    package var versions: VersionStore? { keeping.versions }

    /// The earlier saved states, the oldest first, including those in an archive.
    package func listVersions() throws -> [DocumentVersion] {
        if let versions { return try versions.list() }
        guard place.archive?.carriesVersions == true else { return [] }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        return try archivedVersions(in: folder)?.list() ?? []
    }

    /// Extracts the versions of an archive to a folder; nil if there are none.
    func archivedVersions(in folder: String) throws -> VersionStore? {
        guard let archive = place.archive, archive.carriesVersions else { return nil }
        try archive.reader.extract(into: folder) { PackageLayout.isVersion($0) }
        return VersionStore(folder: FilePath.join(folder, PackageLayout.versions)) { _, _ in false }
    }

    /// Writes a version's store to a new file, with exactly the saved bytes. If the document is a
    /// copy and the version has the UUID of the original, it gets that of the copy.
    func restoreVersion(_ number: Int, of versions: VersionStore, to target: String, isDurable: Bool = true) throws {
        try packageStore.withFiles { try versions.restore(number, from: $0, to: target, isDurable: isDurable) }
        if try SQLiteStoreFile(target).modelInfo().uuid != uuid {
            try SQLiteStoreFile(target).setUUID(uuid)
        }
    }

    /// Keeps the state before the last save as a version, if that was not done yet.
    func keepVersion() throws {
        if let marker, marker.isSaved { try keeping.keep(before: marker.savedState, manifest, packageStore, content) }
    }

    /// Sets the reason of the next save, if it is not a save by the user.
    package func willSave(for reason: DocumentVersion.Reason) { keeping.willSave(for: reason) }

    /// Called after versions were removed, because they may have been the last to refer to a large
    /// value.
    package func noteRemovedVersions() { keeping.noteUnusedContent() }

    /// Removes large values to which neither the saved state nor a version refers. Called at the
    /// end of a session only, because undo may restore values until then.
    func collectContent() throws {
        guard kind == .package, !isCheckpointPending, !hasAutosavedWork, let package, let content,
            let unused = try keeping.unusedContent(package, content, packageStore), !unused.isEmpty
        else { return }
        for name in unused { try content.remove(name) }
        footprint.forgetAttachments()
        if let marker { try writeManifest(to: package, marker) }
    }

    /// Writes the last saved state, without autosaved work, to a new file with exactly the saved
    /// bytes. The file is durable afterwards, but not its directory entry.
    func writeSavedState(to path: String) throws {
        guard let marker else { preconditionFailure("A store by itself has no saved state apart") }
        if let archive = place.archive { return try archive.takeOutStore(to: path) }
        // The main file alone is the saved state, unless another reader prevented the checkpoint of
        // the last save.
        let mark = try versions?.savedMark(generation: marker.generation)
        let sum = try packageStore.withFiles { files in
            let file = try File(path, .create())
            defer { file.close() }
            let sum = try files.state(at: mark).write(to: file)
            try file.synchronize()
            return sum
        }
        let written = try DocumentMarker(SQLiteStoreFile(path).modelInfo().metadata)
        guard let written, written.isSaved, written.generation == marker.generation else {
            throw DocumentError(
                .locked, "the last save has not reached the main file, since another program was reading it",
                path: storePath, hint: "try again later")
        }
        if let manifest, manifest.generation == marker.generation, let recorded = manifest.store.pages,
            recorded.sum != sum
        {
            try checkPages()
        }
    }
}

extension VersionStore {
    /// The saved state on which the newest version's delta is based; nil if there are no versions.
    func head() throws -> SavedState? {
        try VersionIndex.read(in: folder).head.map {
            SavedState(generation: $0.generation, counter: $0.counter, saved: Date(milliseconds: $0.saved))
        }
    }

    /// The end of a generation's saved state in the WAL; nil if that state is the main file alone,
    /// or it is not known.
    func savedMark(generation: Int) throws -> WriteAheadLog.Mark? {
        guard let head = try VersionIndex.read(in: folder).head, head.generation == generation else { return nil }
        return head.wal
    }
}
