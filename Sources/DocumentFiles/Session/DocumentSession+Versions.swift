internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteKit
internal import SQLiteStore
internal import Schema
internal import Storage

extension DocumentSession {
    /// The earlier saved states of the document; nil for a store by itself, and for an archive, which is written without them.
    package var versions: VersionStore? {
        guard kind == .package, let package else { return nil }
        return VersionStore(inPackage: package)
    }

    /// The highest generation that a version has: the next save gets a higher one. Looked up once. Where versions can't be read none of them counts: keeping the next one says so.
    func takenGeneration() -> Int {
        if let known = knownTakenGeneration { return known }
        let taken = (try? versions?.lastGeneration()) ?? 0
        knownTakenGeneration = taken
        return taken
    }

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

    /// Writes a version's store into a new file. One that came along with a copy of its document gets the identity of the copy; otherwise it is byte by byte what was saved.
    func restoreVersion(_ number: Int, of versions: VersionStore, to target: String) throws {
        try packageStore.withFiles { try versions.restore(number, from: $0, to: target) }
        if try SQLitePersistentStore.storedModelInfo(at: URL(fileURLWithPath: target)).uuid != uuid { try SQLitePersistentStore.setUUID(uuid, ofStoreAt: target) }
    }

    /// Keeps the state before the last save, which the main file is until the checkpoint. Does nothing where that was done.
    func keepVersion() throws {
        guard let versions, let marker, marker.isSaved, let previous = keptState, previous != marker.savedState else { return }
        let names = try referencesToKeep()
        let references = names.map { ContentReferences(from: $0.before, to: $0.after) } ?? ContentReferences()
        let recorded = manifest.flatMap { $0.generation == previous.generation ? $0.store.pages : nil }
        func keep() throws {
            let pages = try packageStore.withFiles { files in
                var pages = recorded
                _ = try versions.keep(files, saved: marker.savedState, previous: previous, reason: versionReason, references: references, pages: &pages)
                return pages
            }
            keptPages = pages.map { (marker.generation, $0) }
        }
        do {
            try keep()
        } catch let error as DocumentError where error.code == .malformed {
            guard try setUnreadableVersionsAside(versions) else { throw error }
            try keep()
        }
        keptState = marker.savedState
        contentNames = names?.after ?? contentNames
        hasChangedContent = false
        versionReason = .save
    }

    /// Takes versions that can't be read out of the way, for what is to be saved must not wait for what was.
    /// - Returns: false where they can be read, so that something else is wrong.
    private func setUnreadableVersionsAside(_ versions: VersionStore) throws -> Bool {
        do {
            _ = try versions.list()
            return false
        } catch let error as DocumentError where error.code == .malformed {
            let aside = FilePath.join(FilePath.parent(versions.folder), "\(PackageLayout.damagedVersions)-\(UniqueName.make())")
            try Disk.rename(versions.folder, to: aside)
            try Disk.synchronizeDirectory(FilePath.parent(aside))
            lostVersions = DocumentError(
                .malformed, "the earlier versions can't be read and were set aside: \(error.message)", path: aside, stage: .versioning, underlying: error)
            return true
        }
    }

    /// The names in `content/` that the states before and after the last save refer to; nil where they can't differ.
    func referencesToKeep() throws -> (before: Set<UUID>, after: Set<UUID>)? {
        guard hasChangedContent, let content else { return nil }
        let after = try Set(packageStore.externalValueNames().compactMap { UUID(uuidString: $0) })
        // What the older state refers to was not collected yet: nothing is missing in the folder, though there may be more in it.
        return (try contentNames ?? content.names(), after)
    }

    /// Notes what a commit does to references into `content/`.
    func noteContent(_ changes: ChangeSet) {
        if !hasChangedContent { hasChangedContent = changes.concernsLargeValues(of: model) }
        if hasChangedContent { mayHaveUnusedContent = true }
    }

    /// Which saved state the versions lead up to: the one that the manifest tells of, or a later one whose checkpoint is still due.
    func findKeptState(_ manifest: Manifest, _ marker: DocumentMarker) {
        if marker.isSaved, marker.generation == manifest.generation {
            keptState = marker.savedState
            if manifest.hasCounts, manifest.attachments.count == 0 { contentNames = [] }
            return
        }
        hasChangedContent = true
        let described = SavedState(generation: manifest.generation, saved: manifest.saved)
        guard let head = try? versions?.head(), head.generation > manifest.generation, head.generation <= marker.generation else {
            keptState = described
            return
        }
        keptState = head
    }

    /// Thins the versions out by age.
    func pruneVersions() throws {
        guard let versions, try Disk.exists(versions.folder) else { return }
        if try !versions.prune(.standard, keeping: marker?.lastSave?.generation).isEmpty { mayHaveUnusedContent = true }
    }

    /// Removes large values to which neither the saved state nor a version refers. Only at the end of a session: undo may bring values back until then.
    func collectContent() throws {
        guard kind == .package, mayHaveUnusedContent, !isCheckpointPending, !hasAutosavedWork, let package, let content, let versions,
            // Work that was set aside may refer to anything.
            try !Disk.exists(FilePath.join(package, PackageLayout.discarded)), let kept = try versions.contentReferences()
        else { return }
        let used = try Set(packageStore.externalValueNames().compactMap { UUID(uuidString: $0) })
        mayHaveUnusedContent = false
        let unused = try content.names().subtracting(used).subtracting(kept)
        guard !unused.isEmpty else { return }
        for name in unused { try content.remove(name) }
        attachments = nil
        if let marker { try writeManifest(to: package, marker) }
    }

    /// Writes the last saved state, byte by byte and without autosaved work, into a new file; durable but for its folder.
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
                .locked, "the last save has not reached the main file, since another program was reading it", path: storePath, hint: "try again later")
        }
        if let manifest, manifest.generation == marker.generation, let recorded = manifest.store.pages, recorded.sum != sum { try checkPages() }
    }
}

extension DocumentMarker {
    /// The saved state that the commit made, or that it was made on.
    var savedState: SavedState { SavedState(generation: generation, counter: isSaved ? counter : 0, saved: saved) }
}

extension VersionStore {
    /// The saved state that the newest version's delta leads from; nil where no version was kept.
    func head() throws -> SavedState? {
        try VersionIndex.read(in: folder).head.map { SavedState(generation: $0.generation, counter: $0.counter, saved: Date(milliseconds: $0.saved)) }
    }

    /// Where in the WAL the saved state of a generation ends; nil where the main file alone is that state, as far as is known.
    func savedMark(generation: Int) throws -> WriteAheadLog.Mark? {
        guard let head = try VersionIndex.read(in: folder).head, head.generation == generation else { return nil }
        return head.wal
    }
}

extension ChangeSet {
    /// Whether rows are written or deleted that may refer to large values in files of their own.
    fileprivate func concernsLargeValues(of model: ManagedObjectModel) -> Bool {
        func places(_ entityIndex: Int) -> [Int] {
            model.entities[entityIndex].properties.indices.filter {
                model.entities[entityIndex].properties[$0].attribute?.allowsExternalBinaryDataStorage == true
            }
        }
        func has(_ entityIndex: Int) -> Bool { !places(entityIndex).isEmpty }
        if insertions.contains(where: { has($0.entityIndex) }) || deletions.contains(where: { has($0.entityIndex) }) { return true }
        return updates.contains { updates in
            let large = places(updates.entityIndex)
            return updates.changed.contains { changed in large.contains { changed.contains($0) } }
        }
    }
}
