internal import ArchiveKit
internal import FileSystem
internal import Foundation
internal import SQLiteStore
internal import Schema
internal import Storage

/// Packs a package into an archive, file by file, without opening the store. The same package
/// always gives the same bytes.
///
/// The store's main file is the last saved state. The WAL is never dropped silently: a save that is
/// not in the main file yet is checkpointed into a copy; autosaved work that was never saved is
/// refused.
package struct PackagePacker {
    /// The path of the package, with symbolic links resolved.
    package let source: String
    package let includesVersions: Bool

    package init(source: String, includesVersions: Bool) {
        self.source = source
        self.includesVersions = includesVersions
    }

    /// - Parameter target: The location of the archive; nil for a dry run.
    /// - Parameter progress: Called with the number of bytes done and in total; may throw to
    ///   cancel.
    package func pack(to target: DocumentTarget?, progress: @escaping (Int64, Int64) throws -> Void) throws
        -> PackingReport
    {
        let lock = try SourceLock.acquire(source)
        defer { lock?.release() }
        let staging = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(staging) }
        let (parts, pages, outsideCommits, sizes) = try DocumentError.stage(.packing, source) {
            let (parts, pages, outsideCommits) = try self.parts(staging)
            return (parts, pages, outsideCommits, try parts.map { try $0.byteCount() })
        }
        let total = sizes.reduce(0, +)
        if let target {
            var done: Int64 = 0
            try target.place { temporary in
                let protection = try FileProtection.ofDocument(source).replacingDocument(target.path)
                let file = try File(temporary, .create(mode: protection.fileMode))
                defer { file.close() }
                try protection.giveAway(temporary)
                try ArchiveWriter.write(parts, to: file, checking: { check($0, pages) }) { count in
                    done += count
                    try progress(done, total)
                }
                try file.synchronize()
                // Verify that the archive can be read before it replaces an existing document.
                let archive = try ArchiveFile(temporary)
                guard archive.reader.directory.entries.map(\.size) == sizes else {
                    throw DocumentError(.inputOutput, "what was written does not read back", path: temporary)
                }
            }
        } else {
            try DocumentError.stage(.packing, source) { for part in parts { try look(at: part, pages) } }
        }
        return PackingReport(
            files: parts.count, bytes: total, path: target?.path ?? source, outsideCommits: outsideCommits)
    }

    /// The check that compares a part with its recorded checksum; nil if none is recorded.
    private func check(_ part: ArchivePart, _ pages: SavedPages?) -> ContentCheck? {
        guard case .file(let path) = part.content else { return nil }
        if part.name == PackageLayout.store {
            return pages?.check(orThrow: DocumentError.translated(DocumentSession.altered(path), .packing, path))
        }
        return part.name.hasPrefix(PackageLayout.content + "/") ? ContentFolder.check(valueAt: path, .packing) : nil
    }

    /// Checks a part in a dry run.
    private func look(at part: ArchivePart, _ pages: SavedPages?) throws {
        guard case .file(let path) = part.content, let check = check(part, pages) else { return }
        try LargeValueReader(FileInput(File(path, .read))).forEachRemainingPiece {
            try WorkProgress.check()
            try check.take($0)
        }
        try check.finish()
    }

    /// The parts of the archive, the recorded pages of the store, and the number of commits by
    /// other programs in the WAL.
    private func parts(_ staging: String) throws -> ([ArchivePart], SavedPages?, outsideCommits: Int) {
        let reader = try PackageReader(source)
        try checkNames()
        try reader.checkStore()
        guard try PackageLayout.isDocumentType(reader.mimetype()) else {
            throw DocumentError(
                .malformed, "a folder of another kind, not a document",
                path: FilePath.join(source, PackageLayout.mimetype))
        }
        let manifest = try reader.manifest()
        guard manifest.lastSave == nil else { throw SourceLock.recoverable(source) }
        if try SharedLocation.holds(source), try WorkingSet.existing(forPackage: source, uuid: manifest.uuid) != nil {
            let session = try DocumentSession.read(source, model: .own)
            defer { try? session.close() }
            if session.hasAutosavedWork { throw SourceLock.recoverable(source) }
        }
        var manifestBytes = try Disk.read(FilePath.join(source, PackageLayout.manifest), limit: JSONCoding.maximumSize)
        if var own = try? reader.manifest(), let files = own.files,
            files.keys.contains(where: PackageLayout.isMergeState)
        {
            // A former version has unpacked an archive with them.
            own.files = files.filter { !PackageLayout.isMergeState($0.key) }
            manifestBytes = try own.encoded
        }
        // With the lock, this process does not have the store open, so closing the file does not
        // drop any of SQLite's locks.
        var store = FilePath.join(source, PackageLayout.store), outsideCommits = 0, pages = manifest.store.pages
        // A save or restoring that was interrupted may have left the manifest of the state before.
        let saved = try DocumentMarker(SQLiteStoreFile(store).modelInfo().metadata)
        let isDescribed = saved.map { $0.generation == manifest.generation } ?? true
        if try !isDescribed || (Disk.status(of: store + "-wal")?.size ?? 0) > 0 {
            store = FilePath.join(staging, FilePath.name(PackageLayout.store))
            // The copy is checked while it is read through SQLite.
            pages = nil
            if let newer = try checkpointWAL(to: store, manifest) { (manifestBytes, outsideCommits) = newer }
        }
        if store.hasPrefix(source), let files = manifest.files,
            let finding = try FileSums.findings(files, inPackage: source).first
        {
            throw DocumentError(
                .malformed, "“\(finding.name)” \(finding.reason)", path: FilePath.join(source, finding.name))
        }
        let allValues = try ArchiveFile.files(in: source, under: PackageLayout.content)
        let values = try neededValues(allValues)
        if values.count < allValues.count {
            var counted = try DocumentManifest.decode(
                manifestBytes, path: FilePath.join(source, PackageLayout.manifest))
            counted.attachments = DocumentManifest.Attachments(
                count: values.count, bytes: try values.reduce(0) { try $0 + $1.byteCount() })
            manifestBytes = try counted.encoded
        }
        var parts = [
            ArchivePart(
                name: PackageLayout.mimetype, content: .bytes(Array(PackageLayout.archiveType.utf8)), isStored: true),
            ArchivePart(name: PackageLayout.manifest, content: .bytes(manifestBytes)),
        ]
        parts += try ArchiveFile.files(in: source, under: PackageLayout.models)
        parts += try PageSums.storeParts(store)
        parts += values
        for folder in [PackageLayout.extra, PackageLayout.preview] {
            parts += try ArchiveFile.files(in: source, under: folder).filter { !PackageLayout.isMergeState($0.name) }
        }
        if includesVersions {
            parts += try ArchiveFile.files(in: source, under: PackageLayout.versions).filter {
                !PackageLayout.isSetAside($0.name)
            }
        }
        return (parts, pages, outsideCommits)
    }

    /// Throws if the package contains unknown parts. An archive with such parts could not be
    /// opened, and without them content would be lost.
    private func checkNames() throws {
        for entry in try Disk.list(source) where !PackageLayout.isTransient(entry.name[...]) {
            switch entry.name {
            case PackageLayout.mimetype, PackageLayout.manifest, PackageLayout.storeFolder: continue
            case let name
            where PackageLayout.folders.contains(name) || name.hasPrefix(PackageLayout.damagedVersions + "-"): continue
            default:
                throw DocumentError(.malformed, "has no place in a document", path: FilePath.join(source, entry.name))
            }
        }
    }

    /// Copies the store with its WAL.
    /// - Returns: The manifest of that state, and the number of commits by other programs in the
    ///   WAL; nil if the store is not that of a document.
    private func checkpointWAL(to copy: String, _ manifest: DocumentManifest) throws -> ([UInt8], outsideCommits: Int)?
    {
        let session = try DocumentSession.read(source, model: .own)
        defer { try? session.close() }
        guard !session.hasAutosavedWork else { throw SourceLock.recoverable(source) }
        guard let store = session.sqliteStore, let marker = session.marker else { return nil }
        try session.checkPages()
        try store.copy(to: copy)
        try session.footprint.count(store)
        var next = try session.nextManifest(marker)
        next.store.bytes = try Disk.status(of: copy)?.size ?? 0
        next.store.pages = try SavedPages(ofFileAt: copy)
        next.files = session.footprint.fileSums(inPackage: session.package)
        return (try next.encoded, session.outsideCommits)
    }

    /// The large values to which the store refers and, if they are included, the versions. Others
    /// are left out, because they are deleted content.
    private func neededValues(_ all: [ArchivePart]) throws -> [ArchivePart] {
        guard !all.isEmpty,
            let needed = try DocumentSession.neededValues(of: source, includingVersions: includesVersions)
        else { return all }
        return all.filter { part in UUID(uuidString: FilePath.name(part.name)).map(needed.contains) ?? false }
    }
}

extension ArchivePart {
    func byteCount() throws -> Int64 {
        switch content {
        case .bytes(let bytes): Int64(bytes.count)
        case .file(let path): try Disk.status(of: path)?.size ?? 0
        case .entry(let entry, _): entry.size
        }
    }
}
