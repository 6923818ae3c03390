internal import ArchiveKit
internal import AtomicStores
internal import FileSystem
internal import SQLiteStore

/// The parts of a damaged document, as far as they are there; the store as a copy in a folder of the repair's own.
struct RepairSource {
    /// What is written in its place.
    let form: DocumentForm
    /// The folder with the parts of a package: the document itself, or what was taken out of an archive; nil for a store by itself.
    let package: String?
    /// The copy of the store. Its WAL lies beside it.
    let store: String
    /// Where the store's large values are.
    let values: ExternalValues
    private(set) var lost: [DocumentFinding] = []
    private let original: String

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
            }
        case .file:
            let file = try File(path, .read)
            guard try Self.isArchive(file) else {
                try Self.checkStore(file)
                (form, package, original) = (.store, nil, path)
                values = ExternalValues.besideStore(at: path)
                break
            }
            let folder = FilePath.join(scratch, "document")
            (form, package) = (.archive, folder)
            original = FilePath.join(folder, PackageLayout.store)
            values = ContentFolder(inPackage: folder).externalValues
            try Disk.makeDirectory(folder, mode: 0o700)
            var salvager = try ArchiveSalvager(file, allowing: PackageLayout.allowsInArchive)
            guard try salvager.extract(to: folder) > 0 else {
                throw DocumentError(.malformed, salvager.findings.first?.messageWithoutPath ?? "nothing in the archive can be read", path: path)
            }
            try Disk.removeFileIfPresent(FilePath.join(folder, PackageLayout.storeSums))
            lost = salvager.findings.map { DocumentFinding($0.entry ?? "archive", $0.messageWithoutPath) }
            lost += Self.directoryFindings(path)
        default: throw DocumentError(.malformed, "neither a file nor a folder", path: path)
        }
        try copyStore(withJournal: true)
    }

    /// Copies the store anew; the original is opened by nobody else while the document's lock is held.
    func copyStore(withJournal: Bool) throws {
        for suffix in ["", "-wal", "-shm", "-journal"] { try Disk.removeFileIfPresent(store + suffix) }
        guard try Disk.kind(of: original) == .file else { throw DocumentError(.malformed, "the document has no store", path: original) }
        for suffix in withJournal ? ["", "-wal"] : [""] where try Disk.kind(of: original + suffix) == .file {
            try Disk.copyFile(original + suffix, to: store + suffix)
            try File(store + suffix, .readWrite).setMode(0o600)
        }
    }

    private static func isArchive(_ file: File) throws -> Bool {
        var start = [UInt8](repeating: 0, count: 16)
        _ = try start.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        if ZipDirectory.begins(start) { return true }
        return try !start.starts(with: Array("SQLite format 3".utf8)) && ArchiveSalvager.hasEntries(file)
    }

    private static func checkStore(_ file: File) throws {
        var start = [UInt8](repeating: 0, count: 4096)
        start.removeLast(start.count - (try start.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }))
        if AtomicPersistentStore.isBinaryStore(start) || AtomicPersistentStore.isXMLStore(start) {
            throw DocumentError(.unsupported, "a store that is written as a whole: what of it is damaged can't be read in part", path: file.path)
        }
        guard start.count >= 512 else { throw DocumentError(.malformed, "too short to be a store", path: file.path) }
    }

    /// What is wrong with the archive as a whole, which the entries by themselves do not show.
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
