internal import DocumentFiles
internal import FileSystem

/// The background work of an open document: autosaving, and watching for changes by other programs.
/// It runs on the actor that owns the document.
final class BackgroundTasks {
    private var tasks: [Task<Void, Never>] = []
    private var watch: FileWatcher.Watch?
    private let changes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let notices = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Delay between a file event and the reaction to it. Events arrive in bursts, and a file that
    /// is being replaced may be missing for a moment.
    private static let noticeDelay = Duration.milliseconds(100)

    func stop() {
        for task in tasks { task.cancel() }
        tasks = []
        watch = nil
        changes.continuation.finish()
        notices.continuation.finish()
    }

    /// Tells ``saveChanges(after:isolation:_:)`` that there is something to save.
    func noteChange() { changes.continuation.yield() }

    /// Watches the paths of a document for changes. If they can't be watched, changes are detected
    /// only when the document is saved.
    func watch(_ trace: DocumentTrace?) {
        guard let trace else { return }
        let notify = notices.continuation
        watch = try? FileWatcher.shared().watch(trace.places) { notify.yield() }
        // What changed since the trace was recorded is found by a look.
        notify.yield()
    }

    /// Calls `look` after each burst of events at the watched paths.
    func follow(isolation: isolated any Actor, _ look: @escaping () async -> Void) {
        let notices = notices.stream
        tasks.append(
            Task {
                _ = isolation
                for await _ in notices {
                    try? await Task.sleep(for: Self.noticeDelay)
                    guard !Task.isCancelled else { return }
                    await look()
                }
            })
    }

    /// Calls `save` some time after each change, and repeats the call until it returns nil.
    /// - Parameters:
    ///   - delay: The delay between a change and the first call of `save`.
    ///   - save: Receives the time at which the change was noted. Returns the delay until the next
    ///     call; nil if there is nothing left to wait for.
    func saveChanges(
        after delay: Duration, isolation: isolated any Actor,
        _ save: @escaping (_ begin: ContinuousClock.Instant) async -> Duration?
    ) {
        let changes = changes.stream
        tasks.append(
            Task {
                _ = isolation
                for await _ in changes {
                    let begin = ContinuousClock.now
                    var wait = delay
                    while !Task.isCancelled {
                        try? await Task.sleep(for: wait)
                        guard !Task.isCancelled else { return }
                        wait = await save(begin) ?? .zero
                        if wait == .zero { break }
                    }
                }
            })
    }
}
