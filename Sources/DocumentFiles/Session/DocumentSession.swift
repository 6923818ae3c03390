package import FileSystem
internal import Foundation
internal import ModelFiles
package import SQLiteStore
package import Schema
package import Storage

/// An open document without its object graph: its files, its store and its lock.
///
/// Invariants of a session for editing:
/// 1. The lock is held from before the first access to the files until after the store is closed.
/// 2. For a package or archive, `marker` is the marker of the store's last commit, and `footprint`
///    describes the store's content.
/// 3. The store's main file is changed by `finishSave` only, and only if the last commit was a save
///    and the state before it was kept as a version.
package final class DocumentSession {
    package let kind: DocumentKind
    /// The path of the document, with symbolic links resolved.
    package let path: String
    package let isEditing: Bool
    package let place: StoreLocation
    package let store: any StoreBackend
    /// The operations that depend on the form of the document, such as saving and closing.
    var form: any SessionForm = BareStoreForm()
    package var lock: DocumentLock?
    /// The marker of the last commit; nil for a bare store.
    package var marker: DocumentMarker?
    package var manifest: DocumentManifest?
    /// The size of the store's content, for the manifest.
    var footprint = Footprint()
    /// The state of the WAL beside the store.
    var journal = WALStatus()
    /// The state of the earlier versions.
    var keeping: VersionKeeping
    /// The identity of the document when it was opened or last saved.
    package var identity: FileIdentity?
    package let content: ContentFolder?
    /// The identities of the document's files after this program has written them.
    package var trace: DocumentTrace?
    /// For a package that was just opened, the anchor that its first trace will use.
    var anchor: PathAnchor?
    package private(set) var isStoreOpen = true
    /// The error that prevented files of the application from being moved into place after the last
    /// commit that wrote some; nil if there was none.
    package var unplacedParts: (any Error)?
    /// The error that left the last save unfinished after its commit; nil if it completed.
    package var postCommitError: (any Error)?

    /// The package, or the working set of an archive; nil for an archive without a working set, and
    /// for a bare store.
    package var package: String? { place.package }
    /// The path of the store's main file, or the path that it would have if it were not in an
    /// archive.
    package var storePath: String { place.storePath }
    package var model: ManagedObjectModel { store.identity.model }
    /// The store if it is a SQLite store, which is always the case in packages and archives; nil
    /// for other types.
    package var sqliteStore: SQLitePersistentStore? { store as? SQLitePersistentStore }
    package var uuid: String { store.identity.uuid }
    /// Whether there is autosaved work that was not saved.
    package var hasAutosavedWork: Bool { marker?.hasUnsavedWork ?? false }
    /// The path of the quarantined WAL that was found beside the store and did not belong to it.
    package var quarantinedWAL: String? { journal.quarantined }
    /// The number of commits by other programs that were found in the WAL.
    package var outsideCommits: Int { journal.outsideCommits }
    /// Whether the WAL was larger than its limit after the last autosave.
    package var isWALFull: Bool { journal.isFull }
    /// Whether the last save could not be checkpointed yet, because another process was reading.
    package var isCheckpointPending: Bool { journal.isCheckpointPending }
    /// The working set that receives commits; nil if they are written to the document itself.
    package var workingSet: WorkingSet? { form.workingSet }
    var wal: StoreWAL { StoreWAL(ofStoreAt: storePath) }

    init(
        kind: DocumentKind, path: String, isEditing: Bool, place: StoreLocation, store: any StoreBackend,
        content: ContentFolder?
    ) {
        self.kind = kind
        self.path = path
        self.isEditing = isEditing
        self.place = place
        self.store = store
        self.content = content
        keeping = VersionKeeping(kind == .package ? place.package.map { VersionStore(inPackage: $0) } : nil)
    }

    /// Closes the store; the session keeps its lock.
    /// - Parameter removesJournal: Whether the empty WAL is removed, too, unless another process
    ///   has the store open.
    package func closeStore(removesWAL: Bool = false) throws {
        if removesWAL { try packageStore.closeRemovingWAL() } else { try store.close() }
        isStoreOpen = false
    }

    /// Closes the store after `body`, which removes the WAL, if no other process has the store
    /// open. Otherwise does nothing and returns false.
    package func closeStore(alone body: () throws -> Void) throws -> Bool {
        guard try packageStore.closeExclusively(body) else { return false }
        isStoreOpen = false
        return true
    }
}
