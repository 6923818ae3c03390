internal import ArchiveKit
internal import FileSystem

/// Unpacks an archive into a package, file by file, without opening the store.
package struct ArchiveUnpacker {
    /// The path of the archive, with symbolic links resolved.
    package let source: String

    package init(source: String) { self.source = source }

    /// - Parameter target: The location of the package; nil for a dry run.
    /// - Parameter progress: Called with the number of bytes done and in total; may throw to
    ///   cancel.
    package func unpack(to target: DocumentTarget?, progress: (Int64, Int64) throws -> Void) throws -> PackingReport {
        let lock = try SourceLock.acquire(source)
        defer { lock?.release() }
        let archive = try DocumentError.stage(.opening, source) { try ArchiveFile(source) }
        let manifest = try DocumentError.stage(.opening, source) { try archive.manifest() }
        try DocumentError.stage(.opening, source) { try checkWorkingSet(archive, manifest) }
        let files = archive.reader.directory.entries.filter {
            !$0.isDirectory && $0.name != PackageLayout.storeSums && !PackageLayout.isMergeState($0.name)
        }
        let total = files.reduce(0) { $0 + $1.size }
        if let target {
            var done: Int64 = 0
            try target.place { temporary in
                let protection = try FileProtection.ofDocument(source).replacing(target.path)
                let pages = manifest.store.pages
                @Sendable func check(_ entry: ZipEntry) -> ContentCheck? {
                    if entry.name == PackageLayout.store {
                        return pages?.check(orThrow: DocumentSession.altered(source))
                    }
                    return entry.name.hasPrefix(PackageLayout.content + "/") && !entry.isDirectory
                        ? ContentFolder.check(valueAt: FilePath.join(source, entry.name), .writing) : nil
                }
                try archive.reader.extract(to: temporary, protection, isSynchronized: true, checking: check) { count in
                    done += count
                    try progress(done, total)
                }
                // The page sums and the states for merges belong to the archive only.
                try Disk.removeFileIfPresent(FilePath.join(temporary, PackageLayout.storeSums))
                try MergeStates.remove(from: temporary)
                try Disk.replaceFile(
                    FilePath.join(temporary, PackageLayout.mimetype),
                    with: Array("\(PackageLayout.packageType)\n".utf8), mode: protection.fileMode)
                try PackageReader(temporary).checkStore()
                try protection.protect(temporary)
                try Disk.synchronizeTree(temporary)
            }
        }
        return PackingReport(files: files.count, bytes: total, path: target?.path ?? source)
    }

    /// Throws if there is autosaved work, which is in a working set and not in the archive.
    private func checkWorkingSet(_ archive: ArchiveFile, _ manifest: DocumentManifest) throws {
        guard try WorkingSet.existing(for: archive, uuid: manifest.uuid) != nil else { return }
        let session = try DocumentSession.read(source, model: .own)
        defer { try? session.close() }
        if session.hasAutosavedWork { throw SourceLock.recoverable(source) }
    }
}
