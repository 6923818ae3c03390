package import FileSystem
internal import Foundation
internal import ModelFiles
package import SQLiteStore
package import Schema
package import Storage

/// An open document below the object graph: its files, its store, its lock.
///
/// Invariants, of a session for editing:
/// 1. The lock is held from before the first look at the files until after the store is closed.
/// 2. Of a package or archive, `marker` is what the store's last commit notes, and `footprint` what
///    the store holds.
/// 3. The store's main file changes by `finishSave` alone, and only when the last commit was a save
///    and the state before it is kept as a version.
package final class DocumentSession {
    package let kind: DocumentKind
    /// The document, links resolved.
    package let path: String
    package let isEditing: Bool
    package let place: StoreLocation
    package let store: any StoreBackend
    /// How the document is saved and closed.
    var form: any SessionForm = BareStoreForm()
    package var lock: DocumentLock?
    /// What the last commit was; nil for stores by themselves.
    package var marker: DocumentMarker?
    package var manifest: DocumentManifest?
    /// What the store holds, for the manifest.
    var footprint = Footprint()
    /// What is known of the WAL beside the store.
    var journal = WALStatus()
    /// What is known of the earlier saved states.
    var keeping: VersionKeeping
    /// The identity of the document when it was opened or last saved.
    package var identity: FileIdentity?
    package let content: ContentFolder?
    /// The marks of the document's files, as this program left them.
    package var trace: DocumentTrace?
    /// Of a package that was opened just now: what is held on to, for the first trace.
    var anchor: PathAnchor?
    package private(set) var isStoreOpen = true
    /// What kept files of the application from taking their names after the last commit that had
    /// some; nil where nothing did.
    package var unplacedParts: (any Error)?
    /// What the last save left undone after its commit; nil where it came to its end.
    package var postCommitError: (any Error)?

    /// The package, or the working set of an archive; nil for an archive that is read without one,
    /// and for stores by themselves.
    package var package: String? { place.package }
    /// The store's main file, or where it would be if it were one and not a part of an archive.
    package var storePath: String { place.storePath }
    package var model: ManagedObjectModel { store.identity.model }
    /// The store as the one that packages and archives have; nil for other types, which stand by
    /// themselves.
    package var sqliteStore: SQLitePersistentStore? { store as? SQLitePersistentStore }
    package var uuid: String { store.identity.uuid }
    /// Whether there is autosaved work that was not saved.
    package var hasAutosavedWork: Bool { marker?.hasUnsavedWork ?? false }
    /// Where a WAL is that lay beside the store when it was opened, and was not its own.
    package var quarantinedWAL: String? { journal.quarantined }
    /// How many commits of other programs were found in the WAL.
    package var outsideCommits: Int { journal.outsideCommits }
    /// Whether the last autosave found more in the WAL than is to stay there.
    package var isWALFull: Bool { journal.isFull }
    /// Whether the last save is in the WAL still, for an outside reader kept it from the main file.
    package var isCheckpointPending: Bool { journal.isCheckpointPending }
    /// Where commits go, where that is not the document itself.
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

    /// Closes the store; the session's lock stays.
    /// - Parameter removesWAL: Whether the WAL, which is empty, is taken away as well, if
    ///   nobody else has the store open.
    package func closeStore(removesWAL: Bool = false) throws {
        if removesWAL { try packageStore.closeRemovingWAL() } else { try store.close() }
        isStoreOpen = false
    }

    /// Closes the store after `body`, which takes the WAL away, where nobody else has it open; else
    /// nothing is done.
    package func closeStore(alone body: () throws -> Void) throws -> Bool {
        guard try packageStore.closeExclusively(body) else { return false }
        isStoreOpen = false
        return true
    }
}
