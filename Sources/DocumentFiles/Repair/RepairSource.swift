internal import ArchiveKit
internal import AtomicStores
internal import FileSystem
internal import SQLiteFile
package import SQLiteStore

/// The existing parts of a damaged document, with a copy of the store in a temporary folder.
package struct RepairSource {
    /// The form of the repaired document.
    package let form: DocumentForm
    /// The folder with the parts of a package: the document itself, or the entries extracted from
    /// an archive; nil for a bare store.
    package let package: String?
    /// The path of the copy of the store. Its WAL is beside it.
    package let store: String
    /// The location of the store's large values.
    package let values: ExternalValues
    private(set) var lost: [DocumentFinding] = []
    private let original: String
    /// The path of the store's WAL: beside the store, or in the working set of an archive.
    private let journal: String

    init(_ path: String, scratch: String) throws {
        store = FilePath.join(scratch, "salvaged.sqlite")
        switch try Disk.kind(of: path) {
        case nil: throw DocumentError(.notFound, "there is no such document", path: path)
        case .directory:
            if try Disk.kind(of: FilePath.join(path, PackageLayout.managedStore)) == .file {
                (form, package) = (.store, nil)
                original = FilePath.join(path, PackageLayout.managedStore)
                values = ExternalValues.besideStore(at: original)
            } else {
                (form, package) = (.package, path)
                original = FilePath.join(path, PackageLayout.store)
                values = ContentFolder(inPackage: path).externalValues
                lost += Self.linkFindings(path)
                if let manifest = try? PackageReader(path).manifest(),
                    (try? WorkingSet.existing(forPackage: path, uuid: manifest.uuid)) != nil
                {
                    lost.append(
                        DocumentFinding(
                            "store",
                            "work that was never saved is kept elsewhere and not in the new document: “recover” it from the old one"
                        ))
                }
            }
            journal = original + "-wal"
        case .file:
            let file = try File(path, .read)
            guard try Self.isArchive(file) else {
                try Self.checkStore(file)
                (form, package, original, journal) = (.store, nil, path, path + "-wal")
                values = ExternalValues.besideStore(at: path)
                break
            }
            let folder = FilePath.join(scratch, "document")
            (form, package) = (.archive, folder)
            values = ContentFolder(inPackage: folder).externalValues
            try Disk.makeDirectory(folder, mode: 0o700)
            var salvager = try ArchiveSalvager(file, allowing: PackageLayout.allowsInArchive)
            guard try salvager.extract(to: folder) > 0 else {
                throw DocumentError(
                    .malformed, salvager.findings.first?.messageWithoutPath ?? "nothing in the archive can be read",
                    path: path)
            }
            try Disk.removeFileIfPresent(FilePath.join(folder, PackageLayout.storeSums))
            lost = salvager.findings.map { DocumentFinding($0.entry ?? "archive", $0.messageWithoutPath) }
            lost += Self.directoryFindings(path)
            let work = UnsavedWork.find(archive: path, extracted: folder)
            if let work { lost += work.takeValues(to: folder) }
            original = work?.store ?? FilePath.join(folder, PackageLayout.store)
            journal = work?.journal ?? original + "-wal"
        default: throw DocumentError(.malformed, "neither a file nor a folder", path: path)
        }
        if try Disk.status(of: original + "-journal").map({ $0.size > 0 }) == true {
            lost.append(
                DocumentFinding(
                    "store", "a change was cut short and is not rolled back: it may be in the new document in part"))
        }
        try copyStore(includingWAL: true)
        if try Disk.exists(store + "-wal"), (try? StoreWAL(ofStoreAt: store).isForeign()) == true {
            lost.append(DocumentFinding("store", "the journal beside it is not its own: what is in it is left out"))
            try copyStore(includingWAL: false)
        }
    }

    /// Copies the store again. With the document's lock, nobody else has the original open.
    private func copyStore(includingWAL: Bool) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Disk.removeFileIfPresent(store + suffix) }
        guard try Disk.kind(of: original) == .file else {
            throw DocumentError(.malformed, "the document has no store", path: original)
        }
        try copy(original, to: store)
        if includingWAL, try Disk.kind(of: journal) == .file { try copy(journal, to: store + "-wal") }
    }

    /// Copies a file of the store. In a package it is opened without following symbolic links.
    private func copy(_ part: String, to target: String) throws {
        if let package, form == .package {
            do {
                try Disk.copyFile(
                    Directory(package).directory(PackageLayout.storeFolder).file(
                        FilePath.name(part), refusingHardLinks: true), to: target)
            } catch let error as FileSystemError where !error.path.hasPrefix(target) {
                throw DocumentError(
                    .malformed, "the document has no store of its own: \(error.reason)", path: part, underlying: error)
            }
        } else {
            try Disk.copyFile(part, to: target)
        }
        // The copy has the mode of the original, which may be read-only.
        try Disk.setMode(0o600, of: target)
    }

    /// The findings for symbolic links in a package, which are not followed.
    private static func linkFindings(_ path: String) -> [DocumentFinding] {
        guard let entries = try? Disk.list(path) else { return [] }
        return entries.filter { $0.kind == .symbolicLink }.map {
            DocumentFinding($0.name, "is a link: what it leads to is left out")
        }
    }

    private static func isArchive(_ file: File) throws -> Bool {
        var start = [UInt8](repeating: 0, count: 16)
        _ = try start.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        if ZipDirectory.begins(start) { return true }
        return try !DatabaseHeader.begins(start) && ArchiveSalvager.hasEntries(file)
    }

    private static func checkStore(_ file: File) throws {
        var start = [UInt8](repeating: 0, count: 4096)
        start.removeLast(start.count - (try start.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }))
        if AtomicPersistentStore.isBinaryStore(start) || AtomicPersistentStore.isXMLStore(start) {
            throw DocumentError(
                .unsupported, "a store that is written as a whole: what of it is damaged can't be read in part",
                path: file.path)
        }
        guard start.count >= DatabaseHeader.pageSizes.lowerBound else {
            throw DocumentError(.malformed, "too short to be a store", path: file.path)
        }
    }

    /// The errors of the archive as a whole, which the entries alone don't show.
    private static func directoryFindings(_ path: String) -> [DocumentFinding] {
        do {
            _ = try ArchiveReader(File(path, .read), allowing: PackageLayout.allowsInArchive)
            return []
        } catch let error as ArchiveError {
            return [DocumentFinding("archive", error.messageWithoutPath)]
        } catch {
            return [DocumentFinding("archive", "\(error)")]
        }
    }
}
