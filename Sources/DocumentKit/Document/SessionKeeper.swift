internal import DocumentFiles
internal import Synchronization

/// Owns the session of an open document, and runs all work on its files, one operation at a time
/// and by default outside of the isolation domain of the document's owner.
///
/// The document sees the session only through the `SessionState` that comes with every result.
final class SessionKeeper: Sendable {
    private let session: Mutex<DocumentSession>
    private let configuration: StoreConfiguration?

    init(_ session: sending DocumentSession, _ configuration: StoreConfiguration?) {
        self.session = Mutex(session)
        self.configuration = configuration
    }

    /// Runs `body` outside of the caller's isolation domain.
    @concurrent
    func performInBackground<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) async
        -> Outcome<Result>
    { performInline(body) }

    /// Runs `body` in the caller's isolation domain and blocks it: for short work, and for work
    /// that replaces the session while nobody may use the store.
    func performInline<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) -> Outcome<Result>
    {
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

extension SessionKeeper {
    typealias Opened = (keeper: SessionKeeper, state: SessionState)

    /// Opens a document outside of the caller's isolation domain.
    @concurrent
    static func open(
        _ path: String, isEditing: Bool, _ shown: DocumentState, recovery: DocumentRecovery, lock: DocumentLock?,
        model: ModelChoice
    ) async throws -> Opened {
        try opened(path, isEditing: isEditing, shown, recovery: recovery, lock: lock, model: model)
    }

    /// Opens a document.
    /// - Parameter lock: The document's lock if the caller has acquired it. Ownership is
    ///   transferred; a session for reading releases it.
    static func opened(
        _ path: String, isEditing: Bool, _ shown: DocumentState = .newest, recovery: DocumentRecovery = .refuse,
        lock: DocumentLock?,
        model: ModelChoice
    ) throws -> Opened {
        let path = LinkResolution.resolve(path)
        if lock == nil, isEditing, DocumentPermissions.isLocked(path) {
            throw DocumentError(
                .permission, "the document is locked against editing", path: path, stage: .opening,
                hint: "unlock it, or open it for reading")
        }
        let session =
            if isEditing {
                try DocumentSession.edit(resolved: path, model: model, recovery: recovery, lock: lock)
            } else {
                try DocumentSession.read(path, shown, model: model)
            }
        if !isEditing { lock?.release() }
        // A version does not change, so only the newest state is traced.
        if shown == .newest { session.renewTrace() }
        return holding(session)
    }

    static func holding(_ session: sending DocumentSession) -> Opened {
        let state = SessionState(session)
        return (SessionKeeper(session, StoreConfiguration.current), state)
    }
}
