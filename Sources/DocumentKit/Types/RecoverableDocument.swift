internal import DocumentFiles
internal import FileSystem
public import Foundation

/// A document that is not open and contains unsaved work: one that was never saved under a name, or
/// whose work has not reached its file.
public struct RecoverableDocument: Sendable, Hashable {
    /// The kind of a recoverable document.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// An untitled document.
        case untitled
        /// An archive, or a package on a shared volume, whose autosaved work is in the user's state
        /// folder.
        case archive
    }

    /// The kind of the document.
    public var kind: Kind
    /// The location of the document to open: the archive, or the untitled document in the state
    /// folder.
    public var url: URL
    /// The UUID of the document.
    public var uuid: String
    /// The title of the document.
    public var title: String?
    /// The time of the last commit of the work.
    public var changed: Date
    /// The number of recoveries that were started and did not complete.
    public var attempts: Int
    /// Whether the document is skipped because its recovery crashed the program twice.
    public var isSkipped: Bool { attempts >= RecoveryAttempts.limit }

    /// Lists all recoverable documents, the latest first.
    static func list(_ untitled: UntitledDocuments) throws -> [RecoverableDocument] {
        var documents = try untitled.list().compactMap { try? Self.untitled($0) }
        if try Disk.kind(of: StateFolder.documents) == .directory {
            for entry in try Disk.list(StateFolder.documents)
            where entry.kind == .directory && UUID(uuidString: entry.name) != nil {
                for set in (try? WorkingSet.all(entry.name)) ?? [] {
                    if let document = try? archive(set, uuid: entry.name) { documents.append(document) }
                }
            }
        }
        return documents.sorted { $0.changed > $1.changed }
    }

    /// An untitled document that was never changed has nothing to recover.
    private static func untitled(_ path: String) throws -> RecoverableDocument? {
        guard DocumentLock.holder(of: path) == nil else { return nil }
        let manifest = try PackageReader(path).manifest()
        let wal = try Disk.status(of: FilePath.join(path, PackageLayout.store) + "-wal")
        let hasWork = manifest.generation > 0 || (wal?.size ?? 0) > 0
        guard hasWork else { return nil }
        return RecoverableDocument(
            kind: .untitled, url: URL(fileURLWithPath: path), uuid: manifest.uuid, title: manifest.title,
            changed: wal.map { date($0) } ?? manifest.saved,
            attempts: RecoveryAttempts(uuid: manifest.uuid).count)
    }

    private static func archive(_ set: String, uuid: String) throws -> RecoverableDocument? {
        guard let origin = try WorkingSetOrigin.read(in: set), DocumentLock.holder(of: origin.path) == nil,
            let wal = try Disk.status(of: FilePath.join(set, PackageLayout.store) + "-wal"),
            try wal.size > 0 || WorkingSet(path: set).hasOwnWork()
        else { return nil }
        return RecoverableDocument(
            kind: .archive, url: URL(fileURLWithPath: origin.path), uuid: uuid, title: nil, changed: date(wal),
            attempts: RecoveryAttempts(uuid: uuid).count)
    }

    /// The UUID of the document at a path, and whether it contains work of a former editor; nil if
    /// it is neither a package nor an archive.
    static func leftWork(at path: String) throws -> (uuid: String, hasWork: Bool)? {
        switch try DetectedDocument(path).kind {
        case .package:
            let size = try Disk.status(of: FilePath.join(path, PackageLayout.store) + "-wal")?.size ?? 0
            let manifest = try PackageReader(path).manifest()
            let isElsewhere =
                try SharedLocation.holds(path) && WorkingSet.existing(forPackage: path, uuid: manifest.uuid) != nil
            return (manifest.uuid, size > 0 || manifest.lastSave != nil || isElsewhere)
        case .archive:
            let archive = try ArchiveFile(path)
            let uuid = try archive.manifest().uuid
            return (uuid, try WorkingSet.existing(for: archive, uuid: uuid) != nil)
        case .store, .managedDocument: return nil
        }
    }

    private static func date(_ status: FileStatus) -> Date {
        Date(timeIntervalSince1970: Double(status.identity.modified) / 1e9)
    }
}
