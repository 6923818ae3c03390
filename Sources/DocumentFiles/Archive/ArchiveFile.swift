package import ArchiveKit
package import FileSystem
package import Foundation
internal import ModelFiles
package import SQLiteKit
package import Schema

/// A document in one zip file: reads it, extracts its parts, and packs a package into it.
package struct ArchiveFile {
    package let path: String
    package let file: File
    let reader: ArchiveReader
    /// The state of the file before its directory was read.
    private let identity: FileIdentity

    package init(_ path: String) throws {
        self.path = path
        file = try File(path, .read)
        identity = try file.status().identity
        reader = try ArchiveReader(file, allowing: PackageLayout.allowsInArchive)
        guard reader.directory[PackageLayout.manifest] != nil else {
            throw DocumentError(
                .malformed, "a zip archive without \(PackageLayout.manifest), not a document", path: path)
        }
        if reader.directory[PackageLayout.mimetype] != nil,
            try !PackageLayout.isDocumentType(reader.read(PackageLayout.mimetype, limit: 1024))
        {
            throw DocumentError(.malformed, "a zip archive of another kind, not a document", path: path)
        }
        guard reader.directory[PackageLayout.store] != nil else {
            throw DocumentError(.malformed, "the document has no store", path: path)
        }
    }

    package func manifest() throws -> DocumentManifest {
        try DocumentManifest.decode(reader.read(PackageLayout.manifest, limit: JSONCoding.maximumSize), path: path)
    }

    /// The store inside the archive, read in place; nil if it is compressed.
    ///
    /// A store of up to 64 MB is first read and compared with its checksum. For larger stores,
    /// which have to open in constant time, pages are compared with their sums when they are read,
    /// if the archive contains sums.
    /// - Parameter isTrusted: Whether this program has just written the archive.
    package func database(isTrusted: Bool) throws -> ArchivedDatabase? {
        let directory = reader.directory
        guard let range = try directory.storedRange(of: PackageLayout.store), let entry = directory[PackageLayout.store]
        else { return nil }
        guard range.length > StoreCheck.largestWhole else {
            if !isTrusted { try reader.check(entry) }
            return try ArchivedDatabase(file, offset: range.offset, length: range.length, expecting: identity)
        }
        var check: ArchivedDatabase.Check?
        if let sums = try PageSums(directory, in: file) { check = { try sums.areSound($0, at: $1) } }
        return try ArchivedDatabase(
            file, offset: range.offset, length: range.length, expecting: identity, checkedBlock: PageSums.pageSize,
            check: check)
    }

    /// Extracts the store of the archive, which is the saved state, to a new file. The file is
    /// durable afterwards, but not its directory entry.
    func takeOutStore(to path: String) throws {
        let folder = FilePath.parent(path) + "/.\(UniqueName.make())"
        try Disk.makeDirectory(folder, mode: 0o700)
        defer { try? Disk.removeTree(folder) }
        try reader.extract(into: folder) { $0 == PackageLayout.store }
        try Disk.renameWithoutReplacing(FilePath.join(folder, PackageLayout.store), to: path)
        try Disk.synchronizeFile(path)
    }

    /// The names of the models in the archive.
    package func modelNames() -> [String] {
        let prefix = PackageLayout.models + "/", suffix = ".xcdatamodel/contents"
        return reader.directory.entries.compactMap { entry in
            guard entry.name.hasPrefix(prefix), entry.name.hasSuffix(suffix) else { return nil }
            return String(entry.name.dropFirst(prefix.count).dropLast(suffix.count))
        }
    }

    /// The model in the archive with these version hashes, and its name; nil if there is none.
    package func model(fitting hashes: [String: Data]) throws -> (name: String, model: ManagedObjectModel)? {
        for name in modelNames() {
            let part = "\(PackageLayout.models)/\(name).xcdatamodel/contents"
            let model = try ModelContents.decode(
                Data(reader.read(part, limit: PackageReader.largestModel)), path: FilePath.join(path, part))
            if model.isCompatible(withVersionHashes: hashes) { return (name, model) }
        }
        return nil
    }

    /// Whether the archive contains earlier versions.
    package var carriesVersions: Bool { reader.directory.entries.contains { PackageLayout.isVersion($0.name) } }

    package func state() throws -> WorkingSetOrigin.State { try WorkingSetOrigin.state(of: file, reader.directory) }

    /// Packs a package into a new file at `target`, which must not exist. `store` is the store to
    /// pack instead of the package's own one, which may be open. Versions are packed only on
    /// request; the auxiliary files of the store, such as its WAL, are not packed. The file is
    /// durable afterwards, but not its directory entry.
    package static func pack(
        _ package: String, store: String, manifest: DocumentManifest, includesVersions: Bool, to target: String,
        _ protection: FileProtection
    ) throws {
        let file = try File(target, .create(mode: protection.fileMode))
        defer { file.close() }
        try protection.giveAway(target)
        var parts = [
            ArchivePart(
                name: PackageLayout.mimetype, content: .bytes(Array(PackageLayout.archiveType.utf8)), isStored: true),
            ArchivePart(name: PackageLayout.manifest, content: .bytes(try manifest.encoded)),
        ]
        parts += try files(in: package, under: PackageLayout.models)
        parts += try PageSums.storeParts(store)
        for folder in [PackageLayout.content, PackageLayout.extra, PackageLayout.preview] {
            parts += try files(in: package, under: folder).filter { !PackageLayout.isMergeState($0.name) }
        }
        if includesVersions { parts += try files(in: package, under: PackageLayout.versions) }
        try WorkProgress.begin(parts.reduce(0) { try $0 + $1.byteCount() })
        try ArchiveWriter.write(parts, to: file, progress: { try WorkProgress.advance(by: $0) })
        try file.synchronize()
    }

    /// The regular files under a folder of the package, sorted by name. Throws for symbolic links
    /// and for files with several hard links, which may belong to something outside of the package.
    package static func files(in package: String, under folder: String) throws -> [ArchivePart] {
        // A package that was deleted while it is open has no files on disk.
        guard try Disk.kind(of: package) == .directory else { return [] }
        let root = try Directory(package)
        guard try root.status(of: folder)?.kind == .directory else { return [] }
        return try files(in: root.directory(folder), folder)
    }

    private static func files(in folder: Directory, _ name: String) throws -> [ArchivePart] {
        try folder.entries().flatMap { entry -> [ArchivePart] in
            let name = name + "/" + entry.name, path = FilePath.join(folder.path, entry.name)
            if PackageLayout.isTransient(entry.name[...]) { return [] }
            switch entry.kind {
            case .directory: return try files(in: folder.directory(entry.name), name)
            case .file:
                guard let status = try folder.status(of: entry.name), status.linkCount <= 1 else {
                    throw DocumentError(.malformed, "has another name (hard link)", path: path)
                }
                return [ArchivePart(name: name, content: .file(path: path))]
            case .symbolicLink, .other: throw DocumentError(.malformed, "neither a plain file nor a folder", path: path)
            }
        }
    }
}
