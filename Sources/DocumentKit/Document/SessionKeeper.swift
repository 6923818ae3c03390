internal import DocumentFiles
internal import Synchronization

/// Holds the session of an open document, and runs what touches its files: away from whoever owns
/// the document, one piece of work at a time.
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
    func performInBackground<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) async
        -> Outcome<Result>
    { performInline(body) }

    /// Runs `body` on the caller, which waits: for what is short, and for what puts another session
    /// in the place of this one while nobody may use the store.
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

    /// Opens a document off the caller.
    @concurrent
    static func open(
        _ path: String, isEditing: Bool, _ shown: DocumentState, recovery: DocumentRecovery, lock: DocumentLock?,
        model: ModelChoice
    ) async throws -> Opened {
        try opened(path, isEditing: isEditing, shown, recovery: recovery, lock: lock, model: model)
    }

    /// - Parameter lock: The document's lock, where the caller has it, and hands it over: a reader
    ///   gives it back.
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
        // What is shown of a version does not change with the document.
        if shown == .newest { session.renewTrace() }
        return holding(session)
    }

    static func holding(_ session: sending DocumentSession) -> Opened {
        let state = SessionState(session)
        return (SessionKeeper(session, StoreConfiguration.current), state)
    }
}
