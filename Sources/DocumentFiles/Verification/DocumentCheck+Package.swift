import ArchiveKit
import FileSystem
import Foundation
import ModelFiles
import Schema
import SQLiteStore
import Storage

/// Checks of a package, including one in an archive.
extension DocumentCheck {
    /// - Throws: An error if the archive can't be extracted for lack of space, which is not damage.
    mutating func archive(_ path: String) throws {
        let folder = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(folder) }
        let target = FilePath.join(folder, "document")
        let isUnpacked: Void? = part("archive") { check in
            let archive = try ArchiveFile(path)
            if archive.reader.directory.entries.first?.name != PackageLayout.mimetype {
                check.report(PackageLayout.mimetype, "is not the first entry of the archive")
            }
            for entry in archive.reader.directory.alteredEntries {
                check.report(entry.name, "a field of its record in the archive is not what was written")
            }
            try archive.reader.extract(to: target)
            try check.sums(archive, FilePath.join(target, PackageLayout.store))
            try Disk.removeFileIfPresent(FilePath.join(target, PackageLayout.storeSums))
        }
        if isUnpacked != nil { package(target) }
    }

    /// Checks that the page sums of an archive match its store.
    private mutating func sums(_ archive: ArchiveFile, _ store: String) throws {
        guard archive.reader.directory[PackageLayout.storeSums] != nil else { return }
        guard let sums = try PageSums(archive.reader.directory, in: archive.file) else {
            return report(PackageLayout.storeSums, "are sums of another store's pages")
        }
        let reader = LargeValueReader(try FileInput(File(store))), size = LargeValueReader.pieceSize
        while case let place = reader.offset, let piece = try reader.read(upTo: size) {
            guard try piece.withUnsafeBytes({ try sums.areSound($0, at: place) }) else {
                return report(PackageLayout.storeSums, "do not fit the pages of the store")
            }
        }
    }

    mutating func package(_ path: String) {
        guard let reader = part("document", { _ in try PackageReader(path) }) else { return }
        _ = part(PackageLayout.mimetype) { check in
            if try !PackageLayout.isOwnType(reader.mimetype()) {
                check.report(PackageLayout.mimetype, "is not that of a document")
            }
        }
        let manifest = part(PackageLayout.manifest) { check in
            let (manifest, isAltered) = try reader.checkedManifest()
            if isAltered { check.report(PackageLayout.manifest, "is not what was written: its checksum differs") }
            return manifest
        }
        if let manifest {
            models(reader, manifest)
            if manifest.model.checksum == nil { skip(PackageLayout.models, "the model has no checksum") }
        }
        links(path)
        guard part("store", { _ in try reader.checkStore() }) != nil else { return }
        store(path, FilePath.join(path, PackageLayout.store), package: (reader, manifest))
    }

    /// Checks that all parts are regular files or folders of the package.
    private mutating func links(_ package: String) {
        ForeignParts.forEach(in: package) { part, found in
            foreignParts.insert(part)
            switch found {
            case .success(let reason): report(part, reason)
            case .failure(let error): report(error, as: part)
            }
        }
    }

    private mutating func models(_ reader: PackageReader, _ manifest: DocumentManifest) {
        let name = "\(PackageLayout.models)/\(manifest.model.name).xcdatamodel"
        _ = part(name) { check in
            let contents = try reader.model(manifest.model.name),
                model = try ModelContents.decode(Data(contents), path: name)
            if !manifest.model.fits(contents) { check.report(name, "is not what was written: its checksum differs") }
            if model.versionHashesDigest != manifest.model.digest {
                check.report(name, "is not the model that the manifest names: their digests differ")
            }
        }
    }

    /// Checks that the application's files and the previews match the checksums of the last save.
    mutating func files(_ store: SQLitePersistentStore, _ manifest: DocumentManifest, _ package: String) throws {
        guard let recorded = manifest.files, try DocumentMarker(store.metadata())?.generation == manifest.generation
        else {
            if try Disk.kind(of: FilePath.join(package, PackageLayout.extra)) == .directory {
                skip(PackageLayout.extra, "the application's files have no checksums of the last save")
            }
            return
        }
        for finding in try FileSums.findings(recorded, inPackage: package) where !foreignParts.contains(finding.name) {
            report(finding.name, finding.reason)
        }
    }

    /// Checks that all files under `content/`, used or not, match their names and are in the right
    /// folder.
    mutating func content(_ package: String) throws {
        let folder = ContentFolder(inPackage: package)
        let root = try Directory(package)
        guard try root.status(of: PackageLayout.content)?.kind == .directory else { return }
        let groups = try root.directory(PackageLayout.content)
        for group in try groups.entries() {
            if group.kind == .file, Disk.isTemporary(group.name) { continue }
            let name = FilePath.join(PackageLayout.content, group.name)
            guard group.kind == .directory else {
                if !foreignParts.contains(name) { report(PackageLayout.content, "“\(group.name)” has no place there") }
                continue
            }
            let files = try groups.directory(group.name)
            for entry in try files.entries() {
                if foreignParts.contains(FilePath.join(name, entry.name)) { continue }
                guard entry.kind == .file, folder.file(entry.name) == FilePath.join(files.path, entry.name) else {
                    report(PackageLayout.content, "“\(group.name)/\(entry.name)” has no place there")
                    continue
                }
                if try ContentFolder.name(of: files.file(entry.name)) != entry.name {
                    report(PackageLayout.content, "\(entry.name) is not what its name says")
                }
            }
        }
    }

    /// Checks that the files of all versions exist. If the check is thorough, restores each
    /// version.
    mutating func versions(_ store: SQLitePersistentStore, _ package: PackageReader) throws {
        let folder = FilePath.join(package.path, PackageLayout.versions)
        guard try Disk.kind(of: folder) == .directory else { return }
        let versions = VersionStore(folder: folder)
        if try VersionIndex.isAltered(in: folder) {
            report(
                "\(PackageLayout.versions)/\(VersionIndex.fileName)", "is not what was written: its checksum differs")
        }
        let list = try versions.list(), missing = try versions.missingFiles()
        for file in missing.files {
            report(PackageLayout.versions, "the file of version \(file.generation) is missing: \(file.name)")
        }
        let unmakeable = list.filter { missing.unmakeable.contains($0.number) }.map { "\($0.generation)" }
        if !unmakeable.isEmpty {
            report(
                PackageLayout.versions,
                "can't be restored any more: \(unmakeable.count == 1 ? "version" : "versions") \(unmakeable.joined(separator: ", "))"
            )
        }
        // Those of another state can't be made from this one, and the next save starts anew.
        guard isThorough else { return }
        guard try versions.leadUp(to: DocumentMarker(store.metadata())) else {
            if !list.isEmpty {
                skip(PackageLayout.versions, "they lead up to another state of the document and were not restored")
            }
            return
        }
        let scratch = try StateFolder.makeTemporary()
        defer { StateFolder.removeTemporary(scratch) }
        let values = try ContentFolder(inPackage: package.path).names()
        for version in list where !missing.unmakeable.contains(version.number) {
            let target = FilePath.join(scratch, "\(version.number)")
            do {
                try store.withFiles { try versions.restore(version.number, from: $0, to: target) }
                try valuesOfVersion(version.generation, at: target, package, values)
                try Disk.removeFileIfPresent(target)
            } catch let error as DocumentError where error.code == .malformed {
                report(PackageLayout.versions, error.message)
            }
        }
    }
    /// Checks that the large values to which a version refers exist.
    private mutating func valuesOfVersion(
        _ generation: Int, at path: String, _ package: PackageReader, _ values: Set<UUID>
    ) throws {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.isReadOnly = true
        description.createsIfMissing = false
        let hashes = try SQLiteStoreFile(description.url).modelInfo().versionHashes
        let model = try chosenModel(fitting: hashes) ?? package.model(fitting: hashes)?.model
        let store = try SQLitePersistentStore.open(description, model: model)
        defer { try? store.close() }
        for name in try store.externalValueNames().sorted()
        where !(UUID(uuidString: name).map(values.contains) ?? false) {
            report(PackageLayout.versions, "the file of a large value of version \(generation) is missing: \(name)")
        }
    }
}
