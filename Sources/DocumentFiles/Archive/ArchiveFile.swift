package import ArchiveKit
package import FileSystem
package import Foundation
internal import ModelFiles
package import SQLiteKit
package import Schema

/// A document in one zip file: looking into it, unpacking it, packing a package into it.
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

    /// The store as it lies in the archive; nil where it is compressed.
    ///
    /// One of up to 64 MB is read and held against its checksum first. Of a larger one, so that
    /// opening takes the same time whatever its size, pages are held against their sums as they are
    /// read, where the archive has them.
    /// - Parameter isTrusted: Whether this program has just written it.
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

    /// Writes the store of the archive, which is its saved state, into a new file; durable but for
    /// its folder.
    func takeOutStore(to path: String) throws {
        let folder = FilePath.parent(path) + "/.\(UniqueName.make())"
        try Disk.makeDirectory(folder, mode: 0o700)
        defer { try? Disk.removeTree(folder) }
        try reader.extract(into: folder) { $0 == PackageLayout.store }
        try Disk.renameWithoutReplacing(FilePath.join(folder, PackageLayout.store), to: path)
        try Disk.synchronizeFile(path)
    }

    /// The names of the models that the archive carries.
    package func modelNames() -> [String] {
        let prefix = PackageLayout.models + "/", suffix = ".xcdatamodel/contents"
        return reader.directory.entries.compactMap { entry in
            guard entry.name.hasPrefix(prefix), entry.name.hasSuffix(suffix) else { return nil }
            return String(entry.name.dropFirst(prefix.count).dropLast(suffix.count))
        }
    }

    /// The model under `model/` whose version hashes are these, with its name; nil where none fits.
    package func model(fitting hashes: [String: Data]) throws -> (name: String, model: ManagedObjectModel)? {
        for name in modelNames() {
            let part = "\(PackageLayout.models)/\(name).xcdatamodel/contents"
            let model = try ModelContents.decode(
                Data(reader.read(part, limit: PackageReader.largestModel)), path: FilePath.join(path, part))
            if model.isCompatible(withVersionHashes: hashes) { return (name, model) }
        }
        return nil
    }

    /// Whether it was packed with earlier versions.
    package var carriesVersions: Bool { reader.directory.entries.contains { PackageLayout.isVersion($0.name) } }

    package func state() throws -> WorkingSetOrigin.State { try WorkingSetOrigin.state(of: file, reader.directory) }

    /// Packs a package folder into a new file at `target`, which must not be there; `store` is the
    /// store to take instead of the package's own, which may be open. Versions stay behind unless
    /// they are asked for, and so does all that a store keeps beside itself. Durable but for its
    /// folder when it returns.
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
            parts += try files(in: package, under: folder)
        }
        if includesVersions { parts += try files(in: package, under: PackageLayout.versions) }
        try WorkProgress.begin(parts.reduce(0) { try $0 + $1.byteCount() })
        try ArchiveWriter.write(parts, to: file, progress: { try WorkProgress.advance(by: $0) })
        try file.synchronize()
    }

    /// The plain files under a folder of the package, by name. Looked at beneath the package, with
    /// no link on the way; a file that has another name outside is refused.
    package static func files(in package: String, under folder: String) throws -> [ArchivePart] {
        // A document that was deleted is copied from what is open of it.
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
