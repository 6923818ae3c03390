internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteFile
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
internal import Storage

extension DocumentSession {
    /// The earlier saved states of the document; nil for a store by itself, and for an archive,
    /// which is written without them.
    package var versions: VersionStore? { keeping.versions }

    /// The earlier saved states, those that an archive carries too, oldest first.
    package func listVersions() throws -> [DocumentVersion] {
        if let versions { return try versions.list() }
        guard place.archive?.carriesVersions == true else { return [] }
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        return try archivedVersions(in: folder)?.list() ?? []
    }

    /// The versions that an archive carries, taken out into a folder; nil where it has none.
    func archivedVersions(in folder: String) throws -> VersionStore? {
        guard let archive = place.archive, archive.carriesVersions else { return nil }
        try archive.reader.extract(into: folder) { PackageLayout.isVersion($0) }
        return VersionStore(folder: FilePath.join(folder, PackageLayout.versions)) { _, _ in false }
    }

    /// Writes a version's store into a new file. One that came along with a copy of its document
    /// gets the identity of the copy; otherwise it is byte by byte what was saved.
    func restoreVersion(_ number: Int, of versions: VersionStore, to target: String) throws {
        try packageStore.withFiles { try versions.restore(number, from: $0, to: target) }
        if try SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: target)).uuid != uuid {
            try SQLitePersistentStore.setUUID(uuid, ofStoreAt: target)
        }
    }

    /// Keeps the state before the last save. Does nothing where that was done.
    func keepVersion() throws {
        if let marker, marker.isSaved { try keeping.keep(before: marker.savedState, manifest, packageStore, content) }
    }

    /// The next save is made for another reason than that somebody saves.
    package func willSave(for reason: DocumentVersion.Reason) { keeping.willSave(for: reason) }

    /// Versions were removed, and perhaps the last that referred to a large value.
    package func noteRemovedVersions() { keeping.noteRemovedVersions() }

    /// Removes large values to which neither the saved state nor a version refers. Only at the end
    /// of a session: undo may bring values back until then.
    func collectContent() throws {
        guard kind == .package, !isCheckpointPending, !hasAutosavedWork, let package, let content,
            let unused = try keeping.unusedContent(package, content, packageStore), !unused.isEmpty
        else { return }
        for name in unused { try content.remove(name) }
        footprint.forgetAttachments()
        if let marker { try writeManifest(to: package, marker) }
    }

    /// Writes the last saved state, byte by byte and without autosaved work, into a new file;
    /// durable but for its folder.
    func writeSavedState(to path: String) throws {
        guard let marker else { preconditionFailure("A store by itself has no saved state apart") }
        if let archive = place.archive { return try archive.takeOutStore(to: path) }
        // The main file alone, unless an outside reader kept the last save from it.
        let mark = try versions?.savedMark(generation: marker.generation)
        let sum = try packageStore.withFiles { files in
            let file = try File(path, .create())
            defer { file.close() }
            let sum = try files.state(at: mark).write(to: file)
            try file.synchronize()
            return sum
        }
        let written = try DocumentMarker(SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: path)).metadata)
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
    /// The saved state that the newest version's delta leads from; nil where no version was kept.
    func head() throws -> SavedState? {
        try VersionIndex.read(in: folder).head.map {
            SavedState(generation: $0.generation, counter: $0.counter, saved: Date(milliseconds: $0.saved))
        }
    }

    /// Where in the WAL the saved state of a generation ends; nil where the main file alone is that
    /// state, as far as is known.
    func savedMark(generation: Int) throws -> WriteAheadLog.Mark? {
        guard let head = try VersionIndex.read(in: folder).head, head.generation == generation else { return nil }
        return head.wal
    }
}
