internal import FileSystem
internal import Foundation
internal import ModelFiles
internal import SQLiteStore
internal import Schema
internal import Storage

/// An open document below the object graph: its files, its store, its lock.
///
/// Invariants, of a session for editing:
/// 1. The lock is held from before the first look at the files until after the store is closed.
/// 2. Of a package or archive, `marker` is what the store's last commit notes, and `counts` what the store holds.
/// 3. The store's main file changes by `finishSave` alone, and only when the last commit was a save and the state before it is kept as a version.
final class DocumentSession {
    /// Chooses the model of a store by the hashes that it records; nil leaves it to the store's own.
    typealias ModelResolver = @Sendable ([String: Data]) throws -> ManagedObjectModel?

    let kind: DocumentKind
    /// The document, links resolved.
    let path: String
    let isEditing: Bool
    /// The package that is open: the document itself, or what an archive was unpacked to; nil for stores by themselves.
    let package: String?
    let store: any PersistentStore
    /// Where the store's main file is.
    let storePath: String
    var lock: DocumentLock?
    /// What the last commit was; nil for stores by themselves.
    var marker: DocumentMarker?
    var manifest: Manifest?
    var counts: EntityCounts?
    /// The identity of the document when it was opened or last saved.
    var identity: FileIdentity?
    /// The archive's state that the working set belongs to, and the working set where there is one.
    var origin: ArchiveOrigin.State?
    var workingSet: WorkingSet?
    /// A folder that goes when the session ends.
    var temporaryFolder: String?
    /// Whether the last save is in the WAL still, for an outside reader kept it from the main file.
    var isCheckpointPending = false
    /// Whether the archive was replaced and the working set doesn't know yet.
    var isOriginPending = false
    /// Number and size of the large values; nil where they have to be counted.
    var attachments: Manifest.Attachments?
    let content: ContentFolder?
    /// The saved state that the versions lead up to: the one before the last save until `keepVersion` has run. Nil where no versions are kept.
    var keptState: SavedState?
    /// Why the state before the next save is kept.
    var versionReason = DocumentVersion.Reason.save
    /// The names in `content/` that `keptState` refers to, where they are known, and whether commits since may have changed that.
    var contentNames: Set<UUID>?
    var hasChangedContent = false
    /// Versions that were there and could not be read any more.
    var lostVersions: DocumentError?
    private(set) var isStoreOpen = true
    /// What the last save left undone after its commit; nil where it came to its end.
    var unfinishedSave: (any Error)?

    var model: ManagedObjectModel { store.identity.model }
    /// The store as the one that packages and archives have; nil for other types, which stand by themselves.
    var sqliteStore: SQLitePersistentStore? { store as? SQLitePersistentStore }
    var uuid: String { store.identity.uuid }
    /// Whether there is autosaved work that was not saved.
    var hasAutosavedWork: Bool { marker.map { !$0.isSaved } ?? false }

    init(
        kind: DocumentKind, path: String, isEditing: Bool, package: String?, store: any PersistentStore, storePath: String, content: ContentFolder?
    ) {
        self.kind = kind
        self.path = path
        self.isEditing = isEditing
        self.package = package
        self.store = store
        self.storePath = storePath
        self.content = content
    }

    /// Closes the store; the session's lock stays.
    func closeStore() throws {
        try store.close()
        isStoreOpen = false
    }
}
