internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// A snapshot of a session's state, taken after each operation on it.
struct SessionState: Sendable {
    typealias RecoveredWork = (saved: Date, autosaved: Date)

    let kind: DocumentKind
    let path: String
    let isEditing: Bool
    let package: String?
    let store: any StoreBackend
    let marker: DocumentMarker?
    let manifest: DocumentManifest?
    let isStoreOpen: Bool
    /// Whether a save has written a new archive that the session does not use yet.
    let isReplaced: Bool
    let postCommitError: (any Error)?
    let unplacedParts: (any Error)?
    let quarantinedWAL: String?
    let outsideCommits: Int
    let trace: DocumentTrace?
    /// Whether commits go to a working set, so that a save replaces the document's store by a new
    /// one.
    let hasWorkingSet: Bool
    /// Whether the WAL was larger than its limit after the last autosave.
    let isWALFull: Bool

    init(_ session: borrowing DocumentSession) {
        kind = session.kind
        path = session.path
        isEditing = session.isEditing
        package = session.package
        store = session.store
        marker = session.marker
        manifest = session.manifest
        isStoreOpen = session.isStoreOpen
        isReplaced = session.isReplaced
        postCommitError = session.postCommitError
        unplacedParts = session.unplacedParts
        quarantinedWAL = session.quarantinedWAL
        outsideCommits = session.outsideCommits
        trace = session.trace
        hasWorkingSet = session.workingSet != nil
        isWALFull = session.isWALFull
    }

    var model: ManagedObjectModel { store.identity.model }
    var uuid: String { store.identity.uuid }
    var versions: VersionStore? { kind == .package ? package.map { VersionStore(inPackage: $0) } : nil }
    var hasAutosavedWork: Bool { marker?.hasUnsavedWork ?? false }
    /// The autosaved work that the document contained when it was opened for editing.
    var recoveredWork: RecoveredWork? {
        guard isEditing, let marker, marker.hasUnsavedWork else { return nil }
        return (saved: marker.userSave.saved, autosaved: marker.committed)
    }
    /// The denied deletions that autosaves have noted, in this session or before.
    var deniedDeletions: [DeniedDeletion] { .init(marker?.denied, of: store.identity) }
    var pendingUniqueValues: [PendingUniqueValue] { .init(marker?.pending, of: store.identity) }
}
