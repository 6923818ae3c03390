internal import DocumentFiles
internal import FileSystem
internal import ObjectGraph

/// What a document does by itself: autosaves, and looks at what other programs do to it. It runs where the document's owner runs.
final class BackgroundTasks {
    let policy: SavingPolicy
    private var tasks: [Task<Void, Never>] = []
    private var watch: FileWatcher.Watch?
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let notices = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Events come in crowds, and a file that is being replaced may be missing for a moment.
    private static let noticeDelay = Duration.milliseconds(100)

    init(_ policy: SavingPolicy) { self.policy = policy }

    func stop() {
        for task in tasks { task.cancel() }
        tasks = []
        watch = nil
        changes.continuation.finish()
        notices.continuation.finish()
    }

    /// Something has to be saved that the context does not tell of.
    func noteChange() { changes.continuation.yield() }

    /// Watches the places where something happens when the document changes. Without watches left, changes are seen by saves alone.
    func watch(_ trace: DocumentTrace?) {
        guard let trace else { return }
        let notify = notices.continuation
        watch = try? FileWatcher.shared().watch(trace.places) { notify.yield() }
    }

    func start(_ document: PersistentDocument, isolation: isolated any Actor) {
        watch(document.state.trace)
        let notices = notices.stream
        tasks.append(
            Task { [weak document] in
                _ = isolation
                for await _ in notices {
                    try? await Task.sleep(for: Self.noticeDelay)
                    guard !Task.isCancelled, let document else { return }
                    await document.checkForOutsideChanges()
                }
            })
        guard let idle = policy.idle else { return }
        let signal = changes.continuation
        document.context.firstChangeHandler = { signal.yield() }
        // What is there already was changed before anybody listened.
        if document.context.hasChanges || document.hasUnsavedChanges { signal.yield() }
        let changes = changes.stream, policy = policy
        tasks.append(
            Task { [weak document] in
                _ = isolation
                var last: ContinuousClock.Instant?
                for await _ in changes {
                    let begin = ContinuousClock.now
                    var wait = idle
                    while !Task.isCancelled {
                        try? await Task.sleep(for: wait)
                        guard !Task.isCancelled, let document, document.isOpen else { return }
                        wait = await document.autosaveIfDue(policy, since: begin, last: &last) ?? .zero
                        if wait == .zero { break }
                    }
                }
            })
    }
}

extension PersistentDocument {
    /// Lets the document save by itself, and follow what other programs do to it, until it is closed or ``stopBackgroundTasks()`` is called.
    ///
    /// ```swift
    /// @MainActor func show(_ document: PersistentDocument) {
    ///     document.startBackgroundTasks(.explicit)
    ///     document.outsideChangeHandler = { change in … }
    /// }
    /// ```
    /// All of it runs on the actor that calls this and owns the document; only the files are worked on elsewhere. An owner that is no actor calls ``autosave()`` and
    /// ``checkForOutsideChanges()`` by itself. Calling it again takes up another policy.
    public func startBackgroundTasks(_ policy: SavingPolicy = .explicit, isolation: isolated any Actor = #isolation) {
        opened.background?.stop()
        let tasks = BackgroundTasks(policy)
        opened.background = tasks
        tasks.start(self, isolation: isolation)
    }

    /// Ends what ``startBackgroundTasks(_:isolation:)`` began. An autosave that is under way comes to its end or is cancelled as a whole.
    public func stopBackgroundTasks() {
        opened.background?.stop()
        opened.background = nil
        if isOpen { context.firstChangeHandler = nil }
    }

    /// Autosaves where that is due by the policy.
    /// - Returns: How long to wait before asking again, nil where nothing waits to be autosaved.
    func autosaveIfDue(_ policy: SavingPolicy, since begin: ContinuousClock.Instant, last: inout ContinuousClock.Instant?) async -> Duration? {
        guard let idle = policy.idle, mode == .editing else { return nil }
        let hadEvent = opened.edits.isEditedSinceLook(at: context.editPosition)
        context.processPendingChanges()
        opened.edits.didLook(at: context.editPosition)
        let now = ContinuousClock.now
        if hadEvent, begin.duration(to: now) < policy.maximumDelay { return idle }
        if let last, last.duration(to: now) < policy.minimumInterval { return policy.minimumInterval - last.duration(to: now) }
        do {
            try await saveByPolicy(policy)
            last = .now
        } catch is CancellationError {
            return nil
        } catch {
            last = .now
            autosaveErrorHandler?(error)
            return max(policy.minimumInterval, idle)
        }
        // Changes that are worth no save stay, and tell no more when others come.
        return isOpen && context.hasChanges ? idle : nil
    }

    private func saveByPolicy(_ policy: SavingPolicy) async throws {
        // What was autosaved and is undone again is not to come back by a crash.
        guard hasUnsavedChanges || hasAutosavedWork, outsideChange == nil else { return }
        let hasLevels = state.marker != nil
        if policy.savesWhenIdle, !isUntitled {
            do {
                return try await save()
            } catch let error where hasLevels && !(error is DocumentError) && !(error is CancellationError) {
                // What is not valid yet is kept as it is.
            }
        }
        if hasLevels { try await autosave() }
    }
}
