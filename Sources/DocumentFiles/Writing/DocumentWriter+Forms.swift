internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

extension DocumentWriter {
    func writePackage(_ content: Content, to path: String, _ protection: FileProtection, isDurable: Bool = true) throws
        -> SaveReceipt
    {
        let package = try PackageBuilder(at: path, model: model, modelName: modelName)
        let store = try makeStore(
            content, at: package.storePath, files: package.content.externalValues, isDocument: true
        ) { try package.makeStore() }
        if case .copy(let session, _) = content {
            try copyExtras(from: session, to: path)
            if includesVersions { try copyVersions(of: session, to: package, store.marker) }
        }
        let parts = PartsWriter(package: path)
        try parts.place(parts.stage(self.parts))
        var manifest = try package.manifest(uuid: store.uuid, marker: store.marker, counts: store.counts)
        if case .copy(let session, _) = content {
            manifest.title = session.manifest?.title
            manifest.keywords = session.manifest?.keywords
            manifest.formerModels = session.manifest?.formerModels
            if let description = self.parts.description {
                (manifest.title, manifest.keywords) = (description.title, description.keywords)
            }
        }
        try package.finish(manifest, protection, isDurable: isDurable)
        try verify(path, uuid: store.uuid)
        return store.receipt
    }

    func writeArchive(_ content: Content, to path: String, _ protection: FileProtection) throws -> SaveReceipt {
        // The temporary package needs a place that keeps its names; the archive does not.
        let isPlaceGood = try NameKeeping.holds(in: FilePath.parent(target))
        let folder = isPlaceGood ? nil : try StateFolder.makeTemporary()
        defer { if let folder { StateFolder.removeTemporary(folder) } }
        let staging =
            folder.map { FilePath.join($0, FilePath.name(target)) }
            ?? FilePath.sibling(of: target, tag: "tmp", id: UniqueName.make())
        defer { try? Disk.removeTree(staging) }
        // Only the archive has to be durable, not the temporary package.
        let receipt = try writePackage(content, to: staging, protection, isDurable: false)
        try ArchiveFile.pack(
            staging, store: FilePath.join(staging, PackageLayout.store), manifest: PackageReader(staging).manifest(),
            includesVersions: includesVersions, to: path, protection)
        _ = try ArchiveFile(path).manifest()
        return receipt
    }

    /// Writes the store and its large values to a temporary folder, where the store already has its
    /// final name. Then moves the values to their location, and the store to the temporary path of
    /// the replacement.
    /// - Parameter placed: The values that were moved, so that they can be removed if the store is
    ///   not moved afterwards.
    func writeStore(
        _ content: Content, to replacement: Replacement, _ protection: FileProtection, placing placed: inout [String]
    ) throws -> SaveReceipt {
        let staging = FilePath.sibling(of: target, tag: "tmp", id: UniqueName.make())
        try Disk.makeDirectory(staging, mode: 0o700)
        defer { try? Disk.removeTree(staging) }
        let path = FilePath.join(staging, FilePath.name(target))
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.journal = .asFound
        if let type = form.bareStoreType, type != .sqlite {
            description.type = type
            let receipt = try makeAtomicStore(content, description)
            try protection.protect(path)
            try Disk.renameWithoutReplacing(path, to: replacement.temporary)
            return receipt
        }
        let files = ExternalValues.besideStore(at: path)
        let store = try makeStore(content, at: path, files: files, isDocument: false) {
            try SQLitePersistentStore.create(description, model: model, files: files)
        }
        try protection.protect(path)
        try protection.protect(ExternalValues.folder(beside: path))
        try Disk.synchronizeFile(path)
        try moveValues(from: files, names: store.externalValues, protection, noting: &placed)
        try Disk.renameWithoutReplacing(path, to: replacement.temporary)
        return store.receipt
    }

    private func moveValues(
        from staged: ExternalValues, names: Set<String>, _ protection: FileProtection, noting moved: inout [String]
    ) throws {
        let files = ExternalValues.besideStore(at: target)
        for name in names.sorted() {
            let from = staged.path(name), to = files.path(name)
            guard try Disk.exists(from), try !Disk.exists(to) else { continue }
            // Recorded before the folder is created, so that the folder is removed after an error,
            // too.
            moved.append(to)
            try Disk.makeDirectories(FilePath.parent(to), mode: protection.folderMode)
            try Disk.rename(from, to: to)
        }
        guard let folder = moved.first.map({ FilePath.parent($0) }) else { return }
        for folder in [folder, FilePath.parent(folder), FilePath.parent(target)] {
            try Disk.synchronizeDirectory(folder)
        }
    }

