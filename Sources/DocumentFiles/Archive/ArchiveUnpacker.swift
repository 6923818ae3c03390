internal import ArchiveKit
internal import FileSystem
internal import Foundation

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
        // The page sums and the states for merges belong to the archive only.
        let all = archive.reader.directory.entries.filter {
            !$0.isDirectory && $0.name != PackageLayout.storeSums && !PackageLayout.isMergeState($0.name)
        }
        let files = try DocumentError.stage(.reading, source) { try needed(all) }
        let names = Set(files.map(\.name))
        let total = files.reduce(0) { $0 + $1.size }
        if let target {
            var done: Int64 = 0
            try target.place { temporary in
                try PackageLayout.checkPlace(FilePath.parent(temporary))
                let protection = try FileProtection.ofDocument(source).replacingDocument(target.path)
                let pages = manifest.store.pages
                @Sendable func check(_ entry: ZipEntry) -> ContentCheck? {
                    if entry.name == PackageLayout.store {
                        return pages?.check(orThrow: DocumentSession.altered(source))
                    }
                    return isValue(entry) && !entry.isDirectory
                        ? ContentFolder.check(valueAt: FilePath.join(source, entry.name), .writing) : nil
                }
                try archive.reader.extract(
                    to: temporary, protection, isSynchronized: true, including: names.contains, checking: check
                ) { count in
                    done += count
                    try progress(done, total)
                }
                if files.count < all.count {
                    var counted = manifest
                    let values = files.filter { isValue($0) }
                    counted.attachments = DocumentManifest.Attachments(
                        count: values.count, bytes: values.reduce(0) { $0 + $1.size })
                    try Disk.replaceFile(
                        FilePath.join(temporary, PackageLayout.manifest), with: counted.encoded,
                        mode: protection.fileMode)
                }
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

    /// Leaves out the large values to which neither the store nor a version refers.
    private func needed(_ files: [ZipEntry]) throws -> [ZipEntry] {
        guard files.contains(where: { isValue($0) }),
            let needed = try DocumentSession.neededValues(of: source, includingVersions: true)
        else { return files }
        return files.filter { entry in
            !isValue(entry) || UUID(uuidString: FilePath.name(entry.name)).map(needed.contains) ?? false
        }
    }

    private func isValue(_ entry: ZipEntry) -> Bool { entry.name.hasPrefix(PackageLayout.content + "/") }

    /// Throws if there is autosaved work, which is in a working set and not in the archive.
    private func checkWorkingSet(_ archive: ArchiveFile, _ manifest: DocumentManifest) throws {
        guard try WorkingSet.existing(for: archive, uuid: manifest.uuid) != nil else { return }
        let session = try DocumentSession.read(source, model: .own)
        defer { try? session.close() }
        if session.hasAutosavedWork { throw SourceLock.recoverable(source) }
    }
}
