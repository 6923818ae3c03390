internal import DocumentFiles
internal import Schema
internal import Storage
internal import Synchronization

/// Holds the session of an open document, and runs what touches its files: away from whoever owns the document, one piece of work at a time.
///
/// The document sees the session only by the `SessionState` that comes with every result.
final class SessionKeeper: Sendable {
    private let session: Mutex<DocumentSession>
    private let configuration: StoreConfiguration?

    init(_ session: sending DocumentSession, _ configuration: StoreConfiguration?) {
        self.session = Mutex(session)
        self.configuration = configuration
    }

    /// Runs `body` off the caller.
    @concurrent
    func away<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) async -> Outcome<Result> { here(body) }

    /// Runs `body` on the caller, which waits: for what is short, and for what puts another session in the place of this one while nobody may use the store.
    func here<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) -> Outcome<Result> {
        session.withLock { session in
            let result = StoreConfiguration.$current.withValue(configuration) { Swift.Result { try body(&session) } }
            return Outcome(result: result, state: SessionState(session))
        }
    }

    struct Outcome<Result: Sendable>: Sendable {
        let result: Swift.Result<Result, any Error>
        let state: SessionState
    }
}

/// What a document knows of its session between two pieces of work.
package struct SessionState: Sendable {
    let kind: DocumentKind
    package let path: String
    let isEditing: Bool
    let package: String?
    let store: any PersistentStore
    let marker: DocumentMarker?
    let manifest: Manifest?
    let isStoreOpen: Bool
    /// Whether a save has written a new archive that the session is not on yet.
    let isReplaced: Bool
    let unfinishedSave: (any Error)?
    let unplacedParts: (any Error)?
    let quarantinedJournal: String?
    let outsideCommits: Int
    let trace: DocumentTrace?
    /// Whether what is committed goes to a working set, and a save puts a new store in the place of the document's.
    let hasWorkingSet: Bool
    /// Whether the last autosave found more work in the WAL than is to stay there.
    let isJournalFull: Bool

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
        unfinishedSave = session.unfinishedSave
        unplacedParts = session.unplacedParts
        quarantinedJournal = session.quarantinedJournal
        outsideCommits = session.outsideCommits
        trace = session.trace
        hasWorkingSet = session.workingSet != nil
        isJournalFull = session.isJournalFull
    }

    var model: ManagedObjectModel { store.identity.model }
    var uuid: String { store.identity.uuid }
    var versions: VersionStore? { kind == .package ? package.map { VersionStore(inPackage: $0) } : nil }
    var hasAutosavedWork: Bool { marker?.hasUnsavedWork ?? false }
    /// Autosaved work that is part of what was opened for editing.
    var recoveredWork: PersistentDocument.RecoveredWork? {
        guard isEditing, let marker, marker.hasUnsavedWork else { return nil }
        return PersistentDocument.RecoveredWork(saved: marker.userSave.saved, autosaved: marker.committed)
    }
}

extension SessionKeeper {
    typealias Opened = (keeper: SessionKeeper, state: SessionState)

    /// Opens a document off the caller.
    @concurrent
    static func open(
        _ path: String, _ mode: PersistentDocument.Mode, _ state: DocumentState, recovery: PersistentDocument.Recovery,
        lock: DocumentLock? = nil, model: @escaping DocumentSession.ModelResolver
    ) async throws -> Opened {
        try opened(path, mode, state, recovery: recovery, lock: lock, model: model)
    }

    /// - Parameter lock: The document's lock, where the caller has it, and hands it over: a reader gives it back.
    static func opened(
        _ path: String, _ mode: PersistentDocument.Mode, _ shown: DocumentState = .newest, recovery: PersistentDocument.Recovery, lock: DocumentLock? = nil,
        model: @escaping DocumentSession.ModelResolver
    ) throws -> Opened {
        let path = LinkResolution.resolve(path)
        if lock == nil, mode == .editing, DocumentPermissions.isLocked(path) {
            throw DocumentError(.permission, "the document is locked against editing", path: path, stage: .opening, hint: "unlock it, or open it for reading")
        }
        let session =
            switch mode {
            case .editing: try DocumentSession.edit(resolved: path, model: model, recovery: recovery, lock: lock)
            case .reading: try DocumentSession.read(path, shown, model: model)
            }
        if mode == .reading { lock?.release() }
        // What is shown of a version does not change with the document.
        if shown == .newest { session.renewTrace() }
        let state = SessionState(session)
        return (SessionKeeper(session, StoreConfiguration.current), state)
    }
}