    /// Removes values that were moved into place for a store that could not be written, and their
    /// folders if they are empty.
    func removePlacedValues(_ paths: [String]) {
        guard let folder = paths.first.map({ FilePath.parent($0) }) else { return }
        for path in paths { _ = try? Disk.removeFileIfPresent(path) }
        for folder in [folder, FilePath.parent(folder)] { try? Disk.removeEmptyDirectory(folder) }
    }

    /// Removes the large values beside the store to which it does not refer.
    package func removeUnusedValues() throws {
        let folder = FilePath.parent(ExternalValues.besideStore(at: target).path("x"))
        guard try Disk.kind(of: folder) == .directory else { return }
        let session = try DocumentSession.read(target, model: .model(model))
        defer { try? session.close() }
        guard let others = try ExternalValues.namesOfOthers(sharing: target) else { return }
        let used = try (session.sqliteStore?.externalValueNames() ?? []).union(others)
        for entry in try Disk.list(folder) where entry.kind == .file && !used.contains(entry.name) {
            try Disk.removeFile(FilePath.join(folder, entry.name))
        }
    }

    /// Verifies that the new document can be opened, before it replaces an existing one.
    private func verify(_ package: String, uuid: String) throws {
        let session = try DocumentSession.read(package, model: .model(model))
        defer { try? session.close() }
        guard session.uuid == uuid else {
            throw DocumentError(.inputOutput, "what was written reads back as another document", path: package)
        }
    }

    private func copyExtras(from session: DocumentSession, to target: String) throws {
        let own =
            try session.package.map { try ArchiveFile.files(in: $0, under: PackageLayout.extra).map(\.name) } ?? []
        if let reader = session.place.archive?.reader {
            // The working set contains changed files, and marks of those that were removed.
            let isRemoved = try session.package.map { try RemovedParts(inWorkingSet: $0).contains() } ?? { _ in false }
            try reader.extract(into: target) {
                $0.hasPrefix(PackageLayout.extra + "/") && !own.contains($0) && !isRemoved($0)
                    && !PackageLayout.isMergeState($0)
            }
        }
        guard !own.isEmpty, let package = try session.package.map({ try Directory($0) }) else { return }
        for name in own where !PackageLayout.isMergeState(name) {
            try Disk.makeDirectories(FilePath.parent(FilePath.join(target, name)))
            let copy = FilePath.join(target, name)
            try Disk.copyFile(package.file(name, refusingHardLinks: true), to: copy)
            try session.checkFile(name, DocumentManifest.FileSum(of: File(copy)))
        }
    }

    /// Copies the versions and their large values. The saved state on which they are based becomes
    /// a version, too, because the pages of the new store are different.
    private func copyVersions(of session: DocumentSession, to package: PackageBuilder, _ marker: DocumentMarker) throws
    {
        let staging = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(staging) }
        guard let source = try session.versions ?? session.archivedVersions(in: staging),
            let saved = session.keeping.head, let store = session.sqliteStore
        else { return }
        let target = VersionStore(folder: FilePath.join(package.path, PackageLayout.versions)) { _, _ in false }
        if try Disk.exists(source.folder) {
            let discarded = FilePath.name(PackageLayout.discarded)
            try Disk.copyTree(source.folder, to: target.folder) { name, _ in name != discarded }
        }
        let references = try session.keeping.references(store, session.content)
        try store.withFiles { files in
            _ = try target.keepReplaced(
                files, saved: marker.savedState, previous: saved, reason: .other, references: references)
        }
        let used = try store.externalValueNames().compactMap { UUID(uuidString: $0) }
        for name in try (target.contentReferences() ?? session.content?.names() ?? []).union(used) {
            let to = package.content.file(name.uuidString)
            guard try !Disk.exists(to) else { continue }
            // Values that are already missing are not an error here; `verify` reports them.
            do { try session.content?.copy(name.uuidString, to: to) } catch let error as StorageError
                where error.code == .notFound
            {}
        }
    }
}
